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
 * Returns the routes that let a receiver check whether it has all events that were sent to it
 * (contract/webhooks.md#digest).
 */
export function receiptRoutes(deps: ReconcileDeps): Route[] {
  return [digestRoute(deps), reconcileRoute(deps)];
}

const hour = z
  .string()
  .regex(...saying(/^[0-9]{1,12}$/, 'must be a whole number of Unix seconds'))
  .transform(Number)
  .meta({
    description:
      'Start of the hour in Unix seconds, a multiple of 3600. The digest is available as long as ' +
      'events are stored: 30 days, or as configured.',
    type: 'integer',
    multipleOf: 3_600,
  });

const Digest = z
  .strictObject({
    hour: unixTime,
    count: z.int().min(0).meta({
      description: 'Number of events that the digest covers, including those not delivered yet.',
    }),
    sha256: z.string().meta({
      description:
        'Lower-case hex SHA-256 of the IDs of the counted events, in ascending order, joined by LF, ' +
        'without a trailing LF.',
    }),
    unfinished: z.int().min(0).meta({
      description: 'Number of counted events that are still queued and not acknowledged yet.',
    }),
    failed: z.int().min(0).meta({
      description:
        'Number of counted events whose delivery failed permanently. A replay sends them again.',
    }),
  })
  .meta({
    id: 'DeliveryDigest',
    description: 'Digest of the events that were sent to an endpoint in one hour.',
  });

function digestRoute(deps: ReconcileDeps): Route {
  return route({
    method: 'get',
    path: '/v1/webhooks/{id}/digest',
    operationId: 'digestWebhook',
    tag,
    scope: 'read',
    summary: 'Read the digest of the events of one hour',
    description:
      'Covers the events whose `created` is in the hour and for which a delivery to this ' +
      'endpoint was created, regardless of its result. Test events and events whose deliveries ' +
      'were all canceled are excluded. A receiver computes the same digest from the events ' +
      'that it has, and compares the two. For the current hour, the digest covers the events ' +
      'so far.',
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
      'Start of the period in Unix seconds, inclusive. It can go back as far as events are stored: ' +
        '30 days, or as configured.',
    ),
    until: givenTime
      .optional()
      .describe(
        'End of the period in Unix seconds, exclusive, at most 24 hours after `since`. Default: now.',
      ),
    ids: z
      .array(idValue('evt'))
      .max(IDS_MAX)
      .describe('IDs of all events that the receiver has and whose `created` is in the period.'),
    replay: z
      .boolean()
      .optional()
      .describe(
        'If true, missing events that have no unfinished delivery are sent again. Requires the ' +
          '`replay` scope.',
      ),
    limit: z
      .int()
      .min(1)
      .max(LIMIT_MAX)
      .optional()
      .describe('Maximum number of IDs in `missing` per page.'),
    cursor: cursorInBody('evt'),
  })
  .describe('The events that a receiver has.');

const ids = (description: string) => z.array(z.string()).meta({ description });

const Comparison = z
  .strictObject({
    since: unixTime,
    until: unixTime,
    missing: ids(
      'Events that were sent to the endpoint but that the receiver does not have, in ascending ' +
        'order. This list is paginated.',
    ),
    unfinished: ids('Events in `missing` with an unfinished delivery.'),
    erased: ids('Events in `missing` whose content was erased. They cannot be sent again.'),
    unknown: ids(
      'Events that the receiver has but that were never sent to this endpoint. Listed only on ' +
        'the first page, like `uncounted` and `outside`.',
    ),
    uncounted: ids(
      'Events that the receiver has but that no digest includes: test events, and events whose ' +
        'deliveries were all canceled.',
    ),
    outside: ids(
      'Events that the receiver has but that are outside the period. They are not compared.',
    ),
    delivery_ids: ids(
      'IDs of the deliveries that this request created. Empty unless `replay` was true.',
    ),
    has_more: z.boolean(),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Value of `cursor` for the next page. Null on the last page.' }),
  })
  .meta({
    id: 'Reconciliation',
    description: 'Difference between the events that were sent and the events that a receiver has.',
  });

function reconcileRoute(deps: ReconcileDeps): Route {
  return route({
    method: 'post',
    path: '/v1/webhooks/{id}/reconcile',
    operationId: 'reconcileWebhook',
    tag,
    scope: 'read',
    alsoNeeds: { scope: 'replay', when: '`replay` is true' },
    summary: 'Compare the events that a receiver has with the events that were sent',
    description:
      'Lists the events that were sent but that the receiver does not have, and the events that ' +
      'the receiver has but that were not sent. The missing events are paginated: send the ' +
      'same IDs with each cursor. With `replay`, the missing events on the page get new ' +
      'deliveries, which have lower priority than current events. Events with an unfinished ' +
      'delivery keep their schedule and get no second delivery.',
    params,
    body: { schema: body, membersMax: IDS_MAX + 20 },
    answers: {
      200: { description: 'The comparison.', schema: Comparison },
      202: {
        description: 'The comparison. With `replay`, the missing events are queued.',
        schema: Comparison,
      },
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
