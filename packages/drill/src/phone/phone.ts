import { delay, monotonicMs } from '../../../../src/clock.ts';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { FRAME_MS } from '../../../../src/voice/audio/pacer.ts';
import type { Answer, Carrier } from '../carrier.ts';
import { createPlayer, type Player } from './player.ts';
import { createTalker } from './talker.ts';

/** A simulated caller's telephone, connected through Media Streams. Times come from `monotonicMs()`. */
export type Phone = {
  sid: string;
  /** Plays audio into the call. When the audio has ended, resolves to the times at which it began and ended. */
  say: (sound: Uint8Array) => Promise<{ fromMs: number; toMs: number }>;
  press: (keys: string) => void;
  player: Player;
  /** Returns all frames received since `sinceMs`. */
  came: (sinceMs: number) => readonly Came[];
  /** Returns how many times the stream was reopened after a broken connection. */
  reconnects: () => number;
  /** Returns why the call ended unexpectedly, or undefined if it is in progress or the caller hung up. */
  dropped: () => string | undefined;
  hangUp: () => Promise<void>;
  /** Breaks the socket, as a network failure would. The carrier then opens a new socket. */
  cut: () => void;
};

/** A received frame. `isSound` is true for a media frame whose audio is not silent. */
export type Came = { atMs: number; event: string; isSound: boolean };

const Incoming = z.object({
  event: z.string(),
  media: z.object({ payload: z.string() }).optional(),
  mark: z.object({ name: z.string() }).optional(),
});

type Deps = {
  carrier: Carrier;
  /** URL at which the drill reaches Parley (`url`), and the base URL that Parley uses in its responses (`baseUrl`). */
  url: string;
  baseUrl: string;
  account: string;
};

/** Largest µ-law magnitude that counts as line noise. */
const QUIET = 8;
const OPEN_MS = 10_000;
/**
 * Delay in ms before the stream is reopened. Twilio reopens it immediately, but callers cannot hear a difference this
 * small.
 */
const AGAIN_MS = 250;

/**
 * Calls Parley and opens the stream that the response specifies.
 * @throws Error if the response does not specify a stream
 */
export async function callUp(deps: Deps): Promise<Phone> {
  const { carrier } = deps;
  const { sid, answer } = await carrier.ring();
  const came: Came[] = [];
  let current: Stream | undefined;
  /** Number of attempts to open a stream (`streams`), and number of successful attempts (`opened`). */
  let opened = 0;
  let streams = 0;
  let isOver = false;
  let dropped: string | undefined;
  let last = answer;

  const player = createPlayer((name) => current?.send({ event: 'mark', mark: { name } }));
  const talker = createTalker((bytes) => current?.sound(bytes));

  const take = createTaker(player, came);

  async function connect(): Promise<void> {
    if (!last.stream) {
      throw new Error(`the call was answered with ${last.verbs || 'nothing'} instead of a stream`);
    }
    streams += 1;
    const about = { ...deps, sid, streamSid: `MZ${sid.slice(2)}${streams}`, answer: last };
    current = await openStream(about, last.stream, take, (code) => void closed(code));
    opened += 1;
  }

  /**
   * Handles a closed socket: asks Parley for further instructions, as a carrier does, unless the caller has hung up.
   */
  async function closed(code: number): Promise<void> {
    current = undefined;
    if (isOver) return;
    player.clear();
    try {
      await delay(AGAIN_MS);
      last = await carrier.streamOver(sid, last, true);
      if (last.stream) return await connect();
      dropped = `the socket was closed with code ${code}, and the next instructions were ${last.verbs || 'empty'}`;
    } catch (error) {
      dropped = `the socket was closed with code ${code}, and reconnecting failed: ${String(error)}`;
    }
    talker.stop();
    isOver = true;
    await carrier.tellStatus(sid).catch(() => undefined);
  }

  await connect().catch((error: unknown) => {
    talker.stop();
    throw error;
  });
  return {
    sid,
    say: talker.say,
    player,
    press: (keys) => {
      for (const digit of keys) {
        current?.send({ event: 'dtmf', dtmf: { track: 'inbound_track', digit } });
      }
    },
    came: (sinceMs) => came.filter(({ atMs }) => atMs >= sinceMs),
    reconnects: () => opened - 1,
    dropped: () => dropped,
    hangUp: async () => {
      talker.stop();
      if (isOver) return;
      isOver = true;
      await current?.stop();
      await carrier.streamOver(sid, last, false);
      await carrier.tellStatus(sid);
    },
    cut: () => current?.cut(),
  };
}

/** Creates a handler that records received frames and passes them on to the player. */
function createTaker(player: Player, came: Came[]): (text: string) => void {
  return (text) => {
    const { event, media, mark } = Incoming.parse(JSON.parse(text));
    const bytes = media ? Buffer.from(media.payload, 'base64') : undefined;
    const isSound = bytes !== undefined && bytes.some((byte) => (byte & 0x7f) < 0x7f - QUIET);
    came.push({ atMs: monotonicMs(), event, isSound });
    if (bytes) player.play(bytes);
    else if (mark) player.mark(mark.name);
    else if (event === 'clear') player.clear();
  };
}

type Stream = {
  send: (frame: object) => void;
  sound: (bytes: Uint8Array) => void;
  stop: () => Promise<void>;
  cut: () => void;
};

async function openStream(
  about: Deps & { sid: string; streamSid: string },
  { url, parameters }: NonNullable<Answer['stream']>,
  onFrame: (text: string) => void,
  onClose: (code: number) => void,
): Promise<Stream> {
  const { account, baseUrl, sid: callSid, streamSid } = about;
  // The stream's URL begins with the public base URL, which a drill inside the cluster may be unable to reach. This
  // part is replaced with the base URL that the drill can reach.
  const named = baseUrl.replace(/^http/, 'ws');
  const reached = url.startsWith(named)
    ? about.url.replace(/^http/, 'ws') + url.slice(named.length)
    : url;
  const socket = new WebSocket(reached, { perMessageDeflate: false, handshakeTimeout: OPEN_MS });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => undefined); // Errors need no handling here, because a `close` event follows each of them.
  const over = new Promise<number>((resolve) => socket.once('close', resolve));
  void over.then(onClose);
  // The cast is safe: by default, the library delivers each message as one buffer.
  socket.on('message', (data) => onFrame((data as Buffer).toString('utf8')));
  let sequence = 0;
  let count = 0;
  const send = (frame: object): void => {
    sequence += 1;
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ sequenceNumber: String(sequence), streamSid, ...frame }));
  };
  send({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 };
  const start = { streamSid, callSid, accountSid: account, tracks: ['inbound'], mediaFormat };
  send({ event: 'start', start: { ...start, customParameters: parameters } });
  return {
    send,
    sound: (bytes) => {
      const payload = Buffer.from(bytes).toString('base64');
      count += 1;
      const timestamp = String((count - 1) * FRAME_MS);
      send({
        event: 'media',
        media: { track: 'inbound', chunk: String(count), timestamp, payload },
      });
    },
    stop: async () => {
      send({ event: 'stop', stop: { accountSid: account, callSid } });
      socket.close();
      await over;
    },
    cut: () => socket.terminate(),
  };
}
