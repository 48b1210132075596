import { z } from 'zod';
import { keyActor } from '../../platform/http/authorize.ts';
import { audited } from '../../audit/audited.ts';
import { found } from '../../errors.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { typeNames } from '../../events/type-names.ts';
import { fromUuid } from '../../ids.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';
import { listJobs, JOB_STATUSES, readJob } from './jobs.sql.ts';
import { replayEvent, type ReplayEventDeps } from './replay-event.ts';
import { retryDelivery, type RetryDeliveryDeps } from './retry-delivery.ts';
import type { RequireRoom } from '../queue/requested-room.ts';
import { Delivery, deliveryView } from '../delivery/delivery.view.ts';
import {
  countReplay,
  createReplayJob,
  stopJob,
  type ReplayJobDeps,
  type ReplayPlan,
} from './replay-jobs.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { givenTime, idParam, idValue, unixSec, unixTime } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { Job, jobView, replayMode, untilSec } from './job.view.ts';

const tag = 'Jobs';
const params = { id: idParam('job', 'job') };

type ReplayEventRouteDeps = ReplayEventDeps & { requireRoom: RequireRoom };
export type ReplayRoutesDeps = ReplayEventRouteDeps &
  ReplayJobDeps & { metrics: Pick<Metrics, 'deliveries' | 'inFlightRefused'> };

/** Returns the routes that send one or many events again and report on the progress (contract/deliveries.md#replay). */
export function replayRoutes(deps: ReplayRoutesDeps): Route[] {
  return [
    replayEventRoute(deps),
    replayManyRoute(deps),
    listRoute(deps),
    readRoute(deps),
    stopRoute(deps),
    retryRoute(deps),
  ];
}

const eventBody = z
  .strictObject({
    endpoint_id: idValue('we')
      .optional()
      .describe(
        'Endpoint to send the event to. Default: every enabled endpoint now subscribed to its type.',
      ),
  })
  .describe('Where to send the event again.');

function replayEventRoute(deps: ReplayEventRouteDeps): Route {
  return route({
    method: 'post',
    path: '/v1/events/{id}/replay',
    operationId: 'replayEvent',
    tag: 'Events',
    scope: 'replay',
    summary: 'Replay an event',
    description:
      'Creates new deliveries with the same bytes and the full retry schedule, as long as the ' +
      'event is stored (30 days, or as configured). A test event can be sent only to its own ' +
      'endpoint. Any other endpoint is rejected with 422. While the namespace has 10,000 unfinished ' +
      'deliveries of test events and replays of single events, the request is rejected with 429.',
    params: { id: idParam('evt', 'event') },
    body: { schema: eventBody, isOptional: true },
    answers: {
      202: {
        description: 'The deliveries are queued.',
        schema: z.strictObject({
          event_id: z.string(),
          delivery_ids: z.array(z.string()),
          also_pending: z.array(z.string()).meta({
            description:
              'Older, unfinished deliveries of the event to the same endpoints. They keep their schedule, ' +
              'and count as delivered when the new delivery is acknowledged (`delivered_by`).',
          }),
        }),
      },
    },
    errors: ['endpoint_disabled', 'event_expired', 'event_erased', 'too_many_in_flight'],
    handle: ({ answering, caller, params: { id }, body }) => {
      const asked = { namespace: caller.namespace, id, endpointId: body.endpoint_id ?? null };
      return answering(
        audited(
          caller,
          async (beforeCommit) => {
            await deps.requireRoom(caller.namespace);
            return replayEvent(deps, asked, beforeCommit);
          },
          ({ deliveryIds }) => ({
            action: 'event.replayed',
            target: fromUuid('evt', id),
            after: { endpoint_id: body.endpoint_id ? fromUuid('we', body.endpoint_id) : null },
            detail: { deliveries: deliveryIds.length },
          }),
        ),
        ({ deliveryIds, alsoPending }) => ({
          status: 202,
          body: {
            event_id: fromUuid('evt', id),
            delivery_ids: deliveryIds.map((delivery) => fromUuid('dlv', delivery)),
            also_pending: alsoPending.map((delivery) => fromUuid('dlv', delivery)),
          },
        }),
      );
    },
  });
}

function retryRoute(deps: RetryDeliveryDeps): Route {
  return route({
    method: 'post',
    path: '/v1/deliveries/{id}/retry',
    operationId: 'retryDelivery',
    tag: 'Deliveries',
    scope: 'replay',
    summary: 'Retry a delivery now',
    description:
      'The delivery is attempted immediately, despite the circuit breaker and `Retry-After`. No second ' +
      'delivery is created. If the attempt fails, the retry schedule continues unchanged. If an ' +
      'attempt is in progress, the delivery is returned unchanged, with `in_flight_since`.',
    params: { id: idParam('dlv', 'delivery') },
    answers: { 202: { description: 'An attempt is due now.', schema: Delivery } },
    errors: ['delivery_finished', 'endpoint_disabled'],
    handle: ({ answering, caller, params: { id } }) =>
      answering(
        audited(
          caller,
          (beforeCommit) => {
            const { namespace } = caller;
            return retryDelivery(deps, { namespace, id }, beforeCommit);
          },
          ({ endpointId }) => ({
            action: 'delivery.retried',
            target: fromUuid('dlv', id),
            detail: { endpoint_id: fromUuid('we', endpointId) },
          }),
        ),
        (delivery) => ({ status: 202, body: deliveryView(delivery) }),
      ),
  });
}

const manyBody = z
  .strictObject({
    since: givenTime.describe(
      'Start of the period in Unix seconds, inclusive. It can go back as far as events are stored: ' +
        '30 days, or as configured.',
    ),
    until: givenTime
      .optional()
      .describe('End of the period in Unix seconds, exclusive. Default: the time of the request.'),
    mode: replayMode.optional().describe('Events to send again. Default: `failed`.'),
    types: typeNames.optional().describe('Event types to send again. Default: every type.'),
    dry_run: z
      .boolean()
      .optional()
      .describe('If true, nothing is sent. The response contains only the number of deliveries.'),
  })
  .describe('The events to send again.');

const Counted = z
  .strictObject({
    count: z.int().min(0).meta({
      description: 'Number of deliveries that would be created or, with `retrying`, attempted.',
    }),
    endpoint_id: z.string(),
    mode: replayMode,
    types: z.array(z.enum(EVENT_TYPES)),
    since: unixTime,
    until: unixTime,
  })
  .meta({ id: 'ReplayCount', description: 'What a replay would send.' });

function replayManyRoute(deps: ReplayRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/webhooks/{id}/replay',
    operationId: 'replayWebhook',
    tag: 'Webhook endpoints',
    scope: 'replay',
    summary: 'Replay many events',
    description:
      'A job sends the events to this endpoint, oldest first, as fast as the endpoint ' +
      'acknowledges them. Current events have priority. The job is complete when each delivery ' +
      'has been attempted once. With the mode `retrying`, no deliveries are created. Instead, ' +
      'deliveries that wait for their next attempt are attempted immediately, despite the circuit ' +
      'breaker and `Retry-After`. If the first attempt fails, the others follow one at a time. While the ' +
      'endpoint is disabled, the job waits. Test events are sent only to their own endpoint. ' +
      'Erased events are skipped.',
    params: { id: idParam('we', 'webhook endpoint') },
    body: { schema: manyBody },
    answers: {
      200: {
        description:
          'The number of deliveries that the replay would create or attempt (`dry_run`).',
        schema: Counted,
      },
      202: { description: 'The job has started.', schema: Job, location: true },
    },
    errors: ['endpoint_disabled'],
    inFlight: () => 'replay_requests',
    handle: async ({ answering, caller, params: { id }, body }) => {
      const { namespace, keyId } = caller;
      const { since, until, mode = 'failed', types = [], dry_run: isDryRun } = body;
      const request = {
        namespace,
        endpointId: id,
        since: since * 1_000,
        until: until === undefined ? null : until * 1_000,
        mode,
        types,
      };
      if (isDryRun === true) {
        return { status: 200, body: countedView(await countReplay(deps, request)) };
      }
      return answering(
        audited(
          caller,
          (beforeCommit) =>
            createReplayJob(deps, { ...request, actor: keyActor(keyId) }, beforeCommit),
          (job) => ({
            action: 'job.created',
            target: fromUuid('job', job.id),
            after: { ...replayView(job), total: job.total },
          }),
        ),
        (job) => ({
          status: 202,
          body: jobView(job),
          headers: { Location: `/v1/jobs/${fromUuid('job', job.id)}` },
        }),
      );
    },
  });
}

type Replay = Pick<ReplayPlan, 'endpointId' | 'mode' | 'types' | 'since' | 'until'>;

function countedView({ count, ...plan }: ReplayPlan & { count: number }): z.output<typeof Counted> {
  return { count, ...replayView(plan) };
}

function replayView({ endpointId, mode, types, since, until }: Replay) {
  return {
    endpoint_id: fromUuid('we', endpointId),
    mode,
    types: [...types],
    since: unixSec(since),
    until: untilSec(until),
  };
}

function listRoute(deps: ReplayRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/jobs',
    operationId: 'listJobs',
    tag,
    scope: 'read',
    summary: 'List jobs, newest first',
    query: {
      status: z.enum(JOB_STATUSES, `must be one of ${JOB_STATUSES.join(', ')}`).optional(),
      endpoint_id: idValue('we').optional(),
      ...idPage('job'),
    },
    answers: { 200: { description: 'A page of jobs.', schema: pageSchema(Job) } },
    handle: async ({ caller: { namespace }, query }) => {
      const { status, endpoint_id: endpointId, cursor: before, limit } = query;
      const filter = { namespace, status, endpointId, before, limit: limit + 1 };
      const rows = await listJobs(deps.pool, filter);
      const page = { limit, view: jobView, cursorOf: idCursor('job') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

function readRoute(deps: ReplayRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/jobs/{id}',
    operationId: 'getJob',
    tag,
    scope: 'read',
    summary: 'Read a job and its progress',
    params,
    answers: { 200: { description: 'The job.', schema: Job } },
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: jobView(found(await readJob(deps.pool, { namespace, id }), 'job')),
    }),
  });
}

function stopRoute(deps: ReplayRoutesDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/jobs/{id}',
    operationId: 'stopJob',
    tag,
    scope: 'replay',
    summary: 'Stop a job',
    description:
      'Takes effect immediately. The job creates no more deliveries. Its deliveries without an ' +
      'attempt in progress are canceled (with `retrying`, they return to their schedule). The job ' +
      'stays readable, with `status: stopped`.',
    params,
    answers: { 204: { description: 'The job is stopped.' } },
    errors: ['job_finished'],
    handle: async ({ caller, params: { id } }) => {
      await audited(
        caller,
        (beforeCommit) => stopJob(deps, { namespace: caller.namespace, id }, beforeCommit),
        () => ({
          action: 'job.stopped',
          target: fromUuid('job', id),
          before: { status: 'running' },
          after: { status: 'stopped' },
        }),
      )(noCommitHook);
      return { status: 204 };
    },
  });
}
