import { once } from 'node:events';
import { WebSocket } from 'ws';
import { addSocket, meanwhile, until } from '../passing-time.ts';
import type { Posted } from './stand-in-carrier.ts';
import type { Verb } from './read-twiml.ts';

/** Somebody on the phone, by ConversationRelay: the carrier turns what they say into text, and text into speech. */
export type Phone = {
  sid: string;
  /** What they were told so far, one entry an utterance; the last may be under way. */
  heard: string[];
  /** Frames as they came, with when (performance.now()). */
  frames: { at: number; frame: Record<string, unknown> }[];
  /** Resolves with the utterance that has these words, once it is whole. */
  hears: (words: string) => Promise<string>;
  say: (text: string) => void;
  /** Speaks into what is being said, having heard that much. */
  interrupt: (heard: string) => void;
  press: (digits: string) => void;
  send: (frame: unknown) => void;
  /** Resolves with the code once the socket is closed. */
  readonly closed: Promise<number>;
  /** Puts the receiver down: the socket closes, and the carrier tells so. */
  hangUp: () => Promise<Posted>;
  /** We end the session: resolves with what the carrier is to do with the call then. */
  handedOff: () => Promise<Posted>;
  /** The socket breaks. */
  cutOff: () => void;
  /** The socket breaks; what we answer to the carrier, which asks what to do. */
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
