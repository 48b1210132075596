import { once } from 'node:events';
import { WebSocket } from 'ws';
import { addSocket, meanwhile, until } from '../passing-time.ts';
import type { Posted } from './stand-in-carrier.ts';
import type { Verb } from './read-twiml.ts';

/** A person on the phone, by ConversationRelay: the carrier turns speech into text and text into speech. */
export type Phone = {
  sid: string;
  /** Text heard so far, one entry for each utterance. The last entry may be incomplete. */
  heard: string[];
  /** Frames received, with their times (performance.now()). */
  frames: { at: number; frame: Record<string, unknown> }[];
  /** Resolves to the utterance with these words, once it is complete. */
  hears: (words: string) => Promise<string>;
  say: (text: string) => void;
  /** Interrupts the current utterance after these words. */
  interrupt: (heard: string) => void;
  press: (digits: string) => void;
  send: (frame: unknown) => void;
  /** Resolves with the code once the socket is closed. */
  readonly closed: Promise<number>;
  /** Hangs up: the socket closes, and the carrier reports the end. */
  hangUp: () => Promise<Posted>;
  /** Resolves after the server has ended the session, with its next instructions for the carrier. */
  handedOff: () => Promise<Posted>;
  /** Breaks the socket. */
  cutOff: () => void;
  /** Breaks the socket, and resolves to the server's next instructions for the carrier. */
  cut: () => Promise<Posted>;
};

type Deps = {
  sid: string;
  verbs: readonly Verb[];
  account: string;
  post: (target: string, form: Record<string, string>) => Promise<Posted>;
};

export async function connectPhone({ sid, verbs, account, post }: Deps): Promise<Phone> {
  const [connect] = verbs;
  const [relay] = connect?.inside ?? [];
  if (connect?.name !== 'Connect' || relay?.name !== 'ConversationRelay') {
    throw new Error(`the answer opens no socket: ${JSON.stringify(verbs)}`);
  }
  const socket = new WebSocket(relay.attributes['url']!);
  const phone: Pick<Phone, 'heard' | 'frames'> = { heard: [], frames: [] };
  let isOpen = false;
  let whole = 0;
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
    phone.frames.push({ at: performance.now(), frame });
    if (frame['type'] !== 'text') return;
    if (!isOpen) phone.heard.push('');
    isOpen = frame['last'] !== true;
    phone.heard[phone.heard.length - 1] += String(frame['token']);
    if (!isOpen) whole = phone.heard.length;
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  addSocket(socket);
  const send = (frame: unknown): void =>
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const parameters = Object.fromEntries(
    relay.inside.map(({ attributes }) => [attributes['name'], attributes['value']]),
  );
  send({
    type: 'setup',
    sessionId: 'VX1',
    accountSid: account,
    callSid: sid,
    direction: 'inbound',
    customParameters: parameters,
  });
  const action = connect.attributes['action']!;
  const tell = (form: Record<string, string>): Promise<Posted> =>
    post(action, { AccountSid: account, CallSid: sid, ...form });
  return {
    ...phone,
    sid,
    get closed() {
      return meanwhile(closed);
    },
    send,
    hears: (words: string) =>
      until(
        () => `“${words}”, but heard ${JSON.stringify(phone.heard)}`,
        () => phone.heard.slice(0, whole).find((utterance) => utterance.includes(words)),
      ),
    say: (text: string) => send({ type: 'prompt', voicePrompt: text, lang: 'en-US', last: true }),
    interrupt: (heard: string) =>
      send({ type: 'interrupt', utteranceUntilInterrupt: heard, durationUntilInterruptMs: 460 }),
    press: (digits: string) => {
      for (const digit of digits) send({ type: 'dtmf', digit });
    },
    hangUp: async () => {
      socket.close();
      await meanwhile(closed);
      return tell({ SessionStatus: 'completed', CallStatus: 'completed' });
    },
    handedOff: async () => {
      const end = await until('the session to be ended', () =>
        phone.frames.find(({ frame }) => frame['type'] === 'end'),
      );
      await meanwhile(closed);
      const { handoffData: HandoffData = '' } = end.frame as { handoffData?: string };
      return tell({ SessionStatus: 'ended', CallStatus: 'in-progress', HandoffData });
    },
    cutOff: () => socket.terminate(),
    cut: async () => {
      socket.terminate();
      await meanwhile(closed);
      return tell({ SessionStatus: 'failed', CallStatus: 'in-progress' });
    },
  };
}
