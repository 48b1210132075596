import { once } from 'node:events';
import { WebSocket } from 'ws';
import { monotonicMs } from '../../src/clock.ts';
import { encodeMuLaw } from '../../src/voice/audio/mu-law.ts';
import { bytesOf } from '../../src/voice/audio/pcm.ts';
import { createResampler } from '../../src/voice/audio/resampler.ts';
import type { MediaSpeech } from '../calls/phone/media-speech.ts';
import { createPlayer, createTalker } from '../calls/paced-sound.ts';
import { addSocket, meanwhile, until } from '../calls/passing-time.ts';

// Tests look at what they expect to be there; what is not, fails them.
// oxlint-disable-next-line typescript/no-explicit-any
type Frame = { at: number; sentBefore: number; type: string } & Record<string, any>;

/** A visitor's page, as a browser has it: sound both ways at the pace of the clock, and the frames it gets. */
export type Page = {
  /** Frames of text that came, by `monotonicMs()`, and how many frames of sound had been sent before. */
  frames: Frame[];
  /** Frames of sound that came, and that were sent. */
  came: { at: number; bytes: Buffer }[];
  sent: { at: number; samples: Int16Array }[];
  of: (type: string) => Frame[];
  /** The first frame of a kind that is like this, once it is there. */
  gets: (type: string, like?: object) => Promise<Frame>;
  /** As the page shows it: role and text of each turn. */
  turns: () => string[];
  conversationId: () => string;
  resume: () => string;
  send: (frame: unknown) => void;
  sendBytes: (bytes: Uint8Array) => void;
  write: (text: string) => void;
  /** Sentences that were played so far; what was cleared before is not there. */
  heard: () => string[];
  framesOf: (sentence: string) => number;
  hears: (sentence: string) => Promise<void>;
  heardWhole: (sentence: string) => Promise<void>;
  /** Says something at the pace of speech; resolves when it is said. */
  say: (text: string, sec?: number) => Promise<void>;
  /** Makes a sound of 8 kHz. */
  sound: (samples: Int16Array) => Promise<void>;
  /** Resolves when the server has taken all that was sent so far. */
  taken: () => Promise<void>;
  /** Marks are not answered any more. */
  holdMarks: () => string[];
  readonly closed: Promise<number>;
  /** The page is left. */
  close: () => Promise<void>;
  /** The network is gone. */
  cut: () => Promise<void>;
};

export type PageOptions = {
  token: string;
  mode: 'chat' | 'voice';
  origin?: string | null;
  resume?: string;
  /** Whether it begins by itself, and waits until it is ready. */
  starts?: boolean;
  isMute?: boolean;
};

const SAMPLES = 320;

export async function openPage(
  url: string,
  speech: Pick<MediaSpeech, 'sentenceOf' | 'utter'>,
  { token, mode, origin, resume, starts = true, isMute }: PageOptions,
): Promise<Page> {
  const socket = new WebSocket(url, typeof origin === 'string' ? { origin } : {});
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const send = (frame: unknown): void =>
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const ears = createPlayer<number>((name) => send({ type: 'played', name }));
  const frames: Frame[] = [];
  const came: Page['came'] = [];
  const sent: Page['sent'] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      came.push({ at: monotonicMs(), bytes: data });
      return ears.play(byteIn(data));
    }
    const frame = JSON.parse(data.toString('utf8'));
    frames.push({ at: monotonicMs(), sentBefore: sent.length, ...frame });
    if (frame.type === 'mark') ears.mark(frame.name);
    else if (frame.type === 'clear') ears.clear();
  });
  await once(socket, 'open');
  addSocket(socket);
  const of: Page['of'] = (type) => frames.filter((frame) => frame.type === type);
  const gets: Page['gets'] = (type, like = {}) =>
    until(
      () => `${type} ${JSON.stringify(like)}, but there are ${JSON.stringify(frames)}`,
      () =>
        of(type).find((frame) =>
          Object.entries(like).every(([name, value]) => frame[name] === value),
        ),
    );
  if (starts) {
    send({ type: 'start', token, mode, ...(resume !== undefined && { resume }) });
    let closedBy: number | undefined;
    void closed.then((code) => (closedBy = code));
    await until('ready', () => closedBy !== undefined || of('ready').length > 0);
    if (of('ready').length === 0)
      throw new Error(`closed by ${closedBy}: ${JSON.stringify(frames)}`);
  }
  const mouth = createTalker<Int16Array>({
    silence: new Int16Array(SAMPLES),
    send: (samples) => {
      sent.push({ at: monotonicMs(), samples });
      socket.send(bytesOf(samples));
    },
    isOpen: () =>
      socket.readyState === socket.OPEN && mode === 'voice' && isMute !== true && starts,
  });
  void closed.then(mouth.stop);
  const names = (): string[] => ears.played().map((byte) => speech.sentenceOf(byte) ?? '');
  const heard = (): string[] =>
    names().filter((name, at, all) => name !== '' && name !== all[at - 1]);
  const hears = async (sentence: string): Promise<void> => {
    const what = () => `“${sentence}”, but heard ${JSON.stringify(heard())}`;
    await until(what, () => heard().includes(sentence));
  };
  return {
    frames,
    came,
    sent,
    of,
    gets,
    turns: () => {
      const byIndex = new Map(of('turn').map((turn) => [turn['index'], turn]));
      return [...byIndex.values()].map(
        ({ role, text, interrupted }) => `${role}: ${text}${interrupted ? ' (interrupted)' : ''}`,
      );
    },
    conversationId: () => of('ready')[0]!['conversation_id'],
    resume: () => of('ready')[0]!['resume'],
    send,
    sendBytes: (bytes) => socket.send(bytes),
    write: (text) => send({ type: 'message', text }),
    heard,
    framesOf: (sentence) => names().filter((name) => name === sentence).length,
    hears,
    heardWhole: async (sentence) => {
      await hears(sentence);
      await until(`the end of “${sentence}”`, () => ears.isDone());
    },
    say: (text, sec) => mouth.say(framesOf(speech.utter(text, sec))),
    sound: (samples) => mouth.say(framesOf(samples)),
    taken: async () => {
      const answered = once(socket, 'pong');
      socket.ping();
      await answered;
    },
    holdMarks: ears.holdMarks,
    get closed() {
      return meanwhile(closed);
    },
    close: async () => {
      socket.close(1000);
      await meanwhile(closed);
    },
    cut: async () => {
      socket.terminate();
      await meanwhile(closed);
    },
  };
}

/** The byte of the sentence that a frame is of. */
function byteIn(bytes: Buffer): number {
  if (bytes.length !== 2 * SAMPLES) throw new Error(`a frame of ${bytes.length} bytes`);
  // Each sentence is a level of its own; at its edges the filter of the resampler swings.
  return encodeMuLaw(Int16Array.of(bytes.readInt16LE(SAMPLES)))[0]!;
}

function framesOf(at8k: Int16Array): Int16Array[] {
  const up = createResampler({ from: 8_000, to: 16_000 });
  const samples = Int16Array.from([...up.push(at8k), ...up.end()]);
  return Array.from({ length: Math.ceil(samples.length / SAMPLES) }, (_, at) => {
    const frame = new Int16Array(SAMPLES);
    frame.set(samples.subarray(at * SAMPLES, (at + 1) * SAMPLES));
    return frame;
  });
}
