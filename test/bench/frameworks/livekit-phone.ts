import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createTalker } from '../../../packages/drill/src/phone/talker.ts';
import { decodeMuLaw, encodeMuLaw } from '../../../src/voice/audio/mu-law.ts';
import { FRAME_MS } from '../../../src/voice/audio/pacer.ts';
import { heardIn, type Came } from '../calls/converse.ts';
import { UTTERANCE, type Speech } from './speech.ts';
import type { Call } from './contender.ts';
import type { Installed } from './install.ts';

/** Of `@livekit/rtc-node`, which is installed elsewhere, what is used. */
type Rtc = {
  Room: new () => {
    localParticipant?: { publishTrack: (track: object, options: object) => Promise<unknown> };
    on: (event: 'trackSubscribed', hear: (track: object) => void) => void;
    connect: (url: string, token: string) => Promise<void>;
    disconnect: () => Promise<void>;
  };
  AudioSource: new (
    rate: number,
    channels: number,
    queueMs: number,
  ) => { captureFrame: (frame: object) => Promise<void> };
  AudioFrame: new (data: Int16Array, rate: number, channels: number, samples: number) => object;
  AudioStream: new (track: object, options: object) => AsyncIterable<{ data: Int16Array }>;
  LocalAudioTrack: { createAudioTrack: (name: string, source: object) => object };
  TrackPublishOptions: new (options: object) => object;
  TrackSource: { SOURCE_MICROPHONE: number };
  /** Ends what would keep the process alive. */
  dispose: () => Promise<void>;
};

const RATE = 8_000;
/** 10 ms: what it takes without a queue, which would make it late. */
const PIECE = RATE / 100;
/** Softer than that is silence: of 32,767. */
const QUIET = 80;
/** Nobody orders a caller to be silent here: the sound just ends. Pauses of the voice are shorter. */
const ENDED_MS = 250;
const TOKEN_SEC = 3_600;

/** Telephones that call by WebRTC, as the framework's own gateway to telephones does. */
export function createLivekitPhones(
  { modules }: Installed,
  server: { url: string; key: { id: string; secret: string } },
) {
  process.env['NODE_ENV'] = 'production'; // It logs every step otherwise.
  const rtc = createRequire(path.join(modules, 'x.js'))('@livekit/rtc-node') as Rtc;
  let rooms = 0;
  return {
    stop: rtc.dispose,
    call: async (speech: Speech, caller: number): Promise<Call> => {
      // A room for each call; the agent takes its caller from its name.
      rooms += 1;
      const phone = await connect(rtc, server, `${caller}-${rooms}`);
      return {
        voice: {
          heard: heardIn(phone.came),
          // When its last frame went, as of the other phones.
          ask: async () => (await phone.say(UTTERANCE)).toMs - FRAME_MS,
          interrupt: () => phone.say(UTTERANCE),
          askedAfter: (endMs) => speech.askedAfter(caller, endMs),
        },
        hangUp: phone.hangUp,
      };
    },
  };
}

async function connect(
  rtc: Rtc,
  { url, key }: Parameters<typeof createLivekitPhones>[1],
  name: string,
) {
  const room = new rtc.Room();
  const came: Came[] = [];
  room.on('trackSubscribed', (track) => void listen(rtc, track, came));
  await room.connect(url, tokenFor(key, name));
  const source = new rtc.AudioSource(RATE, 1, 0);
  const options = new rtc.TrackPublishOptions({ source: rtc.TrackSource.SOURCE_MICROPHONE });
  const track = rtc.LocalAudioTrack.createAudioTrack('telephone', source);
  await room.localParticipant!.publishTrack(track, options);
  // One after the other, as it asks for; what it refuses is lost, as on a line.
  let sent = Promise.resolve();
  const talker = createTalker((bytes) => {
    const samples = decodeMuLaw(bytes);
    for (let at = 0; at < samples.length; at += PIECE) {
      const frame = new rtc.AudioFrame(samples.slice(at, at + PIECE), RATE, 1, PIECE);
      sent = sent.then(() => source.captureFrame(frame)).catch(() => undefined);
    }
  });
  return {
    came,
    say: (sound: Int16Array) => talker.say(encodeMuLaw(sound)),
    hangUp: async () => {
      talker.stop();
      await room.disconnect();
    },
  };
}

/** Frames of sound, and `clear` where it ended, once it is known that it did. */
async function listen(rtc: Rtc, track: object, came: Came[]): Promise<void> {
  let lastMs: number | undefined;
  for await (const { data } of new rtc.AudioStream(track, { sampleRate: RATE, frameSizeMs: 20 })) {
    const at = performance.now();
    if (data.some((sample) => Math.abs(sample) >= QUIET)) {
      lastMs = at;
      came.push({ at, event: 'media', isSound: true });
    } else if (lastMs !== undefined && at - lastMs > ENDED_MS) {
      came.push({ at: lastMs, event: 'clear', isSound: false });
      lastMs = undefined;
    }
  }
}

/** A JSON Web Token of HS256 that lets somebody into a room. */
function tokenFor(key: { id: string; secret: string }, room: string): string {
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: key.id,
    sub: 'caller',
    nbf: now - 10,
    exp: now + TOKEN_SEC,
    video: { room, roomJoin: true },
  };
  const signed = [{ alg: 'HS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', key.secret).update(signed).digest('base64url')}`;
}
