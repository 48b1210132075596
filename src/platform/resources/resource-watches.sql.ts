import { clearInterval, setInterval } from '../../clock.ts';
import { createSingleFlight } from '../controller/single-flight.ts';
import type { Logger } from '../observability/logger.ts';
import type { Pool } from '../postgres/pool.ts';
import type { ObjectKey, ResourceWatch } from './resource-store.ts';

/**
 * Polling interval in ms. NOTIFY usually wakes a watcher sooner. The interval limits the delay if the listener's
 * connection has died silently. Notifications are not lost in any other case, because they are part of the write's
 * transaction.
 */
const POLL_MS = 5_000;

type Watching = {
  kind: string;
  onChange: (change: { kind: string; key: ObjectKey }) => void;
  onSynced: () => void;
  /** Highest resource version at the last poll, or undefined before the first poll. */
  seen: number | undefined;
};

/**
 * Polls for changes for all watches in a process. One statement queries all of their kinds. Statuses that this process
 * has written are not reported, because each of them would reconcile its object again.
 */
export function createResourceWatches({ pool, log }: { pool: Pool; log: Logger }) {
  const watches = new Set<Watching>();
  /**
   * Objects whose last write was one of `noteStatus`. `from` is the version before it and before those that it followed
   * directly.
   */
  const statuses = new Map<string, { from: number; to: number }>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  async function look(): Promise<void> {
    const asking = [...watches];
    const { rows } = await pool.query<ObjectKey & Changed>({
      name: 'watch_resources',
      text: `select kind, namespace, name, resource_version as version, deleted_at is not null as "isDeleted"
               from resources where kind = any($1) and resource_version > $2 order by resource_version`,
      values: [asking.map(({ kind }) => kind), Math.min(...asking.map(({ seen }) => seen ?? -1))],
    });
    // Versions are committed in order, so a reader that sees this version can also see all lower ones.
    const last = rows.at(-1)?.version ?? 0;
    for (const watch of asking) {
      const { kind, seen } = watch;
      // Returns true if the watcher must be notified of this row. Objects that were deleted before the watcher's first
      // poll are not reported.
      const isNews = (row: ObjectKey & Changed): boolean =>
        row.kind === kind &&
        (seen === undefined ? !row.isDeleted : row.version > seen && !isStatusAlone(row, seen));
      for (const { namespace, name } of rows.filter(isNews))
        watch.onChange({ kind, key: { namespace, name } });
      watch.seen = Math.max(seen ?? 0, last);
      if (seen === undefined) watch.onSynced();
    }
    for (const [object, { to }] of statuses) if (to <= last) statuses.delete(object);
  }

  /** Returns true if only writes of `noteStatus` came after the version that a watcher has seen. */
  function isStatusAlone(row: ObjectKey & Changed, seen: number): boolean {
    const status = statuses.get(nameOf(row.kind, row));
    return status !== undefined && status.to === row.version && status.from <= seen;
  }

  const looking = createSingleFlight(async () => {
    if (watches.size === 0) return;
    try {
      await look();
      isFailing = false;
    } catch (error) {
      // Only the first failure is logged, because every poll fails while the database is unavailable.
      if (!isFailing) log.warn({ err: error }, 'watch failed; retrying');
      isFailing = true;
    }
  });

  return {
    wake: looking.trigger,
    /** Notes that this process has replaced the status of an object. */
    noteStatus: (written: { kind: string; key: ObjectKey; from: number; to: number }): void => {
      const { kind, key, from, to } = written;
      const object = nameOf(kind, key);
      const last = statuses.get(object);
      statuses.set(object, { from: last?.to === from ? last.from : from, to });
    },
    add: (watch: Omit<Watching, 'seen'>): ResourceWatch => {
      const added = { ...watch, seen: undefined };
      watches.add(added);
      timer ??= setInterval(looking.trigger, POLL_MS);
      looking.trigger();
      return {
        refresh: async () => undefined, // Nothing needs a refresh, because every read queries the tables.
        stop: async () => {
          watches.delete(added);
          if (watches.size === 0) {
            clearInterval(timer);
            timer = undefined;
          }
          await looking.idle();
        },
      };
    },
  };
}

type Changed = { kind: string; version: number; isDeleted: boolean };

const nameOf = (kind: string, { namespace, name }: ObjectKey): string =>
  `${kind}/${namespace}/${name}`;
