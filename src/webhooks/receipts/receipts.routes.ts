import { z } from 'zod';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { audited } from '../../audit/audited.ts';
import { fromUuid } from '../../ids.ts';
import { cursorInBody, idCursor } from '../../platform/http/cursor.ts';
import { givenTime, idParam, idValue, unixTime } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { digestHour } from './digest-hour.ts';
import { reconcile, type Reconciled, type ReconcileDeps } from './reconcile.ts';

const tag = 'Webhook endpoints';
const params = { id: idParam('we', 'webhook endpoint') };

/**
 * Returns the routes with which a receiver checks that it has all events that were sent to it
 * (contract/webhooks.md#digest).
 */
export function receiptRoutes(deps: ReconcileDeps): Route[] {
  return [digestRoute(deps), reconcileRoute(deps)];
}

const hour = z
  .string()
  .regex(...saying(/^[0-9]{1,12}$/, 'must be the start of an hour in Unix seconds'))
  .transform(Number)
  .meta({
    description:
      'Start of the hour in Unix seconds, a multiple of 3600; of the last 30 days, or as long as events are kept.',
    type: 'integer',
    multipleOf: 3_600,
  });

const Digest = z
  .strictObject({
    hour: unixTime,
    count: z.int().min(0).meta({ description: 'Events that were sent, or are on their way.' }),
    sha256: z.string().meta({
      description:
        'Lower-case hex, over their ids in ascending order, joined by LF, without one at the end.',
    }),
    unfinished: z
      .int()
      .min(0)
      .meta({ description: 'Of these: not acknowledged, and tried again.' }),
    failed: z.int().min(0).meta({ description: 'Of these: given up. A replay sends them again.' }),
  })
  .meta({ id: 'DeliveryDigest', description: 'What an endpoint was sent in an hour.' });

function digestRoute(deps: ReconcileDeps): Route {
  return route({
    method: 'get',
    path: '/v1/webhooks/{id}/digest',
    operationId: 'digestWebhook',
    tag,
    scope: 'read',
    summary: 'Digest of what an endpoint was sent in an hour',
    description:
      'Of the events whose `created` lies in the hour and of which a delivery to this endpoint was ' +
      'made, whatever became of it; not of test events, nor of those whose deliveries were all ' +
      'canceled. A receiver makes the same of what it holds. An hour that is not over is answered ' +
      'with what is there.',
    params,
    query: { hour },
    answers: { 200: { description: 'The digest.', schema: Digest } },
    inFlight: () => 'replay_requests',
    handle: async ({ caller: { namespace }, params: { id: endpointId }, query }) => {
      const digest = await digestHour(deps, { namespace, endpointId, hour: query.hour });
      return { status: 200, body: { hour: query.hour, ...digest } };
    },
  });
}

const IDS_MAX = 10_000;
const LIMIT_MAX = 1_000;

const body = z
  .strictObject({
    since: givenTime.describe(
      'Unix seconds, inclusive; as long ago as events are kept: 30 days, or as set.',
    ),
    until: givenTime
      .optional()
      .describe('Unix seconds, exclusive, at most 24 hours after `since`. Default: now.'),
    ids: z
      .array(idValue('evt'))
      .max(IDS_MAX)
      .describe('Ids of all events with `created` in this window that the receiver holds.'),
    replay: z
      .boolean()
      .optional()
      .describe('True: what is missing and not on its way is sent again. Needs the scope replay.'),
    limit: z.int().min(1).max(LIMIT_MAX).optional().describe('Of `missing` in a page.'),
    cursor: cursorInBody('evt'),
  })
  .describe('What a receiver holds.');

const ids = (description: string) => z.array(z.string()).meta({ description });

const Comparison = z
  .strictObject({
    since: unixTime,
    until: unixTime,
    missing: ids('Sent to the endpoint and not held, ascending; a page of them.'),
    unfinished: ids('Of `missing`: still on their way.'),
    erased: ids('Of `missing`: their words were erased; they cannot be sent again.'),
    unknown: ids('Held, and never sent to this endpoint. On the first page only, as the next two.'),
    uncounted: ids(
      'Held and sent, but of no digest: test events, and those whose deliveries were all canceled.',
    ),
    outside: ids('Held, but of another time than this window; not looked at.'),
    delivery_ids: ids('With `replay`: the new deliveries.'),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'For `cursor`; null: the last page.' }),
  })
  .meta({ id: 'Reconciliation', description: 'What a receiver lacks, and what it has too much.' });

function reconcileRoute(deps: ReconcileDeps): Route {
  return route({
    method: 'post',
    path: '/v1/webhooks/{id}/reconcile',
    operationId: 'reconcileWebhook',
    tag,
    scope: 'read',
    alsoNeeds: { scope: 'replay', when: '`replay` is true' },
    summary: 'Compare what a receiver holds with what it was sent',
    description:
      'What was sent and is not held, page by page (send the same ids with each cursor), and what ' +
      'is held and was not sent. With `replay` the missing ones of the page get a new delivery, ' +
      'behind what happens meanwhile; those on their way keep their schedule and are not doubled.',
    params,
    body: { schema: body, membersMax: IDS_MAX + 20 },
    answers: {
      200: { description: 'The comparison.', schema: Comparison },
      202: { description: 'With `replay`: what is missing is on its way.', schema: Comparison },
    },
    errors: ['endpoint_disabled'],
    inFlight: () => 'replay_requests',
    handle: async ({ answering, caller, params: { id: endpointId }, body: given }) => {
      const { cursor: after, replay = false, limit = LIMIT_MAX, since, until } = given;
      const request = { endpointId, since, until, ids: given.ids, limit, after, replay };
      if (!replay) return { status: 200, body: view(await reconcile(deps, caller, request)) };
      return answering(
        audited(
          caller,
          (beforeCommit) => reconcile(deps, caller, request, beforeCommit),
          ({ deliveryIds, since: from, until: to }) => ({
            action: 'webhook.replayed',
            target: fromUuid('we', endpointId),
            after: { since: from, until: to },
            detail: { deliveries: deliveryIds.length },
          }),
        ),
        (result) => ({ status: 202, body: view(result) }),
      );
    },
  });
}

function view(result: Reconciled): z.output<typeof Comparison> {
  const { deliveryIds, hasMore, missing, since, until, ...lists } = result;
  const events = (uuids: readonly string[]): string[] => uuids.map((id) => fromUuid('evt', id));
  const last = missing.at(-1);
  return {
    since,
    until,
    missing: events(missing),
    unfinished: events(lists.unfinished),
    erased: events(lists.erased),
    unknown: events(lists.unknown),
    uncounted: events(lists.uncounted),
    outside: events(lists.outside),
    delivery_ids: deliveryIds.map((id) => fromUuid('dlv', id)),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? idCursor('evt')({ id: last }) : null,
  };
}
