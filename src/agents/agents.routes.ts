import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { MAX_INT32 } from '../platform/resources/schema/field-types.ts';
import { AgentPatch, AgentWrite } from './rest-agent.ts';
import { publishVersion, rollBack } from './pin-agent.ts';
import { etagOf } from '../platform/declare/precondition.ts';
import { listAgents, type AgentRow } from './agents.sql.ts';
import { noTimeZone, unknownTimeZone } from './agent-hours.ts';
import { requireProviders, type Models } from './references/missing-providers.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { requireTools } from './tools/tool-problems.ts';
import { requireSources, type RequireSourcesDeps } from './references/require-sources.ts';
import {
  createAgent,
  deleteAgent,
  patchAgent,
  requireAgent,
  type AgentWriterDeps,
  type WrittenAgent,
} from './write-agent.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { flag, idParam } from '../platform/http/fields.ts';
import { route, type Answer, type Answers, type Route } from '../platform/http/route.ts';
import { Agent, agentView } from './agent.view.ts';

const tag = 'Agents';
const params = { id: idParam('agt', 'agent') };
const MANAGERS = ['api', 'kubernetes', 'file'] as const;
const version = z.int().min(1).max(MAX_INT32);

const written: Answers = {
  200: { description: 'The agent, as it now is.', schema: Agent },
  202: { description: 'Written; not in force yet, `ready` is false.', schema: Agent },
};

export type AgentRoutesDeps = AgentWriterDeps &
  RequireSourcesDeps &
  Models & { guard: AddressGuard };

/** Agents and what is live of them (contract §4). */
export function agentRoutes(deps: AgentRoutesDeps): Route[] {
  return [...readRoutes(deps), ...writeRoutes(deps), ...activationRoutes(deps)];
}

function readRoutes(deps: AgentRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/agents',
      operationId: 'listAgents',
      tag,
      scope: 'read',
      summary: 'List agents, newest first',
      query: {
        name: z.string().max(63).optional(),
        managed_by: z.enum(MANAGERS, `must be one of ${MANAGERS.join(', ')}`).optional(),
        ready: flag,
        ...idPage('agt'),
      },
      answers: { 200: { description: 'A page of agents.', schema: pageSchema(Agent) } },
      handle: async ({ caller: { namespace }, query }) => {
        const { limit, cursor: before, name, managed_by: managedBy, ready } = query;
        const filter = { namespace, name, managedBy, ready, before, limit: limit + 1 };
        const rows = await listAgents(deps.pool, filter);
        const view = (row: AgentRow) => agentView(row, deps);
        const shown = { limit, view, cursorOf: idCursor('agt') };
        return { status: 200, body: pageOf(rows, shown) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/agents/{id}',
      operationId: 'getAgent',
      tag,
      scope: 'read',
      summary: 'Read an agent',
      params,
      answers: { 200: { description: 'The agent.', schema: Agent } },
      etag: true,
      handle: async ({ caller: { namespace }, params: { id } }) => {
        const agent = await requireAgent(deps, { namespace, id });
        return { status: 200, headers: { ETag: etagOf(agent) }, body: agentView(agent, deps) };
      },
    }),
  ];
}

function writeRoutes(deps: AgentRoutesDeps): Route[] {
  const errors = ['managed_elsewhere', 'write_conflict', 'precondition_failed'] as const;
  return [
    route({
      method: 'post',
      path: '/v1/agents',
      operationId: 'createAgent',
      tag,
      scope: 'write',
      alsoNeeds: {
        scope: 'publish',
        when: 'its `publish_policy` is not `manual`, or `widget` names an origin',
      },
      summary: 'Create an agent',
      description:
        'Its first content is version 1, live at once unless `publish_policy` is manual.',
      body: { schema: AgentWrite },
      answers: {
        201: { description: 'The new agent.', schema: Agent, location: true },
        202: { ...written[202]!, location: true },
      },
      errors: ['name_taken', 'quota_exceeded'],
      etag: true,
      handle: async ({ caller, plan, body: { name, ...fields } }) => {
        requireTimeZone(fields);
        await requireTools(deps, caller.namespace, fields);
        await requireSources(deps, caller.namespace, fields);
        await requireProviders(deps, caller.namespace, fields);
        const { row, shown } = await createAgent(deps, caller, { name, fields, plan });
        const body = agentView(row, deps);
        const headers = { Location: `/v1/agents/${String(body['id'])}`, ETag: etagOf(row) };
        return { status: shown ? 201 : 202, body, headers };
      },
    }),
    route({
      method: 'patch',
      path: '/v1/agents/{id}',
      operationId: 'updateAgent',
      tag,
      scope: 'write',
      alsoNeeds: {
        scope: 'publish',
        when: 'it changes `publish_policy`, or adds to the origins or the number of `widget`',
      },
      summary: 'Change an agent',
      description: 'JSON merge patch (RFC 7386): null removes a field, lists are replaced.',
      params,
      body: { schema: AgentPatch },
      answers: written,
      errors,
      etag: true,
      handle: async ({ caller, params: { id }, body: patch, precondition }) => {
        if (Object.hasOwn(patch, 'name')) throw nameIsFixed();
        requireTimeZone(patch);
        await requireTools(deps, caller.namespace, patch);
        await requireSources(deps, caller.namespace, patch);
        await requireProviders(deps, caller.namespace, patch);
        return writtenAnswer(deps, await patchAgent(deps, caller, { id, patch, precondition }));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/agents/{id}',
      operationId: 'deleteAgent',
      tag,
      scope: 'write',
      summary: 'Delete an agent',
      params,
      answers: { 204: { description: 'It is gone.' } },
      errors,
      etag: true,
      handle: async ({ caller, params: { id }, precondition }) => {
        await deleteAgent(deps, caller, { id, precondition });
        return { status: 204 };
      },
    }),
  ];
}

const publishBody = z
  .strictObject({ version: version.optional().describe('Version to pin; see the description.') })
  .describe('Which version is to be live.');
const rollbackBody = z
  .strictObject({
    version: version
      .optional()
      .describe('Below the active one; default: the highest such that has been live.'),
    reason: z.string().max(1024).optional().describe('Kept in the history and shown in the event.'),
  })
  .describe('Which version to go back to, and why.');

function activationRoutes(deps: AgentRoutesDeps): Route[] {
  const errors = [
    'managed_elsewhere',
    'write_conflict',
    'unknown_version',
    'precondition_failed',
  ] as const;
  return [
    route({
      method: 'post',
      path: '/v1/agents/{id}/publish',
      operationId: 'publishAgent',
      tag,
      scope: 'publish',
      summary: 'Make a version live',
      description:
        'With `version`: pins it. Without: under `automatic` removes the pin, so that the current ' +
        'content is live; under `manual` pins the latest version.',
      params,
      body: { schema: publishBody, isOptional: true },
      answers: written,
      errors,
      etag: true,
      handle: async ({ caller, params, body, precondition, plan }) => {
        const request = { ...params, version: body.version, precondition, plan };
        return writtenAnswer(deps, await publishVersion(deps, caller, request));
      },
    }),
    route({
      method: 'post',
      path: '/v1/agents/{id}/rollback',
      operationId: 'rollBackAgent',
      tag,
      scope: 'publish',
      summary: 'Go back to an earlier version',
      description: 'Pins it: later changes make versions that wait until the next publish.',
      params,
      body: { schema: rollbackBody, isOptional: true },
      answers: written,
      errors: [...errors, 'nothing_to_roll_back_to'],
      etag: true,
      handle: async ({ caller, params, body, precondition, plan }) => {
        const { version: wanted, reason = null } = body;
        const request = { ...params, version: wanted, reason, precondition, plan };
        return writtenAnswer(deps, await rollBack(deps, caller, request));
      },
    }),
  ];
}

function writtenAnswer(models: Models, { row, shown }: WrittenAgent): Answer {
  const headers = { ETag: etagOf(row) };
  return { status: shown ? 200 : 202, body: agentView(row, models), headers };
}

function nameIsFixed(): ApiError {
  const detail = 'a name never changes: make another agent';
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/name', code: 'immutable', detail }],
  });
}

/** @throws ApiError invalid_body */
function requireTimeZone({ escalation }: { escalation?: unknown }): void {
  const zone = unknownTimeZone(escalation);
  if (zone === undefined) return;
  const detail = noTimeZone(zone);
  const pointer = '/escalation/hours/time_zone';
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer, code: 'unknown_time_zone', detail }],
  });
}
