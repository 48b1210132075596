import { ApiError, found } from '../../errors.ts';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { readEvent, type EventRow } from '../../events/events.sql.ts';
import { replayWindowMs, replayWindowText, type ReplayWindow } from '../../events/replay-window.ts';
import { CHANNELS, type Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { insertReplay, listPending } from './jobs.sql.ts';
import { requireEndpoint } from '../endpoints/write-endpoint.ts';

export type ReplayEventDeps = ReplayWindow & {
  pool: Pool;
  notifier: Notifier;
  nowMs: () => number;
};

export type Replayed = {
  deliveryIds: string[];
  endpointIds: string[];
  /** Earlier deliveries of this event to the same endpoints that are still pending. */
  alsoPending: string[];
};

/**
 * Delivers an old event again with the same bytes. The new deliveries number their attempts from 1 and have a full
 * retry schedule (contract/deliveries.md#replay). Earlier deliveries to the same endpoint that are still pending keep
 * their schedule. They end when the new delivery is acknowledged.
 * @throws ApiError not_found, event_expired (30 days after the time in the id, or as configured), event_erased,
 * endpoint_disabled, invalid_body (a test event to another endpoint)
 */
export async function replayEvent(
  deps: ReplayEventDeps,
  input: { namespace: string; id: string; endpointId: string | null },
  beforeCommit: CommitHook<Replayed> = noCommitHook,
): Promise<Replayed> {
  if (deps.nowMs() - uuidTimeMs(input.id) > replayWindowMs(deps)) {
    throw new ApiError(
      'event_expired',
      `The event is too old: events can be replayed for ${replayWindowText(deps)}.`,
    );
  }
  const event = found(await readEvent(deps.pool, input), 'event');
  if (event.erasedAt !== null) {
    throw new ApiError('event_erased', 'The event was erased together with its conversation.');
  }
  if (input.endpointId !== null) await checkEndpoint(deps, event, input.endpointId);
  const replayed = await inOneCommit(deps.pool, beforeCommit, async (db) => {
    const deliveries = await insertReplay(db, { event, endpointId: input.endpointId });
    const deliveryIds = deliveries.map(({ id }) => id);
    const endpointIds = deliveries.map(({ endpointId }) => endpointId);
    const pending = { eventId: event.id, endpointIds, except: deliveryIds };
    return { deliveryIds, endpointIds, alsoPending: await listPending(db, pending) };
  });
  deps.notifier.notify(CHANNELS.deliveries, replayed.endpointIds);
  return replayed;
}

function requireOwn(event: EventRow, endpointId: string): void {
  if (event.endpointId === null || event.endpointId === endpointId) return;
  const own = fromUuid('we', event.endpointId);
  const detail =
    `must be ${own}, because a test event is sent only to its own endpoint; ` +
    'to test another endpoint, send it a new test event';
  throw new ApiError('invalid_body', `endpoint_id: ${detail}`, {
    errors: [{ pointer: '/endpoint_id', code: 'invalid_value', detail }],
  });
}

async function checkEndpoint(deps: { pool: Pool }, event: EventRow, id: string): Promise<void> {
  const endpoint = await requireEndpoint(deps, { namespace: event.namespace, id });
  requireOwn(event, id);
  if (endpoint.enabled) return;
  throw new ApiError('endpoint_disabled', 'The endpoint is disabled. Enable it first.');
}
