import { z } from 'zod';
import {
  listRolloutLines,
  readLastRolloutLine,
  type RolloutLine,
} from '../agents/rollouts/rollouts.sql.ts';
import { isInProgress } from '../agents/rollouts/plan-rollout.ts';
import { requireAgent } from '../agents/write-agent.ts';
import { audited } from '../audit/audited.ts';
import { found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import { numberCursor, numberPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { changeRollout, type RolloutChange } from './change-rollout.ts';
import { judgeRollout, type Evidence } from './judge-rollout.ts';
import type { RolloutDeps } from './look-at-rollout.ts';
import { Rollout, RolloutAct, rolloutActView, rolloutView } from './rollout.view.ts';

const tag = 'Rollouts';
const params = { id: idParam('agt', 'agent') };
const answers = { 200: { description: 'The rollout.', schema: Rollout } };

/** Returns the routes for an agent's rollouts (contract/rollouts.md). */
export function rolloutRoutes(deps: RolloutDeps): Route[] {
  return [readRoute(deps), listRoute(deps), ...CHANGES.map((change) => changeRoute(deps, change))];
}

function readRoute(deps: RolloutDeps): Route {
  return route({
    method: 'get',
    path: '/v1/agents/{id}/rollout',
    operationId: 'getRollout',
    tag,
    scope: 'read',
    summary: 'Read the rollout in progress or the last rollout',
    description: 'Responds with 404 if the agent never had a rollout.',
    params,
    answers,
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const { id: agentId } = await requireAgent(deps, { namespace, id });
      const line = found(await readLastRolloutLine(deps.pool, agentId), 'rollout');
      return { status: 200, body: await shownRollout(deps, line) };
    },
  });
}

/** Returns a rollout with its metrics. For a rollout that has ended, returns the metrics stored when it ended. */
async function shownRollout(
  deps: RolloutDeps,
  line: RolloutLine,
): Promise<z.output<typeof Rollout>> {
  // The cast is safe: stored evidence is null or an `Evidence`.
  const isOver: boolean = !isInProgress(line);
  const stored = isOver ? (line.evidence as Evidence | null) : null;
  return rolloutView(line, stored ?? (await judgeRollout(deps.pool, line)));
}

function listRoute(deps: RolloutDeps): Route {
  return route({
    method: 'get',
    path: '/v1/agents/{id}/rollouts',
    operationId: 'listRollouts',
    tag,
    scope: 'read',
    summary: 'List the changes to all rollouts, newest first',
    params,
    query: numberPage('rollouts'),
    answers: { 200: { description: 'A page of changes.', schema: pageSchema(RolloutAct) } },
    handle: async ({ caller: { namespace }, params: { id }, query: { limit, cursor: before } }) => {
      const { id: agentId } = await requireAgent(deps, { namespace, id });
      const rows = await listRolloutLines(deps.pool, { agentId, before, limit: limit + 1 });
      const cursorOf = (row: RolloutLine) => numberCursor('rollouts', row.seq);
      return { status: 200, body: pageOf(rows, { limit, view: rolloutActView, cursorOf }) };
    },
  });
}

const CHANGES = ['advance', 'hold', 'resume', 'abort'] as const satisfies RolloutChange[];

const WORDS = {
  advance: {
    operationId: 'advanceRollout',
    summary: 'Advance a rollout to its next step',
    description:
      'Ends the step regardless of its checks. After the last step, the new version is live for ' +
      'all new conversations.',
    action: 'agent.rollout_advanced',
  },
  hold: {
    operationId: 'holdRollout',
    summary: 'Hold a rollout at its current weight',
    description:
      'The rollout no longer advances. It is still aborted if the new version is worse, unless `on_fail` is `hold`.',
    action: 'agent.rollout_held',
  },
  resume: {
    operationId: 'resumeRollout',
    summary: 'Resume a held rollout',
    description: 'The maximum duration of the current step starts again.',
    action: 'agent.rollout_resumed',
  },
  abort: {
    operationId: 'abortRollout',
    summary: 'Abort a rollout',
    description:
      'All new conversations get the old version. Conversations in progress keep theirs. The new ' +
      'version stays unpublished until the content changes or somebody publishes it.',
    action: 'agent.rollout_aborted',
  },
} as const;

const body = z
  .strictObject({
    reason: z
      .string()
      .max(1024)
      .optional()
      .describe(
        'Reason for the change, stored in the rollout log. An event about the change includes it.',
      ),
  })
  .describe('The reason for the change.');

function changeRoute(deps: RolloutDeps, change: RolloutChange): Route {
  const { action, ...words } = WORDS[change];
  return route({
    method: 'post',
    path: `/v1/agents/{id}/rollout/${change}`,
    ...words,
    tag,
    scope: 'publish',
    params,
    body: { schema: body, isOptional: true },
    answers,
    errors: ['no_rollout', 'write_conflict'],
    handle: async ({ answering, caller, params: { id }, body: { reason = null } }) => {
      const { namespace, actor } = caller;
      const { id: agentId } = await requireAgent(deps, { namespace, id });
      return answering(
        audited(
          caller,
          (beforeCommit) => changeRollout(deps, { agentId, change, actor, reason }, beforeCommit),
          ({ line }) => ({
            action,
            target: fromUuid('agt', agentId),
            after: { rollout: line.publicId, step: line.step + 1, weight: line.weight },
            detail: { reason },
          }),
        ),
        ({ line, evidence }) => ({ status: 200, body: rolloutView(line, evidence) }),
      );
    },
  });
}
