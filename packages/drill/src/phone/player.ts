import { clearTimeout, monotonicMs, setTimeout } from '../../../../src/clock.ts';

/**
 * Player at the caller's end of a call. It plays frames in real time, and sends back each `mark` frame when playback
 * reaches it. When a `clear` frame arrives, the player stops and can return exactly the audio that it has played.
 */
export type Player = {
  play: (bytes: Uint8Array) => void;
  mark: (name: string) => void;
  /** Drops the audio that has not been played yet. Reports pending marks immediately, as Twilio does. */
  clear: () => void;
  isPlaying: () => boolean;
  /** Returns the `monotonicMs()` time at which playback ends or ended. */
  endMs: () => number;
  /** Returns the `monotonicMs()` time at which playback last began after silence. */
  begunMs: () => number;
  /** Returns the audio that was played between two `monotonicMs()` times. */
  between: (fromMs: number, toMs: number) => Uint8Array;
};

type Played = { startMs: number; bytes: Uint8Array };
const BYTES_PER_MS = 8;

export function createPlayer(tellMark: (name: string) => void): Player {
  let frames: Played[] = [];
  const marks = new Map<string, NodeJS.Timeout>();
  let endMs = 0;
  let begunMs = 0;
  const tell = (name: string): void => {
    marks.delete(name);
    tellMark(name);
  };
  return {
    play: (bytes) => {
      const now = monotonicMs();
      if (endMs <= now) begunMs = now;
      const startMs = Math.max(endMs, now);
      frames.push({ startMs, bytes });
      endMs = startMs + bytes.length / BYTES_PER_MS;
    },
    mark: (name) => {
      const wait = Math.max(0, endMs - monotonicMs());
      const timer = setTimeout(() => tell(name), wait);
      marks.set(name, timer);
    },
    clear: () => {
      const now = monotonicMs();
      frames = frames.filter(({ startMs }) => startMs < now);
      const last = frames.at(-1);
      if (last && endMs > now) {
        last.bytes = last.bytes.subarray(0, Math.floor((now - last.startMs) * BYTES_PER_MS));
      }
      endMs = Math.min(endMs, now);
      for (const [name, timer] of marks) {
        clearTimeout(timer);
        tell(name);
      }
    },
    isPlaying: () => endMs > monotonicMs(),
    endMs: () => endMs,
    begunMs: () => begunMs,
    between: (fromMs, toMs) =>
      Buffer.concat(
        frames
          .filter(({ startMs }) => startMs >= fromMs && startMs < toMs)
          .map(({ bytes }) => bytes),
      ),
  };
}
