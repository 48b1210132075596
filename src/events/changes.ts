import { delay } from '../clock.ts';
import { reasonOf } from '../errors.ts';
import { fromUuid, type IdPrefix } from '../ids.ts';
import { createSingleFlight } from '../platform/controller/single-flight.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { readProjected } from '../platform/postgres/projected.ts';
import { ANYTHING, createChangeReaders, type ChangeReaders } from './change-readers.ts';

/**
 * Hints for user interfaces that an object has changed and should be read again (contract/events.md#changes). They are
 * derived from notifications that processes already send each other, so conversation turns and deliveries cost no extra
 * query. Like these notifications, hints are not stored and may be lost. Each batch of changes costs at most one query
 * per process: it looks up the namespaces of the changed conversations. If no reader is connected, the query is omitted
 * (docs/decisions/0040).
 */
export type Changes = {
  /** Yields the changes in a namespace from now on, until the signal aborts. */
  follow: ChangeReaders['follow'];
  /** Receives the items of a notification on `CHANNELS.projected`. Never waits. */
  projected: (items: readonly string[]) => void;
  /** Receives the items of a notification on `CHANNELS.conversations`. Never waits. */
  conversations: (items: readonly string[]) => void;
};

/** Interval between batches in ms. Ten batches per second are more than a person can follow. */
const EVERY_MS = 100;
/** Maximum number of changes in a batch. A larger batch is replaced by a single `all` change. */
const BATCH_MAX = 2_000;

/** Changes since the last batch. `declared` holds items of `CHANNELS.projected`; `conversations` holds ids. */
type Batch = { declared: Set<string>; conversations: Set<string> };
const newBatch = (): Batch => ({ declared: new Set(), conversations: new Set() });

export function createChanges(deps: {
  /** ID prefix of each declared resource, by the name of the resource in change events. */
  prefixes: ReadonlyMap<string, IdPrefix>;
  /** Returns the namespace of each conversation by its id (UUID). Omits conversations that no longer exist. */
  namespacesOf: (conversationIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  log: Logger;
  everyMs?: number;
}): Changes {
  const readers = createChangeReaders();
  let next = newBatch();

  const telling = createSingleFlight(async () => {
    await Promise.resolve(); // Joins simultaneous notifications on several channels into one batch.
    const batch = next;
    next = newBatch();
    await tell({ ...deps, readers }, batch);
    readers.wake();
    await delay(deps.everyMs ?? EVERY_MS, { ref: false });
  });

  const noteIn = (set: keyof Batch) => (items: readonly string[]) => {
    if (readers.count() === 0) return;
    for (const item of items) next[set].add(item);
    telling.trigger();
  };
  return {
    follow: readers.follow,
    projected: noteIn('declared'),
    conversations: noteIn('conversations'),
  };
}

type TellDeps = Pick<Parameters<typeof createChanges>[0], 'prefixes' | 'namespacesOf' | 'log'> & {
  readers: Pick<ChangeReaders, 'put'>;
};

async function tell(deps: TellDeps, { declared, conversations }: Batch): Promise<void> {
  const { readers, prefixes, namespacesOf, log } = deps;
  const isAnything = declared.has('*') || conversations.has('*');
  if (isAnything || declared.size + conversations.size > BATCH_MAX) return readers.put(ANYTHING);
  for (const item of declared) {
    const read = readProjected(item);
    const prefix = read && prefixes.get(read.resource);
    if (prefix)
      readers.put({ resource: read.resource, id: fromUuid(prefix, read.id) }, read.namespace);
  }
  if (conversations.size === 0) return;
  try {
    for (const [id, namespace] of await namespacesOf([...conversations])) {
      readers.put({ resource: 'conversations', id: fromUuid('conv', id) }, namespace);
    }
  } catch (error) {
    log.debug(
      { reason: reasonOf(error) },
      'could not look up changes; clients must read everything again',
    );
    readers.put(ANYTHING);
  }
}
