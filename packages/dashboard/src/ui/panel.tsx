import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import './panel.css';

/**
 * Lays out a page with a panel beside its content. The panel contains details and actions, and stays in view while the
 * content scrolls. On narrow screens, it is above the content, and only its title is shown until somebody expands it.
 */
export function WithPanel({
  label,
  panel,
  startsOpen,
  children,
}: {
  /** Title of the panel, such as “About this conversation”. */
  label: string;
  panel: ReactNode;
  /** Whether the panel starts open on narrow screens too. Set it for short panels. */
  startsOpen?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="with-panel">
      <div className="with-panel-content stack">{children}</div>
      <Panel label={label} startsOpen={startsOpen}>
        {panel}
      </Panel>
    </div>
  );
}

/**
 * The panel alone, for pages with their own layout. Cards inside it become its sections.
 * @param from minimum width of the window at which the panel is beside the content
 */
export function Panel({
  label,
  from = '75rem',
  startsOpen = false,
  children,
}: {
  label: string;
  from?: string;
  startsOpen?: boolean | undefined;
  children: ReactNode;
}) {
  const isWide = useMedia(`(min-width: ${from})`);
  const [isOpen, setIsOpen] = useState(startsOpen);
  const place = useRef<HTMLElement>(null);
  const isScrollable = useIsScrollable(place);
  return (
    <aside
      ref={place}
      className={isWide ? 'panel' : 'panel panel-narrow'}
      aria-label={label}
      tabIndex={isScrollable ? 0 : undefined}
    >
      {/* Renders the same elements at every width, so that a form keeps its values when the window is resized. */}
      <details
        open={isWide || isOpen}
        onToggle={({ currentTarget }) => {
          if (!isWide) setIsOpen(currentTarget.open);
        }}
      >
        <summary>{label}</summary>
        {children}
      </details>
    </aside>
  );
}

/**
 * Returns true if the content is taller than the element. Keyboard users can scroll such an element only if it is
 * focusable.
 */
function useIsScrollable(place: React.RefObject<HTMLElement | null>): boolean {
  const [isScrollable, setIsScrollable] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      setIsScrollable(element.scrollHeight > element.clientHeight);
    });
    for (const one of [element, ...element.children]) observer.observe(one);
    return () => observer.disconnect();
  }, [place]);
  return isScrollable;
}

function useMedia(query: string): boolean {
  const media = useMemo(() => window.matchMedia(query), [query]);
  const subscribe = useCallback(
    (listener: () => void) => {
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [media],
  );
  return useSyncExternalStore(subscribe, () => media.matches);
}
