import type { EventType } from './event-types.ts';
import {
  createdBetween,
  filteredBy,
  oneOf,
  type CreatedBetween,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';

export type EventRow = {
  id: string;
  namespace: string;
  type: EventType;
  /** For a test event: its only endpoint. */
  endpointId: string | null;
  /** Unix ms; since then its words are gone, and it is sent no more but where it is on its way. */
  erasedAt: number | null;
  body: Buffer;
};

const COLUMNS = `id, namespace, type, endpoint_id as "endpointId", 
  coalesce(erased_at, redacted_at) as "erasedAt", body`;

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

type EventFilter = ListPage &
  CreatedBetween & {
    types?: readonly EventType[] | undefined;
    /** Test events too. */
    withTests: boolean;
    conversationId?: string | undefined;
    agentId?: string | undefined;
  };

/** Newest first. */
export async function listEvents(db: Db, filter: EventFilter): Promise<EventRow[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    oneOf('type', filter.types),
    ['(endpoint_id is null) =', filter.withTests ? undefined : true],
    ['conversation_id =', filter.conversationId],
    ['agent_id =', filter.agentId],
    ...createdBetween(filter),
    ['id <', filter.before],
  ]);
  const { rows } = await db.query<EventRow>(
    `select ${COLUMNS} from events
      where ${where} order by id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}
