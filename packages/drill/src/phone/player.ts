import { clearTimeout, monotonicMs, setTimeout } from '../../../../src/clock.ts';

/**
 * Other end of a line: plays frames one after the other at the pace of the clock, reports a mark when it comes to it, and
 * knows to the sample what had been played when a `clear` came.
 */
export type Player = {
  play: (bytes: Uint8Array) => void;
  mark: (name: string) => void;
  /** Drops what was not played. Marks that were waited for are told of at once, as Twilio does. */
  clear: () => void;
  isPlaying: () => boolean;
  /** When it falls silent, or fell; `monotonicMs()`. */
  endMs: () => number;
  /** When something began to play after silence, the latest. */
  begunMs: () => number;
  /** Sound that was played from one moment to another. */
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
