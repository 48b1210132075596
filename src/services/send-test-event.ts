import { ApiError } from '../errors.ts';
import { encodeEnvelope } from '../events/envelope.ts';
import type { EventData, EventType } from '../events/event-types.ts';
import { fromUuid, newUuid } from '../events/ids.ts';
import { insertTestEvent } from '../store/events.ts';
import type { Pool } from '../store/pool.ts';
import type { Announce } from './emit-event.ts';
import { inOneCommit, unsettled, type Settle } from './settle.ts';
import { requireEndpoint } from './write-endpoint.ts';

export type SentTest = { eventId: string; deliveryId: string };

/**
 * A real event of the given type, to one endpoint only (contract §4). One statement, one commit:
 * it says by itself whether the endpoint is there and enabled, and only a "no" is looked into.
 */
export async function sendTestEvent<T extends EventType>(
  deps: { pool: Pool; announce: Announce; nowMs: () => number },
  input: { namespace: string; endpointId: string; type: T; data: EventData<T> },
  settle: Settle<SentTest> = unsettled,
): Promise<SentTest> {
  const { namespace, endpointId, type, data } = input;
  const nowMs = deps.nowMs();
  const id = newUuid(nowMs);
  const created = Math.floor(nowMs / 1_000);
  const body = encodeEnvelope({ id: fromUuid('evt', id), type, created, data });
  const sent = await inOneCommit(deps.pool, settle, async (db) => {
    const deliveryId = await insertTestEvent(db, { id, namespace, type, body, endpointId });
    if (deliveryId !== undefined) return { eventId: id, deliveryId };
    await requireEndpoint({ pool: db }, { namespace, id: endpointId });
    throw new ApiError('endpoint_disabled', 'the endpoint is disabled: enable it first');
  });
  deps.announce({ eventId: id, namespace, type, endpointIds: [endpointId] });
  return sent;
}
