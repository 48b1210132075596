import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { MAX_INT32 } from '../platform/resources/schema/field-types.ts';
import { AgentPatch, AgentWrite } from './rest-agent.ts';
import { publishVersion, rollBack } from './pin-agent.ts';
import { etagOf } from '../platform/declare/precondition.ts';
import { listAgents, type AgentRow } from './agents.sql.ts';
import { noTimeZone, unknownTimeZone } from './agent-hours.ts';
import {
  findingOnce,
  requireProviders,
  whyCarrierSpeaks,
  type FindProvider,
  type Models,
} from './references/missing-providers.ts';
import type { AddressGuard } from '../platform/egress/address-guard.ts';
import { requireConfirmUrl } from './rollouts/confirm-problems.ts';
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
import { declaredRoutes, managedBy } from '../kinds/declared.routes.ts';
import { AGENT_KIND } from './agent.kind.ts';
import { flag, idParam } from '../platform/http/fields.ts';
import { route, type Answer, type Answers, type Route } from '../platform/http/route.ts';
import { Agent, agentView } from './agent.view.ts';

const tag = 'Agents';
const params = { id: idParam('agt', 'agent') };
const version = z.int().min(1).max(MAX_INT32);

const written: Answers = {
  200: { description: 'The agent after the change.', schema: Agent },
  202: { description: 'The agent is stored but not yet active; `ready` is false.', schema: Agent },
};

export type AgentRoutesDeps = AgentWriterDeps &
  RequireSourcesDeps &
  Models & { guard: AddressGuard; findProvider: FindProvider };

/** Returns the routes for agents and their live versions (contract/agents.md). */
export function agentRoutes(deps: AgentRoutesDeps): Route[] {
  const answerOf = async ({ row, shown }: Pick<WrittenAgent, 'row' | 'shown'>) => ({
    etag: etagOf(row),
    body: await shownAgent(deps, row),
    shown,
  });
  return [
    ...declaredRoutes({
      names: AGENT_KIND,
      tag,
      describe: {
        create:
          'The content becomes version 1, which goes live immediately unless `publish_policy` is ' +
          '`manual`.',
      },
      schemas: { Write: AgentWrite, Patch: AgentPatch, Shown: Agent },
      query: {
        name: z.string().max(63).optional(),
        managed_by: managedBy,
        ready: flag,
        model_provider: z
          .string()
          .max(63)
          .optional()
          .describe(
            'Returns only agents that name this model provider, directly or as a fallback.',
          ),
      },
      alsoNeeds: {
        create: {
          scope: 'publish',
          when: '`publish_policy` is not `manual`, or `widget` names an origin',
        },
        patch: {
          scope: 'publish',
          when: 'the request changes `publish_policy`, adds an origin to `widget` or raises the limit of `widget`',
        },
      },
      errors: { create: ['name_taken', 'quota_exceeded'] },
      api: {
        list: async ({ managed_by, model_provider: modelProvider, ...filter }) => {
          const rows = await listAgents(deps.pool, {
            ...filter,
            managedBy: managed_by,
            modelProvider,
          });
          const findProvider = findingOnce(deps.findProvider);
          return Promise.all(
            rows.map(async (row) => ({
              id: row.id,
              body: await shownAgent({ ...deps, findProvider }, row),
              fits: row.fits,
            })),
          );
        },
        read: async (key) => answerOf({ row: await requireAgent(deps, key), shown: true }),
        create: async (caller, { body: { name, ...fields }, plan }) => {
          await requireReferences(deps, caller.namespace, fields);
          return answerOf(await createAgent(deps, caller, { name, fields, plan }));
        },
        patch: async (caller, input) => {
          if (Object.hasOwn(input.patch, 'name')) throw nameIsFixed();
          await requireReferences(deps, caller.namespace, input.patch);
          return answerOf(await patchAgent(deps, caller, input));
        },
        remove: (caller, input) => deleteAgent(deps, caller, input),
      },
    }),
    ...activationRoutes(deps),
  ];
}

async function shownAgent(
  deps: Models & { findProvider: FindProvider },
  row: AgentRow,
): Promise<Record<string, unknown>> {
  return agentView(row, deps, await whyCarrierSpeaks(deps.findProvider, row.namespace, row.spec));
}

/**
 * Checks that the agents, sources and providers named in a request exist. @throws ApiError invalid_body, which lists
 * those that are missing
 */
async function requireReferences(
  deps: AgentRoutesDeps,
  namespace: string,
  fields: object,
): Promise<void> {
  requireTimeZone(fields);
  requireConfirmUrl(deps.guard, fields);
  await requireTools(deps, namespace, fields);
  await requireSources(deps, namespace, fields);
  await requireProviders(deps, namespace, fields);
}

const publishBody = z
  .strictObject({
    version: version
      .optional()
      .describe('Version to pin. See the description of the operation for the default.'),
  })
  .describe('The version to make live.');
const rollbackBody = z
  .strictObject({
    version: version
      .optional()
      .describe(
        'Version to roll back to, lower than the active one. Default: the highest such version ' +
          'that has been live and was not recalled.',
      ),
    reason: z
      .string()
      .max(1024)
      .optional()
      .describe('Reason for the rollback, stored in the history and sent with the event.'),
  })
  .describe('The version to roll back to, and the reason.');

function activationRoutes(deps: AgentRoutesDeps): Route[] {
  const errors = [
    'managed_elsewhere',
    'write_conflict',
    'unknown_version',
    'version_recalled',
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
        'Pins `version`. If `version` is absent, the effect depends on `publish_policy`: `automatic` ' +
        'removes the pin, so that the current content goes live; `progressive` removes the pin, so that ' +
        'the current content begins a rollout; `manual` pins the latest version.',
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
      summary: 'Roll back to an earlier version',
      description:
        'Pins the earlier version. Later changes create versions that stay unpublished until the next ' +
        'publish.',
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

async function writtenAnswer(deps: AgentRoutesDeps, { row, shown }: WrittenAgent): Promise<Answer> {
  const headers = { ETag: etagOf(row) };
  return { status: shown ? 200 : 202, body: await shownAgent(deps, row), headers };
}

function nameIsFixed(): ApiError {
  const detail = 'The `name` of the agent cannot change. Create another agent instead.';
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/name', code: 'immutable', detail }],
  });
}

/** Checks the time zone of working hours. @throws ApiError invalid_body */
function requireTimeZone({ escalation }: { escalation?: unknown }): void {
  const zone = unknownTimeZone(escalation);
  if (zone === undefined) return;
  const detail = noTimeZone(zone);
  const pointer = '/escalation/hours/time_zone';
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer, code: 'unknown_time_zone', detail }],
  });
}
