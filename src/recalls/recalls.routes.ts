import { z } from 'zod';
import { recallVersions, type RecallDeps } from '../agents/recalls/recall-versions.ts';
import { listRecalls, readRecall } from '../agents/recalls/recalls.sql.ts';
import { requireAgent } from '../agents/write-agent.ts';
import { audited } from '../audit/audited.ts';
import { ApiError, found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { givenTime, idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { MAX_INT32 } from '../platform/resources/schema/field-types.ts';
import { recallListRoutes } from './recall-lists.routes.ts';
import { Recall, recallView } from './recall.view.ts';

const tag = 'Recalls';
const agentParams = { id: idParam('agt', 'agent') };
const params = { ...agentParams, recall_id: idParam('rcl', 'recall') };

/** Returns the routes for recalls of an agent's versions (contract/recalls.md). */
export function recallRoutes(deps: RecallDeps): Route[] {
  return [createRoute(deps), listRoute(deps), readRoute(deps), ...recallListRoutes(deps)];
}

const VERSIONS_MAX = 20;

const body = z
  .strictObject({
    versions: z
      .array(z.int().min(1).max(MAX_INT32))
      .min(1)
      .max(VERSIONS_MAX)
      .refine((given) => new Set(given).size === given.length, 'must list each version only once')
      .describe('The versions to recall. They can never go live again.'),
    since: givenTime
      .optional()
      .describe(
        'The recall affects conversations that started at or after this time, in Unix seconds. The time is ' +
          'rounded down to a quarter of an hour. Default: all conversations.',
      ),
    reason: z.string().max(1024).optional().describe('Reason for the recall.'),
  })
  .describe('The versions to recall, and the conversations that the recall affects.');

/**
 * Seconds in a quarter of an hour. `since` is rounded down to a multiple of it, because statistics are counted per
 * quarter of an hour (docs/decisions/0081).
 */
const QUARTER_SEC = 900;

function createRoute(deps: RecallDeps): Route {
  return route({
    method: 'post',
    path: '/v1/agents/{id}/recalls',
    operationId: 'recallVersions',
    tag,
    scope: 'publish',
    summary: 'Recall versions',
    description:
      'A recalled version can never go live again, and a recall cannot be undone. A live version ' +
      'cannot be recalled: roll back first. A rollout to a recalled version is aborted. ' +
      'Conversations in progress keep their version.',
    params: agentParams,
    body: { schema: body },
    answers: { 201: { description: 'The recall.', schema: Recall, location: true } },
    errors: ['unknown_version', 'version_is_live'],
    handle: async ({ answering, caller, params: { id }, body: given }) => {
      const { namespace, actor } = caller;
      const { versions, since, reason = null } = given;
      requirePast(deps, since);
      const { id: agentId } = await requireAgent(deps, { namespace, id });
      const from =
        since === undefined ? null : Math.floor(since / QUARTER_SEC) * QUARTER_SEC * 1_000;
      const input = {
        namespace,
        agentId,
        versions: versions.toSorted((a, b) => a - b),
        since: from,
        reason,
        actor,
      };
      return answering(
        audited(
          caller,
          (beforeCommit) => recallVersions(deps, input, beforeCommit),
          (recall) => ({
            action: 'agent.recalled',
            target: fromUuid('agt', agentId),
            after: { recall: fromUuid('rcl', recall.id), versions: recall.versions },
            detail: { reason },
          }),
        ),
        (recall) => {
          const view = recallView(recall);
          const headers = { Location: `/v1/agents/${view.agent_id}/recalls/${view.id}` };
          return { status: 201, body: view, headers };
        },
      );
    },
  });
}

/** @throws ApiError invalid_body */
function requirePast({ nowMs }: RecallDeps, since: number | undefined): void {
  if (since === undefined || since * 1_000 <= nowMs()) return;
  const detail = '`since` must not be in the future.';
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/since', code: 'invalid_value', detail }],
  });
}

function listRoute(deps: RecallDeps): Route {
  return route({
    method: 'get',
    path: '/v1/agents/{id}/recalls',
    operationId: 'listRecalls',
    tag,
    scope: 'read',
    summary: 'List recalls, newest first',
    params: agentParams,
    query: idPage('rcl'),
    answers: { 200: { description: 'A page of recalls.', schema: pageSchema(Recall) } },
    handle: async ({ caller: { namespace }, params: { id }, query: { limit, cursor: before } }) => {
      const { id: agentId } = await requireAgent(deps, { namespace, id });
      const rows = await listRecalls(deps.pool, { agentId, before, limit: limit + 1 });
      const page = { limit, view: recallView, cursorOf: idCursor('rcl') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

function readRoute(deps: RecallDeps): Route {
  return route({
    method: 'get',
    path: '/v1/agents/{id}/recalls/{recall_id}',
    operationId: 'getRecall',
    tag,
    scope: 'read',
    summary: 'Read a recall',
    params,
    answers: { 200: { description: 'The recall.', schema: Recall } },
    handle: async ({ caller: { namespace }, params: { id: agent, recall_id: id } }) => {
      const { id: agentId } = await requireAgent(deps, { namespace, id: agent });
      const recall = found(await readRecall(deps.pool, { agentId, id }), 'recall');
      return { status: 200, body: recallView(recall) };
    },
  });
}
