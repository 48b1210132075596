import {
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
} from 'react';
import { Link } from '@tanstack/react-router';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { List } from '../data/use-list.ts';
import { TroubleNote } from './trouble.tsx';
import './table.css';

export type Column<Row> = {
  /** Title of the column. */
  name: string;
  cell: (row: Row) => ReactNode;
  /** A CSS width. Defaults to an equal share. */
  width?: string;
  align?: 'end';
  /** Whether the column is hidden on narrow screens; `very` also hides it on screens of medium width. */
  isWide?: boolean | 'very';
  /** Content below the link of the first column. */
  below?: (row: Row) => ReactNode;
  /** Present if the list is sorted by this column. The heading is a button that reverses the order. */
  order?: { isOldestFirst: boolean; reverse: () => void };
};

const ROW_PX = 44;
const SKELETONS = 6;

/**
 * Shows a list in all its states: loading, empty (`empty` explains what to do) and failed. Renders only the visible
 * rows, so that 100,000 rows are as fast as ten, and loads more on scrolling. The first column of a row links to
 * `href`, which may end with a fragment. The arrow keys, j and k move between rows.
 */
export function Table<Row extends { id: string }>({
  label,
  list,
  columns,
  href,
  empty,
  rowPx = ROW_PX,
  narrow,
}: {
  /** Name of the list for screen readers. */
  label: string;
  list: List<Row>;
  columns: readonly Column<Row>[];
  href?: (row: Row) => string;
  empty: ReactNode;
  /** Height of a row. */
  rowPx?: number;
  /** Second line of the first visible column on phones. It replaces columns that are hidden there. */
  narrow?: (row: Row) => ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const margin = useTop(body);
  const { rows: newest, hasMore, isLoadingMore, loadMore } = list;
  // The rows render in interruptible pieces, so that constant updates never delay a key press or a click.
  const rows = useDeferredValue(newest);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: margin,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && !list.error && last >= rows.length - 20) loadMore();
  }, [last, rows.length, hasMore, isLoadingMore, loadMore, list.error]);

  if (list.error && newest.length === 0)
    return <TroubleNote error={list.error} onRetry={list.retry} />;
  // The search has found nothing so far and is still running.
  const isLooking = newest.length === 0 && hasMore && !list.error;
  const isLoading = list.isLoading || isLooking;
  const firstNarrow = columns.findIndex(({ isWide }) => !isWide);
  if (!isLoading && newest.length === 0) return <div className="card empty">{empty}</div>;
  return (
    <div className="stack-small">
      <div
        className="table"
        role="table"
        aria-label={label}
        aria-busy={isLoading}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        style={{ ...widthsOf(columns), '--row': `${rowPx}px` } as React.CSSProperties}
        onKeyDown={moveAmongRows}
      >
        <div role="rowgroup">
          <div role="row" className="table-row table-head" aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column.name} column={column} />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          ref={body}
          style={{
            position: 'relative',
            height: isLoading ? undefined : virtual.getTotalSize(),
          }}
        >
          {isLoading
            ? Array.from({ length: SKELETONS }, (_, at) => (
                <SkeletonRow key={at} columns={columns} />
              ))
            : shown.map(({ index, start }) => {
                const row = rows[index]!; // The virtual list has `rows.length` rows.
                return (
                  <div
                    key={row.id}
                    role="row"
                    aria-rowindex={index + 2}
                    className={href ? 'table-row table-row-link' : 'table-row'}
                    style={{
                      position: 'absolute',
                      top: 0,
                      left: 0,
                      right: 0,
                      transform: `translateY(${start - margin}px)`,
                    }}
                  >
                    {columns.map((column, at) => (
                      <div key={column.name} role="cell" className={cellClass(column)}>
                        {at === 0 && href ? (
                          <RowLink href={href(row)}>{column.cell(row)}</RowLink>
                        ) : (
                          column.cell(row)
                        )}
                        {column.below?.(row)}
                        {narrow && at === firstNarrow ? (
                          <span className="table-more small muted">{narrow(row)}</span>
                        ) : null}
                      </div>
                    ))}
                  </div>
                );
              })}
        </div>
      </div>
      {list.error ? <TroubleNote error={list.error} onRetry={list.retry} /> : null}
      <p className={isLooking ? 'muted small' : 'unseen'} role="status">
        {isLooking ? 'Searching further back…' : isLoading || isLoadingMore ? 'Loading' : ''}
      </p>
    </div>
  );
}

function Heading<Row>({ column }: { column: Column<Row> }) {
  const { name, order } = column;
  if (!order) {
    return (
      <div role="columnheader" className={cellClass(column)}>
        {name}
      </div>
    );
  }
  const { isOldestFirst, reverse } = order;
  return (
    <div
      role="columnheader"
      className={cellClass(column)}
      aria-sort={isOldestFirst ? 'ascending' : 'descending'}
    >
      <button
        type="button"
        className="table-order"
        title={isOldestFirst ? 'Show the newest first' : 'Show the oldest first'}
        onClick={reverse}
      >
        {name} <span aria-hidden="true">{isOldestFirst ? '↑' : '↓'}</span>
      </button>
    </div>
  );
}

function RowLink({ href, children }: { href: string; children: ReactNode }) {
  const [to, hash] = href.split('#');
  return (
    <Link to={to!} {...(hash && { hash })} className="table-link">
      {children}
    </Link>
  );
}

function SkeletonRow<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <div className="table-row" role="row">
      {columns.map((column) => (
        <div key={column.name} role="cell" className={cellClass(column)}>
          <span className="skeleton" />
        </div>
      ))}
    </div>
  );
}

function cellClass<Row>({ align, isWide }: Column<Row>): string {
  return [
    'table-cell',
    align && 'table-cell-end',
    isWide && 'table-cell-wide',
    isWide === 'very' && 'table-cell-very-wide',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Returns the widths of the columns for wide, medium and narrow screens (table.css). */
function widthsOf<Row>(columns: readonly Column<Row>[]): React.CSSProperties {
  const template = (shown: readonly Column<Row>[]): string =>
    shown.map(({ width }) => width ?? 'minmax(0, 1fr)').join(' ');
  return {
    '--columns': template(columns),
    '--columns-medium': template(columns.filter(({ isWide }) => isWide !== 'very')),
    '--columns-narrow': template(columns.filter(({ isWide }) => !isWide)),
  } as React.CSSProperties;
}

/** Returns the distance of the rows from the top of the page. It changes when content above moves them. */
function useTop(ref: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = (): void => setTop(element.getBoundingClientRect().top + window.scrollY);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [ref]);
  return top;
}

function moveAmongRows(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
  if (!target.classList.contains('table-link')) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.table-link')];
  const next = links[links.indexOf(target) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
