import { z } from 'zod';
import { team } from '../agents/agent-escalation.ts';
import { readActivationUnder } from '../agents/agent-activations.sql.ts';
import { activationView } from '../agents/agent.view.ts';
import { audited } from '../audit/audited.ts';
import type { TakeTurn } from './turns/take-turn.ts';
import { found } from '../errors.ts';
import { fromUuid } from '../ids.ts';
import type { ConversationDeps } from './record/conversation-deps.ts';
import { createEndInBatches } from './ending/end-in-batches.ts';
import type { Followers } from './follow-conversation.ts';
import { followConversationRoute } from './follow-conversation.routes.ts';
import { feedbackRoutes, type FeedbackRoutesDeps } from './feedback/feedback.routes.ts';
import { requestEscalation } from './escalations/request-escalation.ts';
import { createStartInBatches } from './record/start-in-batches.ts';
import {
  metadata,
  metadataPatch,
  variables,
  idParam,
  idValue,
  requireFewMembers,
} from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import {
  channel,
  Conversation,
  ConversationRead,
  conversationView,
  outcome,
} from './record/conversation.view.ts';
import { listConversationsRoute } from './list-conversations.routes.ts';
import { MAX_INT32 } from '../platform/resources/schema/field-types.ts';
import {
  readConversation,
  lockConversation,
  setAbout,
  type ConversationRow,
} from './record/conversations.sql.ts';
import { Escalation, escalationView } from './escalations/escalation.view.ts';
import { messageRoute } from './turns/messages.routes.ts';
import { transcriptRoute } from './transcript.routes.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';

const tag = 'Conversations';
const params = { id: idParam('conv', 'conversation') };
const answers = { 200: { description: 'The conversation.', schema: Conversation } };

export type ConversationRoutesDeps = ConversationDeps &
  FeedbackRoutesDeps & {
    takeTurn: TakeTurn;
    /** Has the settings `BATCH_SETTINGS`. */
    batchPool: Pool;
    followers: Pick<Followers, 'open'>;
  };

/** Returns all routes for conversations (contract/conversations.md). */
export function conversationRoutes(deps: ConversationRoutesDeps): Route[] {
  return [
    startRoute(deps),
    listConversationsRoute(deps),
    readRoute(deps),
    changeRoute(deps),
    messageRoute(deps),
    endRoute(deps),
    escalateRoute(deps),
    ...feedbackRoutes(deps),
    transcriptRoute(deps),
    followConversationRoute(deps),
  ];
}

const userId = z.string().min(1).max(256);

const ConversationWrite = z
  .strictObject({
    agent_id: idValue('agt').describe('Agent that handles the conversation.'),
    agent_version: z
      .int()
      .min(1)
      .max(MAX_INT32)
      .optional()
      .describe(
        'Version of the agent. Default: the active version. A version that was never live is accepted ' +
          'only with `test`. An unknown version is rejected with 422 `unknown_version`. Without `test`, a ' +
          'recalled version is rejected with 409 `version_recalled`.',
      ),
    test: z
      .boolean()
      .default(false)
      .describe(
        'Marks the conversation as a test. A test emits no events, records no knowledge gaps, is ' +
          'excluded from statistics, and appears in lists only with `test=true`.',
      ),
    channel: channel.default('chat').describe('Medium through which the user and the agent talk.'),
    user_id: userId.optional().describe('Your own ID for the user.'),
    variables,
    metadata,
  })
  .describe('The conversation to start.');

function startRoute(deps: ConversationRoutesDeps): Route {
  const startInBatches = createStartInBatches(deps);
  return route({
    method: 'post',
    path: '/v1/conversations',
    operationId: 'startConversation',
    tag,
    scope: 'write',
    summary: 'Start a conversation',
    description:
      'The conversation uses `agent_version` or, by default, the active version until it ends. ' +
      "The agent's first message is turn 0 of the transcript.",
    body: { schema: ConversationWrite },
    answers: {
      201: { description: 'The new conversation.', schema: Conversation, location: true },
    },
    errors: ['not_published', 'unknown_version', 'version_recalled'],
    handle: async ({ answering, caller: { namespace }, body }) => {
      const { agent_id: agentId, agent_version: version, test, channel: by } = body;
      const { variables, metadata, user_id: userId = null } = body;
      const which = { namespace, agentId, version, test };
      const about = { ...which, channel: by, userId, variables, metadata };
      return answering(
        (beforeCommit) => startInBatches(about, beforeCommit),
        (row) => ({
          status: 201,
          body: conversationView(row),
          headers: { Location: `/v1/conversations/${fromUuid('conv', row.id)}` },
        }),
      );
    },
  });
}

function readRoute(deps: ConversationRoutesDeps): Route {
  return route({
    method: 'get',
    path: '/v1/conversations/{id}',
    operationId: 'getConversation',
    tag,
    scope: 'read',
    summary: 'Read a conversation',
    params,
    answers: { 200: { description: 'The conversation.', schema: ConversationRead } },
    handle: async ({ caller: { namespace }, params: { id } }) => {
      const row = found(await readConversation(deps.pool, { namespace, id }), 'conversation');
      const { agentId, agentVersion: version, startedAt: atMs } = row;
      const activation = await readActivationUnder(deps.pool, { agentId, version, atMs });
      const shown = activation ? activationView(activation) : null;
      return { status: 200, body: { ...conversationView(row), activation: shown } };
    },
  });
}

const ConversationPatch = z
  .strictObject({
    user_id: userId.nullable().optional().describe('Your own ID for the user. Null removes it.'),
    metadata: metadataPatch,
  })
  .describe('The fields of the conversation to change.');

function changeRoute(deps: ConversationRoutesDeps): Route {
  return route({
    method: 'patch',
    path: '/v1/conversations/{id}',
    operationId: 'updateConversation',
    tag,
    scope: 'write',
    summary: 'Change the user or metadata of a conversation',
    description:
      'Works in every status, even after the conversation has ended. Later events contain the new ' +
      'values; earlier events keep the old ones.',
    params,
    body: { schema: ConversationPatch },
    answers,
    handle: async ({ caller: { namespace }, params: { id }, body }) => {
      const patch = { userId: body.user_id, metadata: body.metadata };
      const about = { patch, check: requireFewMembers };
      return {
        status: 200,
        body: conversationView(await changeAbout(deps, { namespace, id }, about)),
      };
    },
  });
}

const endBody = z
  .strictObject({
    outcome: outcome
      .optional()
      .describe('Outcome of the conversation. By default, rules determine it.'),
  })
  .describe('How the conversation ends.');

function endRoute(deps: ConversationRoutesDeps): Route {
  const endInBatches = createEndInBatches(deps);
  return route({
    method: 'post',
    path: '/v1/conversations/{id}/end',
    operationId: 'endConversation',
    tag,
    scope: 'write',
    summary: 'End a conversation',
    params,
    body: { schema: endBody, isOptional: true },
    answers,
    errors: ['conversation_ended'],
    handle: async ({ answering, caller: { namespace }, params: { id }, body }) => {
      const end = { namespace, id, outcome: body.outcome };
      return answering(
        (beforeCommit) => endInBatches(end, beforeCommit),
        (row) => ({ status: 200, body: conversationView(row) }),
      );
    },
  });
}

const escalateBody = z
  .strictObject({
    reason: z
      .string()
      .min(1)
      .max(256)
      .default('api')
      .describe('Reason for the request, shown to the human agent who takes over.'),
    team: team.optional().describe("Team that should take over. Default: the agent's team."),
  })
  .describe('Why a human is needed.');

function escalateRoute(deps: ConversationRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/v1/conversations/{id}/escalate',
    operationId: 'escalateConversation',
    tag,
    scope: 'write',
    summary: 'Request a human',
    description:
      'The agent stays silent until the escalation is completed, is declined or times out.',
    params,
    body: { schema: escalateBody, isOptional: true },
    answers: { 201: { description: 'The new escalation.', schema: Escalation, location: true } },
    errors: ['conversation_ended', 'already_escalated'],
    handle: async ({ answering, caller, params: { id }, body: { reason, team: asked } }) =>
      answering(
        audited(
          caller,
          (beforeCommit) =>
            requestEscalation(
              deps,
              { namespace: caller.namespace, id, reason, team: asked ?? null },
              beforeCommit,
            ),
          (row) => ({
            action: 'escalation.requested',
            target: fromUuid('esc', row.id),
            after: { conversation_id: fromUuid('conv', id), status: row.status },
          }),
        ),
        (row) => ({
          status: 201,
          body: escalationView(row),
          headers: { Location: `/v1/escalations/${fromUuid('esc', row.id)}` },
        }),
      ),
  });
}

/**
 * Changes to the user and the metadata of a conversation, as a JSON merge patch: `null` removes a value, and omitted
 * fields stay unchanged.
 */
type AboutPatch = {
  userId?: string | null | undefined;
  metadata?: Readonly<Record<string, string | null>> | null | undefined;
};

/**
 * Changes the user and the metadata of a conversation in any status. Events that were emitted earlier stay unchanged.
 * `check` throws if it rejects the resulting metadata.
 * @throws ApiError not_found, also for an erased conversation
 */
async function changeAbout(
  { pool, changed }: Pick<ConversationDeps, 'pool' | 'changed'>,
  key: { namespace: string; id: string },
  { patch, check }: { patch: AboutPatch; check: (metadata: Record<string, string>) => void },
): Promise<ConversationRow> {
  const row = await inTransaction(pool, async (db) => {
    const row = found(await lockConversation(db, key), 'conversation');
    const metadata = merged(row.metadata, patch.metadata);
    check(metadata);
    const userId = patch.userId === undefined ? row.userId : patch.userId;
    return setAbout(db, { id: row.id, userId, metadata });
  });
  changed(row.id);
  return row;
}

function merged(
  metadata: Record<string, string>,
  patch: AboutPatch['metadata'],
): Record<string, string> {
  if (patch === null) return {};
  const all = Object.entries({ ...metadata, ...patch });
  return Object.fromEntries(all.filter((pair): pair is [string, string] => pair[1] !== null));
}
