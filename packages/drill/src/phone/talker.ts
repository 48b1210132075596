import { clearInterval, monotonicMs, setInterval } from '../../../../src/clock.ts';
import { MU_LAW_SILENCE } from '../../../../src/voice/audio/mu-law.ts';
import { FRAME_MS } from '../../../../src/voice/audio/pacer.ts';

/** The caller's microphone. It sends a frame every 20 ms, with speech or silence. */
export type Talker = {
  /** Sends audio. After the last frame, resolves to the `monotonicMs()` times at which the audio began and ended. */
  say: (sound: Uint8Array) => Promise<{ fromMs: number; toMs: number }>;
  stop: () => void;
};

/** Sends a frame. `at` is its index in the stream, starting at 0. */
export type SendFrame = (bytes: Uint8Array, at: number) => void;

const BYTES = 160;
const TICK_MS = 5;
const SILENCE = new Uint8Array(BYTES).fill(MU_LAW_SILENCE);

type Queued = { bytes: Uint8Array; sent?: (atMs: number) => void };

export function createTalker(send: SendFrame): Talker {
  const queue: Queued[] = [];
  const startMs = monotonicMs();
  let count = 0;
  const timer = setInterval(() => {
    // The number of frames to send is computed from the clock, so that a late timer also sends the frames that are
    // overdue.
    while (startMs + count * FRAME_MS <= monotonicMs()) {
      const { bytes, sent } = queue.shift() ?? { bytes: SILENCE };
      send(bytes, count);
      count += 1;
      sent?.(monotonicMs());
    }
  }, TICK_MS);
  return {
    say: async (sound) => {
      const first = Promise.withResolvers<number>();
      const last = Promise.withResolvers<number>();
      const frames = framesOf(sound);
      frames.forEach((bytes, at) => {
        const isLast = at === frames.length - 1;
        const sent = (ms: number): void => {
          if (at === 0) first.resolve(ms);
          if (isLast) last.resolve(ms + FRAME_MS);
        };
        queue.push({ bytes, ...((at === 0 || isLast) && { sent }) });
      });
      return { fromMs: await first.promise, toMs: await last.promise };
    },
    stop: () => clearInterval(timer),
  };
}

function framesOf(sound: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(sound.length / BYTES) }, (_, at) => {
    const frame = new Uint8Array(BYTES).fill(MU_LAW_SILENCE);
    frame.set(sound.subarray(at * BYTES, (at + 1) * BYTES));
    return frame;
  });
}
