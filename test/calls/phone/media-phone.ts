import { once } from 'node:events';
import { WebSocket } from 'ws';
import { monotonicMs } from '../../../src/clock.ts';
import { decodeMuLaw, encodeMuLaw, MU_LAW_SILENCE } from '../../../src/voice/audio/mu-law.ts';
import { keysIn } from '../../voice/audio/keys-in.ts';
import { createPlayer, createTalker } from '../paced-sound.ts';
import { addSocket, meanwhile, until } from '../passing-time.ts';
import type { MediaSpeech } from './media-speech.ts';
import type { Verb } from './read-twiml.ts';
import type { Manner, Posted, StandIn } from './stand-in-carrier.ts';

/**
 * A person on the phone by Media Streams: sound in both directions at the pace of the clock, as a carrier transmits it.
 */
export type MediaPhone = {
  sid: string;
  /** Returns the sentences played so far, with `♪` for each key. Cleared sound is missing. */
  heard: () => string[];
  /** Returns the keys played so far. */
  keys: () => string;
  /** Returns how many frames of a sentence were played. */
  framesOf: (sentence: string) => number;
  /** Resolves when the sentence begins. `heardWhole` resolves when it was played completely. */
  hears: (sentence: string) => Promise<void>;
  heardWhole: (sentence: string) => Promise<void>;
  /** Says something at the pace of speech. Resolves when it is said. */
  say: (text: string, sec?: number) => Promise<void>;
  /** Plays a sound of 8 kHz. Resolves at its end. */
  sound: (samples: Int16Array) => Promise<void>;
  press: (digit: string) => void;
  send: (frame: unknown) => void;
  /** Frames received, with the time in `monotonicMs()` and the number of frames of sound sent before. */
  came: {
    at: number;
    sentBefore: number;
    event: string;
    name: string | undefined;
    isSound: boolean;
  }[];
  /** Frames of sound that were sent. */
  sent: { at: number; bytes: Uint8Array }[];
  /** Frames as received. */
  raw: object[];
  /** Resolves with the code once the socket is closed. */
  readonly closed: Promise<number>;
  hangUp: () => Promise<Posted>;
  /** Resolves after the server has closed the stream, with its next instructions for the carrier. */
  handedOff: () => Promise<Posted>;
  cut: () => Promise<Posted>;
};

const BYTES = 160;
const SILENCE: Uint8Array = new Uint8Array(BYTES).fill(MU_LAW_SILENCE);
/** Limit of quiet sound, for a byte without its sign. Sound from this value on is softer than 1/400 of the loudest. */
const MU_LAW_QUIET = 0x75;
/** Level of frames that belong to no sentence. */
const NO_LEVEL = -1;

/** `anySize` accepts frames of other lengths than 20 ms, as other programs send them. */
export type MediaPhoneOptions = { start?: object; isMute?: boolean; anySize?: boolean };

/** Calls the number, and opens the stream that the answer requests. */
export async function callByMedia(
  carrier: StandIn,
  speech: Pick<MediaSpeech, 'sentenceOf' | 'utter'>,
  number: string,
  options: MediaPhoneOptions = {},
): Promise<MediaPhone> {
  const { sid, verbs } = await carrier.ring(number);
  return connectMediaPhone(carrier, speech, { sid, verbs, ...options });
}

export async function connectMediaPhone(
  carrier: Pick<StandIn, 'post'> & { manner: Pick<Manner, 'account' | 'wire'> },
  speech: Pick<MediaSpeech, 'sentenceOf' | 'utter'>,
  {
    sid,
    verbs,
    start,
    isMute,
    anySize,
  }: { sid: string; verbs: readonly Verb[] } & MediaPhoneOptions,
): Promise<MediaPhone> {
  const { wire } = carrier.manner;
  const [connect] = verbs;
  const [stream] = connect?.inside ?? [];
  if (connect?.name !== 'Connect' || stream?.name !== 'Stream') {
    throw new Error(`the answer opens no stream: ${JSON.stringify(verbs)}`);
  }
  const socket = new WebSocket(stream.attributes['url']!);
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const send = (frame: unknown): void =>
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const ears = createPlayer<Sound>((name) => send(wire.mark(name)));
  const came: MediaPhone['came'] = [];
  const sent: MediaPhone['sent'] = [];
  const raw: object[] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString('utf8'));
    raw.push(frame);
    const bytes = Buffer.from(frame.media?.payload ?? '', 'base64');
    const isSound = bytes.some((byte) => (byte & 0x7f) < MU_LAW_QUIET);
    came.push({
      at: monotonicMs(),
      sentBefore: sent.length,
      event: frame.event,
      name: frame.mark?.name,
      isSound,
    });
    if (frame.event === 'media')
      for (const one of framesIn(bytes, anySize)) ears.play(soundIn(one));
    else if (frame.event === 'mark') ears.mark(frame.mark.name);
    // A clear also echoes the marks that it drops, immediately.
    else if (frame.event === 'clear') for (const name of ears.clear()) send(wire.mark(name));
  });
  await once(socket, 'open');
  addSocket(socket);
  const parameters = Object.fromEntries(
    stream.inside.map(({ attributes }) => [attributes['name'], attributes['value']]),
  );
  send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  send(wire.start({ sid, parameters, over: start }));
  const mouth = createTalker({
    silence: SILENCE,
    send: (bytes) => {
      sent.push({ at: monotonicMs(), bytes });
      send(wire.media(sent.length, Buffer.from(bytes).toString('base64')));
    },
    isOpen: () => socket.readyState === socket.OPEN && isMute !== true,
  });
  void closed.then(mouth.stop);
  const played = (): number[] => ears.played().map(({ byte }) => byte);
  const heard = (): string[] =>
    played()
      .filter((byte, at, all) => byte !== MU_LAW_SILENCE && byte !== all[at - 1])
      .map((byte) => (byte === NO_LEVEL ? '♪' : (speech.sentenceOf(byte) ?? `a byte ${byte}`)));
  const framesHeard = (sentence: string): number =>
    played().filter((byte) => speech.sentenceOf(byte) === sentence).length;
  const hears = async (sentence: string): Promise<void> => {
    const what = () => `“${sentence}”, but heard ${JSON.stringify(heard())}`;
    await until(what, () => heard().includes(sentence));
  };
  const tell = (CallStatus: string): Promise<Posted> =>
    carrier.post(connect.attributes['action']!, {
      AccountSid: carrier.manner.account,
      CallSid: sid,
      CallStatus,
    });
  return {
    sid,
    came,
    raw,
    sent,
    get closed() {
      return meanwhile(closed);
    },
    send,
    heard,
    keys: () => keysIn(decodeMuLaw(Buffer.concat(ears.played().map(({ bytes }) => bytes))), 8_000),
    framesOf: framesHeard,
    hears,
    heardWhole: async (sentence) => {
      await hears(sentence);
      await until(`the end of “${sentence}”`, () => ears.isDone());
    },
    say: (text, sec) => mouth.say(framesOf(speech.utter(text, sec))),
    sound: (samples) => mouth.say(framesOf(samples)),
    press: (digit) => send(wire.dtmf(digit)),
    hangUp: async () => {
      send(wire.stop(sid));
      socket.close();
      await meanwhile(closed);
      return tell('completed');
    },
    handedOff: async () => {
      await meanwhile(closed);
      return tell('in-progress');
    },
    cut: async () => {
      socket.terminate();
      await meanwhile(closed);
      return tell('in-progress');
    },
  };
}

function framesIn(bytes: Buffer, anySize = false): Buffer[] {
  if (!anySize) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / BYTES) }, (_, at) =>
    Buffer.concat([bytes.subarray(at * BYTES, (at + 1) * BYTES)], BYTES),
  );
}

type Sound = { byte: number; bytes: Buffer };

/** Returns a frame and the byte of its sentence. */
function soundIn(bytes: Buffer): Sound {
  if (bytes.length !== BYTES) throw new Error(`a frame of ${bytes.length} bytes`);
  // A sentence has one level, and silence where it broke off.
  const levels = new Set(bytes);
  if (levels.size > 1) levels.delete(MU_LAW_SILENCE);
  const [byte = 0] = levels;
  return { byte: levels.size === 1 ? byte : NO_LEVEL, bytes };
}

function framesOf(samples: Int16Array): Uint8Array[] {
  const bytes = encodeMuLaw(samples);
  return Array.from({ length: Math.ceil(bytes.length / BYTES) }, (_, at) => {
    const frame = new Uint8Array(SILENCE);
    frame.set(bytes.subarray(at * BYTES, (at + 1) * BYTES));
    return frame;
  });
}
