import { z } from 'zod';
import { team } from '../../agents/agent-escalation.ts';
import { acceptEscalation, requireEscalation } from './accept-escalation.ts';
import { closeEscalation } from './close-escalation.ts';
import { cannedReplyRoutes } from './canned-replies.routes.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import {
  countEscalations,
  listEscalations,
  reviewEscalationRow,
  type EscalationFilter,
  type EscalationRow,
  type EscalationStatus,
} from './escalations.sql.ts';
import { noteRoutes } from './notes.routes.ts';
import { keepEscalation, releaseEscalation } from './release-escalation.ts';
import { sayAsHuman } from './say-as-human.ts';
import { audited } from '../../audit/audited.ts';
import type { AuditLine } from '../../audit/audit-log.sql.ts';
import { fromUuid } from '../../ids.ts';
import {
  idCursor,
  idPage,
  listOrder,
  pageOf,
  pageSchema,
  totalCount,
  withTotal,
} from '../../platform/http/cursor.ts';
import { flag, idParam, idValue, timeBound } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { MessageAnswer, MessageBody, messageView, withTests } from '../record/conversation.view.ts';
import {
  Escalation,
  escalationStatus,
  escalationView,
  lineName,
  Person,
} from './escalation.view.ts';

const tag = 'Escalations';
const params = { id: idParam('esc', 'escalation') };
const answers = { 200: { description: 'The escalation.', schema: Escalation } };

/**
 * Returns the routes for escalations: conversations that need a human, and the actions of the humans who take over
 * (contract/escalations.md).
 */
export function escalationRoutes(deps: ConversationDeps): Route[] {
  return [
    listRoute(deps),
    readRoute(deps),
    acceptRoute(deps),
    declineRoute(deps),
    completeRoute(deps),
    releaseRoute(deps),
    heartbeatRoute(deps),
    reviewRoute(deps),
    sayRoute(deps),
    ...noteRoutes(deps),
    ...cannedReplyRoutes(deps),
  ];
}

function listRoute(deps: ConversationDeps): Route {
  return route({
    method: 'get',
    path: '/v1/escalations',
    operationId: 'listEscalations',
    tag,
    scope: 'read',
    summary: 'List escalations',
    query: {
      status: escalationStatus.optional(),
      conversation_id: idValue('conv').optional(),
      agent_id: idValue('agt').optional(),
      team: team.optional(),
      accepted_by: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe('`id` of the human agent who accepted the escalation.'),
      created_after: timeBound('Earliest creation of the escalation in Unix seconds, inclusive.'),
      created_before: timeBound('Latest creation of the escalation in Unix seconds, exclusive.'),
      finished_after: timeBound('Earliest end of the escalation in Unix seconds, inclusive.'),
      finished_before: timeBound('Latest end of the escalation in Unix seconds, exclusive.'),
      missed: flag.meta({
        description: 'If true, lists only `missed` escalations. If false, lists only the others.',
      }),
      test: withTests,
      order: listOrder,
      total: withTotal,
      ...idPage('esc'),
    },
    answers: {
      200: {
        description: 'A page of escalations.',
        schema: pageSchema(Escalation).extend({ total_count: totalCount }),
      },
    },
    handle: async ({ caller: { namespace }, query }) => {
      const filter: EscalationFilter = {
        namespace,
        status: query.status,
        conversationId: query.conversation_id,
        agentId: query.agent_id,
        team: query.team,
        acceptedBy: query.accepted_by,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        finishedAfter: query.finished_after,
        finishedBefore: query.finished_before,
        missed: query.missed,
        withTests: query.test,
        order: query.order,
        before: query.cursor,
        limit: query.limit + 1,
      };
      const rows = await listEscalations(deps.pool, filter);
      const total = query.total === true && {
        total_count: await countEscalations(deps.pool, filter),
      };
      const page = { limit: query.limit, view: escalationView, cursorOf: idCursor('esc') };
      return { status: 200, body: { ...pageOf(rows, page), ...total } };
    },
  });
}

function readRoute(deps: ConversationDeps): Route {
  return route({
    method: 'get',
    path: '/v1/escalations/{id}',
    operationId: 'getEscalation',
    tag,
    scope: 'read',
    summary: 'Read an escalation',
    params,
    answers,
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: escalationView(await requireEscalation(deps.pool, { namespace, id })),
    }),
  });
}

const acceptBody = z
  .strictObject({
    accepted_by: Person.extend({ name: lineName }).describe('The human agent who takes over.'),
    heartbeat_sec: z
      .int()
      .min(5)
      .max(3_600)
      .optional()
      .describe(
        'Maximum number of seconds without a heartbeat or a message. After that, the escalation is ' +
          'released and waits for another human agent. If omitted, no heartbeat is required.',
      ),
  })
  .describe('The human agent who takes over, and the heartbeat interval.');

function acceptRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/accept',
    operationId: 'acceptEscalation',
    tag,
    scope: 'write',
    summary: 'Accept an escalation',
    description:
      'The first request wins. Later requests are rejected with 409 `already_accepted`, which names the ' +
      'human agent who accepted.',
    params,
    body: { schema: acceptBody },
    answers,
    errors: ['already_accepted', 'escalation_closed'],
    handle: async ({ answering, caller, params: { id }, body }) => {
      const input = {
        namespace: caller.namespace,
        id,
        acceptedBy: body.accepted_by,
        heartbeatSec: body.heartbeat_sec ?? null,
      };
      return answering(
        audited(
          caller,
          (beforeCommit) => acceptEscalation(deps, input, beforeCommit),
          (row) => ({
            action: 'escalation.accepted',
            target: fromUuid('esc', id),
            before: { status: 'requested' },
            after: { status: row.status, accepted_by: { id: body.accepted_by.id } },
          }),
        ),
        (row) => ({ status: 200, body: escalationView(row) }),
      );
    },
  });
}

function declineRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/decline',
    operationId: 'declineEscalation',
    tag,
    scope: 'write',
    summary: 'Decline an escalation',
    description: 'The agent continues the conversation.',
    params,
    answers,
    errors: ['already_accepted', 'escalation_closed'],
    handle: async ({ answering, caller, params: { id } }) => {
      const input = { namespace: caller.namespace, id, to: 'declined' as const };
      return answering(
        audited(
          caller,
          (beforeCommit) => closeEscalation(deps, input, beforeCommit),
          auditLine('escalation.declined', 'requested'),
        ),
        shown,
      );
    },
  });
}

const by = Person.shape.id
  .clone()
  .optional()
  .describe(
    '`id` of the human agent who sends the request. If another human agent accepted the escalation, the ' +
      'response is 409 `already_accepted`.',
  );
const byBody = z.strictObject({ by }).describe('The human agent who sends the request.');

function completeRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/complete',
    operationId: 'completeEscalation',
    tag,
    scope: 'write',
    summary: 'Complete an escalation',
    description: 'Hands the conversation back to the agent.',
    params,
    body: { schema: byBody, isOptional: true },
    answers,
    errors: ['already_accepted', 'escalation_not_accepted', 'escalation_closed'],
    handle: async ({ answering, caller, params: { id }, body }) => {
      const key = { namespace: caller.namespace, id, by: body.by ?? null };
      return answering(
        audited(
          caller,
          (beforeCommit) => closeEscalation(deps, { ...key, to: 'completed' }, beforeCommit),
          auditLine('escalation.completed', 'accepted'),
        ),
        shown,
      );
    },
  });
}

const releaseBody = byBody
  .extend({ team: team.optional().describe('Team to ask next. Default: the same team.') })
  .describe('The human agent who releases the escalation, and the team to ask next.');

function releaseRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/release',
    operationId: 'releaseEscalation',
    tag,
    scope: 'write',
    summary: 'Release an escalation',
    description:
      'The escalation waits for another human agent, and its timeout starts again. The agent stays silent.',
    params,
    body: { schema: releaseBody, isOptional: true },
    answers,
    errors: ['already_accepted', 'escalation_not_accepted', 'escalation_closed'],
    handle: async ({ answering, caller, params: { id }, body }) => {
      const key = { namespace: caller.namespace, id, by: body.by ?? null };
      return answering(
        audited(
          caller,
          (beforeCommit) =>
            releaseEscalation(deps, { ...key, team: body.team ?? null }, beforeCommit),
          auditLine('escalation.released', 'accepted'),
        ),
        shown,
      );
    },
  });
}

function heartbeatRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/heartbeat',
    operationId: 'keepEscalation',
    tag,
    scope: 'write',
    summary: 'Send a heartbeat for an escalation',
    description:
      'Required if the escalation was accepted with `heartbeat_sec`. A message also counts as a ' +
      'heartbeat. A 409 response means that this human agent no longer has the escalation.',
    params,
    body: { schema: byBody, isOptional: true },
    answers,
    errors: ['already_accepted', 'escalation_not_accepted', 'escalation_closed'],
    handle: async ({ caller: { namespace }, params: { id }, body }) => ({
      status: 200,
      body: escalationView(await keepEscalation(deps, { namespace, id, by: body.by ?? null })),
    }),
  });
}

function reviewRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/review',
    operationId: 'reviewEscalation',
    tag,
    scope: 'write',
    summary: 'Review a missed escalation',
    description:
      'Records that somebody has reviewed an escalation that nobody accepted in time, so that it is no ' +
      'longer `missed`. Only the first review counts. An escalation that is not missed stays unchanged.',
    params,
    answers,
    handle: async ({ caller: { namespace, actor }, params: { id } }) => {
      const row = await reviewEscalationRow(deps.pool, { namespace, id, by: actor });
      return shown(row ?? (await requireEscalation(deps.pool, { namespace, id })));
    },
  });
}

const shown = (row: EscalationRow) => ({ status: 200 as const, body: escalationView(row) });

function auditLine(action: AuditLine['action'], from: EscalationStatus) {
  return (row: EscalationRow): AuditLine => ({
    action,
    target: fromUuid('esc', row.id),
    before: { status: from },
    after: { status: row.status },
  });
}

function sayRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/messages',
    operationId: 'sendHumanMessage',
    tag,
    scope: 'write',
    summary: 'Send a message as the human agent',
    params,
    body: { schema: MessageBody.extend({ by }) },
    answers: { 200: { description: 'Turns that the message added.', schema: MessageAnswer } },
    errors: ['already_accepted', 'escalation_not_accepted', 'escalation_closed'],
    handle: async ({ answering, caller: { namespace }, params: { id }, body: { text, by: who } }) =>
      answering(
        (beforeCommit) => sayAsHuman(deps, { namespace, id, text, by: who ?? null }, beforeCommit),
        (result) => ({ status: 200, body: messageView(result) }),
      ),
  });
}
