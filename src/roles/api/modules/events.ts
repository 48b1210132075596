import { namespacesOfConversations } from '../../../conversations/record/conversation-namespaces.sql.ts';
import { createChanges } from '../../../events/changes.ts';
import { eventStreamRoutes } from '../../../events/event-stream.routes.ts';
import { createEventStreams } from '../../../events/event-stream.ts';
import { eventRoutes } from '../../../events/events.routes.ts';
import { createPeriodic } from '../../../platform/controller/periodic.ts';
import { CHANNELS } from '../../../platform/postgres/notifications.ts';
import { deliveryRoutes } from '../../../webhooks/delivery/deliveries.routes.ts';
import { rotateSecretRoutes } from '../../../webhooks/endpoints/rotate-secret.routes.ts';
import { webhookRoutes } from '../../../webhooks/endpoints/webhooks.routes.ts';
import { countDeliveries } from '../../../webhooks/queue/deliveries.sql.ts';
import { createRequireRoom } from '../../../webhooks/queue/requested-room.ts';
import { receiptRoutes } from '../../../webhooks/receipts/receipts.routes.ts';
import { replayRoutes } from '../../../webhooks/replay/replays.routes.ts';
import { runReplayJobs } from '../../../webhooks/replay/run-replay-jobs.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Module } from './module.ts';

/** Creates the module for events: webhook endpoints, the events that they receive, deliveries, replays and receipts. */
export function createEvents(infrastructure: Infrastructure): Module {
  const { pool, metrics, log, notifier, nowMs, retention, kinds } = infrastructure;
  const eventStreams = createEventStreams({ pool, nowMs, retention, metrics, log });
  const changes = createChanges({
    prefixes: new Map(kinds.map(({ resource, idPrefix }) => [resource, idPrefix])),
    namespacesOf: (ids) => namespacesOfConversations(pool, ids),
    log,
  });
  const replays = { pool, notifier, nowMs, retention, metrics };
  const replayJobs = createPeriodic({
    what: 'running replay jobs',
    everyMs: 10_000, // A new job wakes this process. Other processes find it at this interval.
    run: (signal) => runReplayJobs(replays, signal),
    log,
  });
  const requireRoom = createRequireRoom({ pool, metrics });
  const deps = { ...infrastructure, wakeJobs: replayJobs.wake, requireRoom };
  return {
    routes: [
      ...webhookRoutes(deps),
      ...rotateSecretRoutes(deps),
      // `/v1/events/stream` precedes `/v1/events/{id}`, which would also match the path of the stream.
      ...eventStreamRoutes({
        eventStreams,
        changes,
        declaredResources: kinds.map(({ resource }) => resource),
      }),
      ...eventRoutes({
        pool,
        nowMs,
        retention,
        countDeliveries: (ids) => countDeliveries(pool, ids),
      }),
      ...deliveryRoutes(deps),
      ...replayRoutes(deps),
      ...receiptRoutes(deps),
    ],
    jobs: [replayJobs],
    listeners: {
      [CHANNELS.events]: eventStreams.wake,
      [CHANNELS.projected]: changes.projected,
      [CHANNELS.conversations]: changes.conversations,
    },
    closeStreams: eventStreams.stop,
  };
}
