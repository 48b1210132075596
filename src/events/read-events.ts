import { ApiError } from '../errors.ts';
import {
  listDeliveries,
  readDelivery,
  type DeliveryRow,
} from '../webhooks/queue/deliveries.sql.ts';
import {
  countDeliveries,
  listEvents,
  readEvent,
  type DeliveryCounts,
  type EventFilter,
  type EventRow,
} from './events.sql.ts';
import type { Pool } from '../platform/postgres/pool.ts';

const NONE: DeliveryCounts = { pending: 0, delivered: 0, failed: 0, canceled: 0 };

export type ReadEventsDeps = { pool: Pool };

export type EventWithCounts = EventRow & { deliveries: DeliveryCounts };

/** @throws ApiError not_found, for another namespace's id too */
export async function requireEvent(
  { pool }: ReadEventsDeps,
  key: { namespace: string; id: string },
): Promise<EventRow> {
  const event = await readEvent(pool, key);
  if (!event) throw new ApiError('not_found', 'there is no such event');
  return event;
}

export async function readEventWithCounts(
  deps: ReadEventsDeps,
  key: { namespace: string; id: string },
): Promise<EventWithCounts> {
  const event = await requireEvent(deps, key);
  const [counted] = await withCounts(deps, [event]);
  return counted!; // One in, one out.
}

/** Two statements a page. */
export async function listEventsWithCounts(
  deps: ReadEventsDeps,
  filter: EventFilter,
): Promise<EventWithCounts[]> {
  return withCounts(deps, await listEvents(deps.pool, filter));
}

async function withCounts(
  { pool }: ReadEventsDeps,
  events: readonly EventRow[],
): Promise<EventWithCounts[]> {
  const counts = await countDeliveries(
    pool,
    events.map(({ id }) => id),
  );
  return events.map((event) => ({ ...event, deliveries: counts.get(event.id) ?? NONE }));
}

/** @throws ApiError not_found, for another namespace's id too */
export async function requireDelivery(
  { pool }: ReadEventsDeps,
  key: { namespace: string; id: string },
): Promise<DeliveryRow> {
  const delivery = await readDelivery(pool, key);
  if (!delivery) throw new ApiError('not_found', 'there is no such delivery');
  return delivery;
}

/** The caller has seen to it that the event or endpoint is of its namespace. */
export function listDeliveriesOf(
  { pool }: ReadEventsDeps,
  page: Parameters<typeof listDeliveries>[1],
): Promise<DeliveryRow[]> {
  return listDeliveries(pool, page);
}
