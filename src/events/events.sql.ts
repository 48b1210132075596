import type { EventType } from './event-types.ts';
import { lowestUuidAt } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';

export type EventRow = {
  id: string;
  namespace: string;
  type: EventType;
  /** Of a test event: the only endpoint it is for. */
  endpointId: string | null;
  /** Unix ms; its words are gone and it is sent no more. */
  erasedAt: number | null;
  body: Buffer;
};

const COLUMNS = `id, namespace, type, endpoint_id as "endpointId", erased_at as "erasedAt", body`;

export async function readEvent(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<EventRow | undefined> {
  const { rows } = await db.query<EventRow>(
    `select ${COLUMNS} from events where id = $1 and namespace = $2`,
    [id, namespace],
  );
  return rows[0];
}

export type EventFilter = {
  namespace: string;
  type?: string;
  conversationId?: string;
  agentId?: string;
  /** Unix seconds, inclusive */
  createdAfter?: number;
  /** Unix seconds, exclusive */
  createdBefore?: number;
  /** uuid after which the page starts */
  before: string | null;
  limit: number;
};

/** Newest first. Time filters become bounds of the id, so whole partitions are left out. */
export async function listEvents(db: Db, filter: EventFilter): Promise<EventRow[]> {
  const bound = (seconds: number | undefined): string | undefined =>
    seconds === undefined ? undefined : lowestUuidAt(seconds * 1_000);
  // Only what is asked for stands in the statement: each filter finds its index.
  const conditions: [string, string | undefined][] = [
    ['namespace =', filter.namespace],
    ['type =', filter.type],
    ['conversation_id =', filter.conversationId],
    ['agent_id =', filter.agentId],
    ['id >=', bound(filter.createdAfter)],
    ['id <', bound(filter.createdBefore)],
    ['id <', filter.before ?? undefined],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const { rows } = await db.query<EventRow>(
    `select ${COLUMNS} from events
      where ${given.map(([condition], i) => `${condition} $${i + 1}`).join(' and ')}
      order by id desc limit $${given.length + 1}`,
    [...given.map(([, value]) => value), filter.limit],
  );
  return rows;
}
