import { clearTimeout, monotonicMs, setTimeout } from '../../src/clock.ts';
import { meanwhile } from './passing-time.ts';

/** Both ends of a line at the pace of the clock: a frame of 20 ms every 20 ms. */
export const FRAME_MS = 20;

export type Player<Frame> = {
  play: (frame: Frame) => void;
  /** Calls `echo` once everything before the mark was played. */
  mark: (name: string) => void;
  /** Drops unplayed frames. Returns the marks that were waiting. */
  clear: () => string[];
  /** Stops echoing marks and returns the list that collects them. */
  holdMarks: () => string[];
  played: () => Frame[];
  isDone: () => boolean;
};

export function createPlayer<Frame>(echo: (name: string) => void): Player<Frame> {
  let frames: { frame: Frame; endMs: number }[] = [];
  let endMs = 0;
  let held: string[] | undefined;
  const marks = new Map<string, NodeJS.Timeout>();
  const isPlayed = (one: { endMs: number }): boolean => one.endMs <= monotonicMs();
  return {
    play: (frame) => {
      endMs = Math.max(endMs, monotonicMs()) + FRAME_MS;
      frames.push({ frame, endMs });
    },
    mark: (name) => {
      if (held) {
        held.push(name);
        return;
      }
      const tell = (): void => {
        marks.delete(name);
        echo(name);
      };
      marks.set(name, setTimeout(tell, Math.max(0, endMs - monotonicMs())));
    },
    clear: () => {
      frames = frames.filter(isPlayed);
      endMs = 0;
      for (const timer of marks.values()) clearTimeout(timer);
      const names = [...marks.keys()];
      marks.clear();
      return names;
    },
    holdMarks: () => (held ??= []),
    played: () => frames.filter(isPlayed).map(({ frame }) => frame),
    isDone: () => isPlayed({ endMs }),
  };
}

export type Talker<Frame> = {
  /** Queues frames. Resolves when the last one is sent. */
  say: (frames: readonly Frame[]) => Promise<void>;
  stop: () => void;
};

/** Sends a frame every 20 ms while `isOpen`: queued speech, otherwise silence. */
export function createTalker<Frame>({
  silence,
  send,
  isOpen,
}: {
  silence: Frame;
  send: (frame: Frame) => void;
  isOpen: () => boolean;
}): Talker<Frame> {
  const queue: { frame: Frame; sent?: () => void }[] = [];
  const startMs = monotonicMs();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const talk = (): void => {
    for (; startMs + count * FRAME_MS <= monotonicMs(); count += 1) {
      if (!isOpen()) continue;
      const { frame, sent } = queue.shift() ?? { frame: silence };
      send(frame);
      sent?.();
    }
    timer = setTimeout(talk, startMs + count * FRAME_MS - monotonicMs());
  };
  talk();
  return {
    say: (frames) => {
      const said = Promise.withResolvers<void>();
      frames.forEach((frame, at) => {
        queue.push({ frame, ...(at === frames.length - 1 && { sent: said.resolve }) });
      });
      return meanwhile(said.promise);
    },
    stop: () => clearTimeout(timer),
  };
}
