import { z } from 'zod';
import {
  EVENT_DATA,
  EVENT_TYPES,
  isSubscribed,
  type EventData,
  type EventType,
} from '../../events/event-types.ts';
import { fromUuid } from '../../ids.ts';
import { EVENT_SAMPLES } from '../../events/samples.ts';
import { WebhookEndpointPatch, WebhookEndpointWrite } from './rest-webhook-endpoint.ts';
import type { RequireRoom } from '../queue/requested-room.ts';
import { countUnfinished, listEndpoints } from './webhook-endpoints.sql.ts';
import { showTestRequest } from './show-test-request.ts';
import { createSendTestEvent, type SendTestEventDeps } from './send-test-event.ts';
import {
  createEndpoint,
  deleteEndpoint,
  patchEndpoint,
  requireEndpoint,
  type EndpointWriterDeps,
} from './write-endpoint.ts';
import { declaredRoutes } from '../../kinds/declared.routes.ts';
import { WEBHOOK_ENDPOINT_KIND } from './webhook-endpoint.kind.ts';
import { parseBody } from '../../platform/http/field-errors.ts';
import { requireScope } from '../../platform/http/authorize.ts';
import { flag, idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import {
  CreatedWebhookEndpoint,
  endpointTag,
  endpointView,
  UNFINISHED_MAX,
  WebhookEndpoint,
} from './endpoint.view.ts';

const tag = 'Webhook endpoints';
const params = { id: idParam('we', 'webhook endpoint') };
const STATUSES = ['healthy', 'failing', 'disabled', 'not_ready'] as const;

export type WebhookRoutesDeps = EndpointWriterDeps &
  SendTestEventDeps & { version: string; requireRoom: RequireRoom };

/** Returns the routes of webhook endpoints (contract/webhooks.md). */
export function webhookRoutes(deps: WebhookRoutesDeps): Route[] {
  return [
    ...declaredRoutes({
      names: WEBHOOK_ENDPOINT_KIND,
      operation: 'Webhook',
      tag,
      describe: {
        create: 'Only this response shows the signing secret.',
        patch:
          'JSON merge patch (RFC 7386): null removes a field, lists are replaced, and `headers` ' +
          'sets or removes individual headers.',
        delete: 'Unfinished deliveries to the endpoint are canceled.',
      },
      schemas: {
        Write: WebhookEndpointWrite,
        Patch: WebhookEndpointPatch,
        Shown: WebhookEndpoint,
        Created: CreatedWebhookEndpoint,
      },
      query: {
        status: z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`).optional(),
        enabled: flag,
      },
      alsoNeeds: { patch: { scope: 'keys', when: '`url` changes to a different origin' } },
      errors: { create: ['quota_exceeded'] },
      api: {
        list: async (filter) =>
          (await listEndpoints(deps.pool, filter)).map((row) => ({
            id: row.id,
            body: endpointView(row),
          })),
        read: async (key) => {
          const row = await requireEndpoint(deps, key);
          const most = { endpointId: key.id, max: UNFINISHED_MAX };
          const unfinished = await countUnfinished(deps.pool, most);
          return { etag: endpointTag(row), body: endpointView(row, unfinished), shown: true };
        },
        create: async (caller, { body, plan }) => {
          const { row, secret, shown } = await createEndpoint(deps, caller, body, plan);
          return { etag: endpointTag(row), body: { ...endpointView(row), secret }, shown };
        },
        patch: async (caller, input) => {
          const { row, shown } = await patchEndpoint(deps, caller, input);
          return { etag: endpointTag(row), body: endpointView(row), shown };
        },
        remove: (caller, input) => deleteEndpoint(deps, caller, input),
      },
    }),
    testRoute(deps),
  ];
}

const testBody = z
  .strictObject({
    type: z
      .enum(EVENT_TYPES)
      .optional()
      .describe(
        'Type of the event. Default: `agent.published`, or the first subscribed type if the ' +
          'endpoint is not subscribed to `agent.published`.',
      ),
    data: z
      .record(z.string(), z.unknown())
      .meta({ maxProperties: 50 }) // Bounds the size of the data. No event type has more than 50 properties.
      .optional()
      .describe('Data of the event, with the fields of its type. Default: sample data.'),
    dry_run: z
      .boolean()
      .optional()
      .describe('If true, nothing is sent. The response shows the request as it would be sent.'),
  })
  .describe('The event to send.');

const Shown = z
  .strictObject({
    url: z.string(),
    method: z.literal('POST'),
    headers: z.record(z.string(), z.string()).meta({
      description:
        'All headers of the request. Extra headers of the endpoint have the value `[hidden]`.',
    }),
    body: z.string().meta({ description: 'The exact bytes of the body, as text.' }),
  })
  .meta({ id: 'TestRequest', description: 'The request that a receiver would get.' });

/**
 * Sends a test event. Load generators create events with this route, so it must be fast. A request that names the type
 * shares one batched statement with other requests. The API key is queried at most twice a second. The unfinished
 * deliveries are counted at most once a second.
 */
function testRoute(deps: WebhookRoutesDeps): Route {
  const sendTestEvent = createSendTestEvent(deps);
  return route({
    method: 'post',
    path: '/v1/webhooks/{id}/test',
    operationId: 'testWebhook',
    tag,
    scope: 'write',
    alsoNeeds: { scope: 'keys', when: '`dry_run` is true' },
    summary: 'Send a test event',
    description:
      'Sends a test event to this endpoint only, with the header `parley-test: true` and, by default, ' +
      'with sample data. Lists and streams omit test events unless `test=true`, and metrics do not count them.',
    params,
    body: { schema: testBody, isOptional: true },
    answers: {
      200: {
        description: 'The signed request as it would be sent (`dry_run`).',
        schema: Shown,
      },
      202: {
        description: 'The event is stored and its delivery is queued.',
        schema: z.strictObject({ event_id: z.string(), delivery_id: z.string() }),
      },
    },
    errors: ['endpoint_disabled', 'write_conflict', 'too_many_in_flight'],
    handle: async ({ answering, caller, params: { id: endpointId }, body }) => {
      if (body.dry_run === true) requireScope(caller, 'keys', SIGNED);
      const { namespace } = caller;
      const type = body.type ?? (await defaultType(deps, { namespace, id: endpointId }));
      const data = dataOf(type, body.data);
      if (body.dry_run === true) {
        const event = { namespace, endpointId, type, data };
        return { status: 200, body: await showTestRequest(deps, event) };
      }
      return answering(
        async (beforeCommit) => {
          await deps.requireRoom(namespace);
          return sendTestEvent({ namespace, endpointId, type, data }, beforeCommit);
        },
        ({ eventId, deliveryId }) => ({
          status: 202,
          body: { event_id: fromUuid('evt', eventId), delivery_id: fromUuid('dlv', deliveryId) },
        }),
      );
    },
  });
}

const SIGNED = 'the response of `dry_run` contains valid signatures';

/**
 * Returns the default type of a test event. It is a type to which the endpoint is subscribed, because the receiver may
 * not handle other types.
 */
async function defaultType(
  deps: WebhookRoutesDeps,
  key: { namespace: string; id: string },
): Promise<EventType> {
  const { eventTypes } = await requireEndpoint(deps, key);
  const usual = 'agent.published';
  if (isSubscribed(eventTypes, usual)) return usual;
  return EVENT_TYPES.find((type) => isSubscribed(eventTypes, type)) ?? usual;
}

/** Returns the given data if it is valid for the type. Without given data, returns the sample data of the type. */
function dataOf<T extends EventType>(type: T, given: unknown): EventData<T>;
function dataOf(type: EventType, given: unknown): unknown {
  return given === undefined ? EVENT_SAMPLES[type] : parseBody(EVENT_DATA[type], given, ['data']);
}
