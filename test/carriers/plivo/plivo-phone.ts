import { once } from 'node:events';
import { WebSocket } from 'ws';
import { encodeMuLaw, MU_LAW_SILENCE } from '../../../src/voice/audio/mu-law.ts';
import type { MediaSpeech } from '../../calls/phone/media-speech.ts';
import type { Verb } from '../../calls/phone/read-twiml.ts';
import { createPlayer, createTalker } from '../../calls/paced-sound.ts';
import { addSocket, meanwhile, until } from '../../calls/passing-time.ts';
import { AUTH_ID, type Posted, type StandInPlivo } from './stand-in-plivo.ts';

/** A person on the phone, whose sound Plivo transmits over the stream that an answer requests. */
export type PlivoPhone = {
  id: string;
  /** Returns the sentences played so far. */
  heard: () => string[];
  /** Resolves when the sentence begins. `heardWhole` resolves when it was played completely. */
  hears: (sentence: string) => Promise<void>;
  heardWhole: (sentence: string) => Promise<void>;
  /** Says something at the pace of speech; resolves at the end. */
  say: (text: string, sec?: number) => Promise<void>;
  press: (digit: string) => void;
  /** Frames as received. */
  raw: Record<string, unknown>[];
  protocol: string;
  readonly closed: Promise<number>;
  /** Hangs up: the stream ends, and Plivo reports the end to this address. */
  hangUp: (hangupUrl: string) => Promise<Posted>;
  /**
   * Executes the XML after the stream. `cut` first breaks the stream; `redirected` waits until the server closes it.
   */
  cut: () => Promise<Posted>;
  redirected: () => Promise<Posted>;
};

const BYTES = 160;
const SILENCE: Uint8Array = new Uint8Array(BYTES).fill(MU_LAW_SILENCE);

type Deps = {
  plivo: StandInPlivo;
  speech: MediaSpeech;
  id: string;
  verbs: readonly Verb[];
  /** Fields that all forms of this call have. */
  form: Record<string, string>;
  /** Replaces members of the frame `start`. */
  start?: object;
};

export async function connectPlivoPhone({
  plivo,
  speech,
  id,
  verbs,
  form,
  start,
}: Deps): Promise<PlivoPhone> {
  const [stream, redirect] = verbs;
  if (stream?.name !== 'Stream' || redirect?.name !== 'Redirect')
    throw new Error(`the answer opens no stream: ${JSON.stringify(verbs)}`);
  // Plivo asks for a subprotocol, and hangs up if the server does not choose it.
  const socket = new WebSocket(stream.text, ['audio.plivo.com']);
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const streamId = '20170ada-f610-433b-8758-c02a2aab3662';
  let sequenceNumber = 0;
  const send = (frame: object): void => {
    sequenceNumber += 1;
    socket.send(JSON.stringify({ sequenceNumber, ...frame }));
  };
  const player = createPlayer<Buffer>((name) => send({ event: 'playedStream', streamId, name }));
  const raw: PlivoPhone['raw'] = [];
  socket.on('message', (data: Buffer) => {
    const frame = JSON.parse(data.toString('utf8'));
    raw.push(frame);
    if (frame.event === 'playAudio') player.play(Buffer.from(frame.media.payload, 'base64'));
    else if (frame.event === 'checkpoint') player.mark(frame.name);
    else if (frame.event === 'clearAudio') {
      // Plivo never reaches checkpoints in sound that it drops.
      player.clear();
      send({ event: 'clearedAudio', streamId });
    }
  });
  await once(socket, 'open');
  addSocket(socket);
  const extra_headers = (stream.attributes['extraHeaders'] ?? '').replaceAll(',', ';');
  send({
    event: 'start',
    start: {
      callId: id,
      streamId,
      accountId: AUTH_ID,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 },
    },
    extra_headers,
    ...start,
  });
  let chunk = 0;
  const mouth = createTalker({
    silence: SILENCE,
    isOpen: () => socket.readyState === socket.OPEN,
    send: (bytes) => {
      chunk += 1;
      const payload = Buffer.from(bytes).toString('base64');
      const timestamp = String(1_705_312_200_000 + chunk * 20);
      send({ event: 'media', streamId, media: { track: 'inbound', timestamp, chunk, payload } });
    },
  });
  void closed.then(mouth.stop);
  const heard = (): string[] =>
    player
      .played()
      .map((bytes) => speech.sentenceOf(bytes.find((byte) => byte !== MU_LAW_SILENCE) ?? 0xff))
      .filter(
        (sentence, at, all) => sentence !== undefined && sentence !== all[at - 1],
      ) as string[];
  const hears = async (sentence: string): Promise<void> => {
    await until(
      () => `“${sentence}”, but heard ${JSON.stringify(heard())}`,
      () => heard().includes(sentence),
    );
  };
  const redirected = async (): Promise<Posted> => {
    await meanwhile(closed);
    return plivo.post(redirect.text, { ...form, Event: 'Redirect', CallStatus: 'in-progress' });
  };
  return {
    id,
    heard,
    hears,
    heardWhole: async (sentence) => {
      await hears(sentence);
      await until(`the end of “${sentence}”`, () => player.isDone());
    },
    say: (text, sec) => mouth.say(framesOf(speech.utter(text, sec))),
    press: (digit) => send({ event: 'dtmf', streamId, dtmf: { track: 'inbound', digit } }),
    raw,
    protocol: socket.protocol,
    get closed() {
      return meanwhile(closed);
    },
    hangUp: async (hangupUrl) => {
      socket.close();
      await meanwhile(closed);
      const over = { Event: 'Hangup', CallStatus: 'completed', HangupCause: 'NORMAL_CLEARING' };
      return plivo.post(hangupUrl, { ...form, ...over });
    },
    cut: () => {
      socket.terminate();
      return redirected();
    },
    redirected,
  };
}

function framesOf(samples: Int16Array): Uint8Array[] {
  const bytes = encodeMuLaw(samples);
  return Array.from({ length: Math.ceil(bytes.length / BYTES) }, (_, at) => {
    const frame = new Uint8Array(SILENCE);
    frame.set(bytes.subarray(at * BYTES, (at + 1) * BYTES));
    return frame;
  });
}
