import type { EventType } from './event-types.ts';
import {
  createdBetween,
  filteredBy,
  fittingRows,
  oneOf,
  type CreatedBetween,
  type FittingRow,
  type ListPage,
} from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';

export type EventRow = {
  id: string;
  namespace: string;
  type: EventType;
  /** Endpoint to which a test event is sent; null for other events. */
  endpointId: string | null;
  /**
   * Time at which the text in the event was erased, in Unix ms. An erased event gets no new deliveries, but existing
   * deliveries may still send it.
   */
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
    /** Whether to include test events. */
    withTests: boolean;
    conversationId?: string | undefined;
    agentId?: string | undefined;
  };

/** Returns events, newest first, up to the limit on the total size of a page (`fittingRows`). */
export async function listEvents(db: Db, filter: EventFilter): Promise<FittingRow<EventRow>[]> {
  const { where, values } = filteredBy([
    ['namespace =', filter.namespace],
    oneOf('type', filter.types),
    ['(endpoint_id is null) =', filter.withTests ? undefined : true],
    ['conversation_id =', filter.conversationId],
    ['agent_id =', filter.agentId],
    ...createdBetween(filter),
    ['id <', filter.before],
  ]);
  const text = fittingRows({
    table: 'events',
    where,
    order: 'id desc',
    limit: `$${values.push(filter.limit)}`,
    columns: COLUMNS,
    bytes: 'octet_length(body)',
  });
  const { rows } = await db.query<FittingRow<EventRow>>(text, values);
  return rows;
}
