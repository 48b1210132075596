import { useCallback, useEffect, useRef, useState } from 'react';
import { useLiveEvents } from '../../../data/live-context.ts';
import { isMeant } from '../../../data/events.ts';
import type { LiveEvent } from '../../../data/live.ts';

/**
 * Maximum number of events to keep. Older events are dropped, so that the memory use of an open page stays constant.
 */
export const KEPT_MAX = 500;
/** Minimum interval in ms between renders. Fifty events per second cause only ten renders. */
const TOGETHER_MS = 100;

type Feed = {
  /** Events, newest first. */
  events: readonly LiveEvent[];
  isPaused: boolean;
  /** Number of events received since the pause, up to `KEPT_MAX`. */
  waiting: number;
  pause: () => void;
  resume: () => void;
  clear: () => void;
};

/** Collects live events of one type, or of all types, and lists them above the events in `before`. */
export function useEventFeed(type: string | undefined, before: readonly LiveEvent[]): Feed {
  const [shown, setShown] = useState<readonly LiveEvent[]>([]);
  const [isCleared, setIsCleared] = useState(false);
  const [isPaused, setIsPaused] = useState(false);
  const [waiting, setWaiting] = useState(0);
  /** Events that were received but not rendered yet, oldest first. */
  const arrived = useRef<LiveEvent[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const frame = useRef(0);

  const draw = useCallback(() => {
    timer.current = undefined;
    frame.current = requestAnimationFrame(() => {
      const fresh = arrived.current.splice(0).toReversed();
      setShown((old) => [...fresh, ...old].slice(0, KEPT_MAX));
    });
  }, []);

  useLiveEvents((event) => {
    if (type !== undefined && !isMeant([type], event.type)) return;
    arrived.current.push(event);
    if (arrived.current.length > KEPT_MAX) arrived.current.shift();
    if (isPaused) setWaiting(arrived.current.length);
    else timer.current ??= setTimeout(draw, TOGETHER_MS);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      cancelAnimationFrame(frame.current);
    },
    [],
  );

  const known = new Set(shown.map(({ id }) => id));
  const older = isCleared ? [] : before.filter(({ id }) => !known.has(id));
  return {
    events: [...shown, ...older].slice(0, KEPT_MAX),
    isPaused,
    waiting,
    pause: () => setIsPaused(true),
    resume: () => {
      setIsPaused(false);
      setWaiting(0);
      draw();
    },
    clear: () => {
      arrived.current = [];
      setShown([]);
      setWaiting(0);
      setIsCleared(true);
    },
  };
}
