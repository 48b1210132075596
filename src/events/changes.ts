import { delay } from '../clock.ts';
import { reasonOf } from '../errors.ts';
import { fromUuid, type IdPrefix } from '../ids.ts';
import { createSingleFlight } from '../platform/controller/single-flight.ts';
import type { Logger } from '../platform/observability/logger.ts';
import { readProjected } from '../platform/postgres/projected.ts';
import { ANYTHING, createChangeReaders, type ChangeReaders } from './change-readers.ts';

/**
 * Hints for people's screens (contract/events.md#changes): something of this id changed, read it again.
 * They are made of the wake-ups that processes send each other anyhow, so that neither a turn nor a
 * delivery costs a query more; like these they may be lost, and nothing is kept of them. Readers of a
 * process share one look-up of namespaces for each batch, and without readers there is none
 * (docs/decisions/0040).
 */
export type Changes = {
  /** Changes of a namespace from now on, until the signal is aborted. */
  follow: ChangeReaders['follow'];
  /** Payload of CHANNELS.projected. Never waits. */
  projected: (items: readonly string[]) => void;
  /** Payload of CHANNELS.conversations. Never waits. */
  conversations: (items: readonly string[]) => void;
};

/** Between two batches: ten a second are more than anybody can look at. */
const EVERY_MS = 100;
/** Of a batch; with more, anything may have changed. */
const BATCH_MAX = 2_000;

/** What came since the last batch: by item what is declared, and ids of conversations. */
type Batch = { declared: Set<string>; conversations: Set<string> };
const newBatch = (): Batch => ({ declared: new Set(), conversations: new Set() });

export function createChanges(deps: {
  /** What is declared: the prefix of its ids, by resource. */
  prefixes: ReadonlyMap<string, IdPrefix>;
  /** Of these conversations (uuids), by id; what is not there any more is left out. */
  namespacesOf: (conversationIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  log: Logger;
  everyMs?: number;
}): Changes {
  const readers = createChangeReaders();
  let next = newBatch();

  const telling = createSingleFlight(async () => {
    await Promise.resolve(); // What several channels tell at once goes into one batch.
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
    log.debug({ reason: reasonOf(error) }, 'changes were not looked up; readers read all again');
    readers.put(ANYTHING);
  }
}
