import { useCallback, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import './panel.css';

/**
 * Lays out a page with a panel beside its content: facts and actions on the right, in view while the content scrolls.
 * On narrow screens the panel is a line above the content, which opens.
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
  /** Whether the panel is open on narrow screens too, because it is short. */
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
 * The panel alone, for pages with a layout of their own. Cards inside it become its sections.
 * @param from width of the window from which the panel has a place beside the content
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
  return (
    <aside className="panel" aria-label={label}>
      {isWide ? (
        children
      ) : (
        <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
          <summary>{label}</summary>
          {children}
        </details>
      )}
    </aside>
  );
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
