import {
  filteredBy,
  inOrder,
  type ListOrder,
  type ListPage,
} from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/** Prepared reply that human agents can insert into conversations. `updatedAt` is in Unix milliseconds. */
export type CannedReplyRow = {
  id: string;
  namespace: string;
  title: string;
  text: string;
  updatedAt: number;
};

type Key = Pick<CannedReplyRow, 'namespace' | 'id'>;

const COLUMNS = `id, namespace, title, text, updated_at as "updatedAt"`;

/** Inserts a canned reply. Returns undefined if the namespace already has `most` replies. */
export async function insertCannedReply(
  db: Db,
  { id, namespace, title, text }: Omit<CannedReplyRow, 'updatedAt'>,
  most: number,
): Promise<CannedReplyRow | undefined> {
  const { rows } = await db.query<CannedReplyRow>(
    `insert into canned_replies (id, namespace, title, text)
     select $1, $2, $3, $4
      where (select count(*) from canned_replies where namespace = $2) < $5
     returning ${COLUMNS}`,
    [id, namespace, title, text, most],
  );
  return rows[0];
}

export async function readCannedReply(
  db: Db,
  { namespace, id }: Key,
): Promise<CannedReplyRow | undefined> {
  const { rows } = await db.query<CannedReplyRow>(
    `select ${COLUMNS} from canned_replies where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

/** Returns canned replies in the filter's order. */
export async function listCannedReplies(
  db: Db,
  filter: ListPage & ListOrder,
): Promise<CannedReplyRow[]> {
  const { direction, follows } = inOrder(filter);
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    [`id ${follows}`, filter.before],
  ]);
  const { rows } = await db.query<CannedReplyRow>(
    `select ${COLUMNS} from canned_replies
      where ${where} order by id ${direction} limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

/** Locks a canned reply until the transaction ends. */
export async function lockCannedReply(
  db: Db,
  { namespace, id }: Key,
): Promise<CannedReplyRow | undefined> {
  const { rows } = await db.query<CannedReplyRow>(
    `select ${COLUMNS} from canned_replies where id = $1 and namespace = $2 for update`,
    [id, namespace],
  );
  return rows[0];
}

/** Changes a canned reply that the caller has locked. */
export async function setCannedReply(
  db: Db,
  { id, title, text }: Pick<CannedReplyRow, 'id' | 'title' | 'text'>,
): Promise<CannedReplyRow> {
  const { rows } = await db.query<CannedReplyRow>(
    `update canned_replies set title = $2, text = $3, updated_at = clock_timestamp()
      where id = $1 returning ${COLUMNS}`,
    [id, title, text],
  );
  return rows[0]!; // The row exists, because the caller has locked it.
}

/** Deletes a canned reply that the caller has locked. */
export async function deleteCannedReply(db: Db, id: string): Promise<void> {
  await db.query('delete from canned_replies where id = $1', [id]);
}
