import { filteredBy, type ListPage } from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { Erasing } from '../events/erase-events.sql.ts';

/**
 * This module stores customer erasures and their progress. Erasures are not stored in the table `jobs`. During an
 * upgrade, processes of the previous release would read that table and mark a job without a webhook endpoint as failed.
 */

export const ERASURE_STATUSES = ['running', 'done'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** Erasure of all data about a customer. Ids are UUIDs; times are Unix milliseconds. */
export type CustomerErasureRow = {
  id: string;
  namespace: string;
  /** Null once the erasure is done. */
  userId: string | null;
  status: ErasureStatus;
  /** What happens to undelivered events about the customer. */
  events: Erasing['events'];
  total: number;
  done: number;
  canceledCount: number;
  /** Conversation that was erased last. */
  cursor: string | null;
  createdAt: number;
  finishedAt: number | null;
};

const COLUMNS = `id, namespace, user_id as "userId", status, events, total, done,
  canceled_count as "canceledCount", cursor, created_at as "createdAt", finished_at as "finishedAt"`;

/** Inserts an erasure. Returns undefined if an erasure of the same customer is already running. */
export async function insertErasure(
  db: Db,
  row: Pick<CustomerErasureRow, 'id' | 'namespace' | 'events' | 'total'> & {
    userId: string;
    actor: string;
  },
): Promise<CustomerErasureRow | undefined> {
  const { rows } = await db.query<CustomerErasureRow>(
    `insert into customer_erasures (id, namespace, user_id, status, events, actor, total)
     values ($1, $2, $3, 'running', $4, $5, $6)
     on conflict (namespace, user_id) where status = 'running' do nothing
     returning ${COLUMNS}`,
    [row.id, row.namespace, row.userId, row.events, row.actor, row.total],
  );
  return rows[0];
}

export async function readRunningErasure(
  db: Db,
  { namespace, userId }: { namespace: string; userId: string },
): Promise<CustomerErasureRow | undefined> {
  const { rows } = await db.query<CustomerErasureRow>(
    `select ${COLUMNS} from customer_erasures
      where namespace = $1 and user_id = $2 and status = 'running'`,
    [namespace, userId],
  );
  return rows[0];
}

export async function readErasure(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<CustomerErasureRow | undefined> {
  const { rows } = await db.query<CustomerErasureRow>(
    `select ${COLUMNS} from customer_erasures where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

/** Returns erasures, newest first. */
export async function listErasures(
  db: Db,
  filter: ListPage & { status?: ErasureStatus | undefined },
): Promise<CustomerErasureRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    ['status =', filter.status],
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<CustomerErasureRow>(
    `select ${COLUMNS} from customer_erasures
      where ${where} order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** Returns the oldest running erasure of each namespace. */
export async function listOldestRunning(db: Db): Promise<{ id: string; namespace: string }[]> {
  const { rows } = await db.query<{ id: string; namespace: string }>({
    name: 'list_oldest_running_erasures',
    text: `select distinct on (namespace) id, namespace from customer_erasures
            where status = 'running' order by namespace, id`,
  });
  return rows;
}

/**
 * Locks a running erasure until the transaction ends. Returns undefined if it is done or another process is working on
 * it. The lock serves as the lease: it ends with the transaction, even if the process is killed.
 */
export async function lockRunningErasure(
  db: Db,
  id: string,
): Promise<(CustomerErasureRow & { userId: string }) | undefined> {
  const { rows } = await db.query<CustomerErasureRow & { userId: string }>({
    name: 'lock_running_erasure',
    text: `select ${COLUMNS} from customer_erasures
            where id = $1 and status = 'running' for update skip locked`,
    values: [id],
  });
  return rows[0];
}

/** Counts one more erased conversation or call. Call it in the transaction that erases the conversation or call. */
export async function advanceErasure(
  db: Db,
  { id, canceled, cursor }: { id: string; canceled: number; cursor?: string },
): Promise<void> {
  await db.query({
    name: 'advance_erasure',
    text: `update customer_erasures
              set done = done + 1, total = greatest(total, done + 1), canceled_count = canceled_count + $2,
                  cursor = coalesce($3, cursor)
            where id = $1`,
    values: [id, canceled, cursor ?? null],
  });
}

/** Ends an erasure and deletes its `user_id`. */
export async function finishErasure(db: Db, id: string): Promise<void> {
  await db.query(
    `update customer_erasures
        set status = 'done', user_id = null, total = done, finished_at = clock_timestamp()
      where id = $1`,
    [id],
  );
}
