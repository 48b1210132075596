import { useCallback, useEffect, useRef, useState } from 'react';

/** Distance from the end in pixels that still counts as being at the end. */
const NEAR_PX = 96;

/**
 * Keeps the end of a growing list in view while the reader is at the end. Stops when the reader scrolls up, and resumes
 * when the reader returns. Works whether the page or a pane scrolls.
 * @param startsAtEnd scrolls to the end on the first render
 */
export function useStickToEnd(startsAtEnd: boolean): {
  list: React.RefObject<HTMLDivElement | null>;
  end: React.RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  toEnd: () => void;
} {
  const list = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const sticks = useRef(startsAtEnd);
  const [isAtEnd, setAtEnd] = useState(true);
  const toEnd = useCallback(() => {
    sticks.current = true;
    setAtEnd(true);
    end.current?.scrollIntoView({ block: 'end' });
  }, []);

  useEffect(() => {
    const [listed, mark] = [list.current, end.current];
    if (!listed || !mark) return undefined;
    let last = 0;
    const tell = (next: boolean): void => {
      sticks.current = next;
      setAtEnd(next);
    };
    const onScroll = ({ target }: Event): void => {
      if (!(target instanceof Node) || !target.contains(mark)) return;
      const at = target instanceof Element ? target.scrollTop : window.scrollY;
      const isUp = at < last;
      last = at;
      // Only the reader can have scrolled up, because new turns never cause an upward scroll.
      if (isUp && !isNear(mark)) tell(false);
      else if (isUp) sticks.current = false;
      else if (isNear(mark)) tell(true);
    };
    const onGrowth = (): void => {
      if (sticks.current) mark.scrollIntoView({ block: 'end' });
      else if (!isNear(mark)) setAtEnd(false);
    };
    const growth = new ResizeObserver(onGrowth);
    // Elements around the list can change their size too, so all of them are observed.
    for (let one: Element | null = listed; one; one = one.parentElement) growth.observe(one);
    document.addEventListener('scroll', onScroll, { capture: true, passive: true });
    return () => {
      growth.disconnect();
      document.removeEventListener('scroll', onScroll, { capture: true });
    };
  }, []);
  return { list, end, isAtEnd, toEnd };
}

function isNear(mark: HTMLElement): boolean {
  return mark.getBoundingClientRect().top < window.innerHeight + NEAR_PX;
}
