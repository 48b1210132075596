import { ApiError } from '../errors.ts';
import { uuidTimeMs } from '../events/ids.ts';
import { insertReplay } from '../store/events.ts';
import { CHANNELS, type Notifier } from '../store/notifications.ts';
import type { Pool } from '../store/pool.ts';
import { requireEvent } from './read-events.ts';
import { requireEndpoint } from './write-endpoint.ts';

const REPLAY_WINDOW_MS = 30 * 86_400_000;

/**
 * Delivers an old event again: new deliveries, attempts from 1, a full schedule (contract §4).
 * The same bytes go out. @throws ApiError event_expired past 30 days, by the time in the id.
 */
export async function replayEvent(
  deps: { pool: Pool; notifier: Notifier; nowMs: () => number },
  input: { namespace: string; id: string; endpointId: string | null },
): Promise<{ deliveryIds: string[] }> {
  if (deps.nowMs() - uuidTimeMs(input.id) > REPLAY_WINDOW_MS) {
    throw new ApiError('event_expired', 'events can be replayed for 30 days');
  }
  const event = await requireEvent(deps, input);
  if (input.endpointId !== null) await checkEndpoint(deps, input.namespace, input.endpointId);
  const deliveries = await insertReplay(deps.pool, { event, endpointId: input.endpointId });
  deps.notifier.notify(
    CHANNELS.deliveries,
    deliveries.map(({ endpointId }) => endpointId),
  );
  return { deliveryIds: deliveries.map(({ id }) => id) };
}

async function checkEndpoint(deps: { pool: Pool }, namespace: string, id: string): Promise<void> {
  const endpoint = await requireEndpoint(deps, { namespace, id });
  if (endpoint.enabled) return;
  throw new ApiError('endpoint_disabled', 'the endpoint is disabled: enable it first');
}
