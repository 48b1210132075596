import { z } from 'zod';
import { found } from '../errors.ts';
import { createCall, type CreateCallDeps } from './create-call.ts';
import { endCall, type EndCallDeps } from './end-call.ts';
import { CALL_STATUSES, DIRECTIONS, listCalls, readCall } from './calls.sql.ts';
import { SIMULATED, SimulatedScript } from './transports/simulated.ts';
import { WEB_VOICE } from './transports/web-voice.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import {
  metadata,
  variables,
  idParam,
  idValue,
  PHONE,
  phoneFilter,
  timeBound,
} from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { itemsThatFit } from '../platform/postgres/list-filters.ts';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import { Call, callView } from './call.view.ts';

const tag = 'Calls';
const params = { id: idParam('call', 'call') };

export type CallRoutesDeps = CreateCallDeps & EndCallDeps;

/** Returns the routes of telephone calls (contract/calls.md). */
export function callRoutes(deps: CallRoutesDeps): Route[] {
  return [listRoute(deps), createRoute(deps), readRoute(deps), endRoute(deps)];
}

function listRoute(deps: CallRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/calls',
    operationId: 'listCalls',
    tag,
    scope: 'read',
    summary: 'List calls, newest first',
    query: {
      status: z.enum(CALL_STATUSES, `must be one of ${CALL_STATUSES.join(', ')}`).optional(),
      direction: z.enum(DIRECTIONS, `must be one of ${DIRECTIONS.join(', ')}`).optional(),
      agent_id: idValue('agt').optional(),
      conversation_id: idValue('conv').optional(),
      from: phoneFilter,
      to: phoneFilter,
      created_after: timeBound('Unix seconds, inclusive.'),
      created_before: timeBound('Unix seconds, exclusive.'),
      ...idPage('call'),
    },
    answers: { 200: { description: 'A page of calls.', schema: pageSchema(Call) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listCalls(deps.pool, {
        namespace,
        status: query.status,
        direction: query.direction,
        agentId: query.agent_id,
        conversationId: query.conversation_id,
        from: query.from,
        to: query.to,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        before: query.cursor,
        limit: query.limit + 1,
      });
      const limit = itemsThatFit(rows, query.limit);
      const page = { limit, view: callView, cursorOf: idCursor('call') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

const phoneNumber = z
  .string()
  .regex(...PHONE)
  .meta({ example: '+442071838750' });

const CallWrite = z
  .strictObject({
    agent_id: idValue('agt').describe('Agent that conducts the call. It must be published.'),
    direction: z.enum(DIRECTIONS).default('outbound'),
    from: phoneNumber
      .optional()
      .describe('Caller’s number in E.164 format. Required for inbound calls.'),
    to: phoneNumber
      .optional()
      .describe('Number to call, in E.164 format. Required for outbound calls.'),
    provider: dnsLabel
      .clone()
      .refine(
        (name) => name !== WEB_VOICE,
        'cannot be `web_voice`: only a visitor to a web page can start such a call, by opening a talk',
      )
      .default(SIMULATED)
      .describe('Name of the TelephonyProvider that carries the call, or `simulated`.'),
    user_id: z.string().min(1).max(256).optional().describe('Your own ID for the user.'),
    variables,
    metadata,
    simulated: SimulatedScript.optional().describe(
      'Behavior of the other end if the provider is `simulated`. By default, it answers and stays silent.',
    ),
  })
  .superRefine(({ direction, from, to, provider, simulated }, context) => {
    if (simulated !== undefined && provider !== SIMULATED) {
      const message = `is allowed only if provider is "${SIMULATED}"`;
      context.addIssue({ code: 'custom', path: ['simulated'], message });
    }
    const [field, given] =
      direction === 'outbound' ? (['to', to] as const) : (['from', from] as const);
    if (given !== undefined) return;
    const message = `is required if direction is "${direction}"`;
    context.addIssue({ code: 'custom', path: [field], message });
  })
  .describe('A call to place, or an incoming call to simulate.');

function createRoute(deps: CallRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/calls',
    operationId: 'createCall',
    tag,
    scope: 'write',
    summary: 'Place a call',
    description:
      'The response shows the call as `queued`. Parley places the call immediately. The conversation starts when ' +
      'the call is answered. A TelephonyProvider calls only the countries in its `outbound`. The call comes from the ' +
      'number in `from`. By default, that is the first number bound to the agent, or else the first number of the ' +
      'provider. With the provider `simulated`, no telephone is needed: the other end follows a script.',
    body: { schema: CallWrite },
    answers: { 201: { description: 'The queued call.', schema: Call, location: true } },
    errors: ['not_published', 'rate_limited', 'too_many_in_flight'],
    handle: async ({ answering, caller: { namespace }, body }) =>
      answering(
        (beforeCommit) =>
          createCall(
            deps,
            {
              namespace,
              agentId: body.agent_id,
              direction: body.direction,
              from: body.from ?? null,
              to: body.to ?? null,
              provider: body.provider,
              providerOptions: body.simulated ?? {},
              userId: body.user_id ?? null,
              variables: body.variables,
              metadata: body.metadata,
            },
            beforeCommit,
          ),
        (row) => {
          const call = callView(row);
          return { status: 201, body: call, headers: { Location: `/v1/calls/${call.id}` } };
        },
      ),
  });
}

function readRoute(deps: CallRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/calls/{id}',
    operationId: 'getCall',
    tag,
    scope: 'read',
    summary: 'Read a call',
    params,
    answers: { 200: { description: 'The call.', schema: Call } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const call = found(await readCall(deps.pool, { namespace, id }), 'call');
      return { status: 200, body: callView(call) };
    },
  });
}

const endBody = z.strictObject({}).describe('An empty object.');

function endRoute(deps: CallRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/calls/{id}/end',
    operationId: 'endCall',
    tag,
    scope: 'write',
    summary: 'Hang up',
    description:
      'A call that has not been answered becomes `canceled`. An answered call becomes `completed`, and its ' +
      'conversation ends.',
    params,
    body: { schema: endBody, isOptional: true },
    answers: { 200: { description: 'The ended call.', schema: Call } },
    errors: ['call_ended'],
    handle: async ({ answering, caller: { namespace }, params: { id } }) =>
      answering(
        (beforeCommit) => endCall(deps, { namespace, id }, beforeCommit),
        (row) => ({ status: 200, body: callView(row) }),
      ),
  });
}
