import { z } from 'zod';
import { acceptEscalation, requireEscalation } from './accept-escalation.ts';
import { closeEscalation } from './close-escalation.ts';
import type { ConversationDeps } from '../record/conversation-deps.ts';
import { listEscalations } from './escalations.sql.ts';
import { sayAsHuman } from './say-as-human.ts';
import { audited } from '../../audit/audited.ts';
import { fromUuid } from '../../ids.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { idParam, idValue, timeBound } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { MessageAnswer, MessageBody, messageView } from '../record/conversation.view.ts';
import { Escalation, escalationStatus, escalationView, Person } from './escalation.view.ts';

const tag = 'Escalations';
const params = { id: idParam('esc', 'escalation') };
const answers = { 200: { description: 'The escalation.', schema: Escalation } };

/** Conversations that need a human, and what humans do there (contract §4). */
export function escalationRoutes(deps: ConversationDeps): Route[] {
  return [
    listRoute(deps),
    readRoute(deps),
    acceptRoute(deps),
    closeRoute(deps, {
      act: 'decline',
      to: 'declined',
      summary: 'Decline an escalation',
      description: 'Nobody will come: the agent goes on.',
      errors: ['already_accepted', 'escalation_closed'],
    }),
    closeRoute(deps, {
      act: 'complete',
      to: 'completed',
      summary: 'Hand back to the agent',
      description: 'The human has done their part: the agent goes on.',
      errors: ['escalation_not_accepted', 'escalation_closed'],
    }),
    sayRoute(deps),
  ];
}

function listRoute(deps: ConversationDeps): Route {
  return route({
    method: 'get',
    path: '/v1/escalations',
    operationId: 'listEscalations',
    tag,
    scope: 'read',
    summary: 'List escalations, newest first',
    query: {
      status: escalationStatus.optional(),
      conversation_id: idValue('conv').optional(),
      agent_id: idValue('agt').optional(),
      accepted_by: z.string().min(1).max(256).optional().describe('The `id` of who accepted it.'),
      created_after: timeBound('When it was asked for; Unix seconds, inclusive.'),
      created_before: timeBound('Unix seconds, exclusive.'),
      finished_after: timeBound('Unix seconds, inclusive.'),
      finished_before: timeBound('Unix seconds, exclusive.'),
      ...idPage('esc'),
    },
    answers: { 200: { description: 'A page of escalations.', schema: pageSchema(Escalation) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listEscalations(deps.pool, {
        namespace,
        status: query.status,
        conversationId: query.conversation_id,
        agentId: query.agent_id,
        acceptedBy: query.accepted_by,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        finishedAfter: query.finished_after,
        finishedBefore: query.finished_before,
        before: query.cursor,
        limit: query.limit + 1,
      });
      const page = { limit: query.limit, view: escalationView, cursorOf: idCursor('esc') };
      return { status: 200, body: pageOf(rows, page) };
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
  .strictObject({ accepted_by: Person.describe('Who takes over.') })
  .describe('Who takes over.');

function acceptRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/accept',
    operationId: 'acceptEscalation',
    tag,
    scope: 'write',
    summary: 'Take over a conversation',
    description: 'The first one wins; the second is answered who was.',
    params,
    body: { schema: acceptBody },
    answers,
    errors: ['already_accepted', 'escalation_closed'],
    handle: async ({ answering, caller, params: { id }, body }) => {
      const input = { namespace: caller.namespace, id, acceptedBy: body.accepted_by };
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

function closeRoute(
  deps: ConversationDeps,
  spec: Pick<Route, 'summary' | 'errors'> & {
    act: 'decline' | 'complete';
    to: 'declined' | 'completed';
    description: string;
  },
): Route {
  const { act, to, summary, description, errors } = spec;
  return route({
    method: 'post',
    path: `/v1/escalations/{id}/${act}`,
    operationId: `${act}Escalation`,
    tag,
    scope: 'write',
    summary,
    description,
    params,
    answers,
    errors,
    handle: async ({ answering, caller, params: { id } }) =>
      answering(
        audited(
          caller,
          (beforeCommit) =>
            closeEscalation(deps, { namespace: caller.namespace, id, to }, beforeCommit),
          (row) => ({
            action: `escalation.${to}`,
            target: fromUuid('esc', id),
            before: { status: to === 'declined' ? 'requested' : 'accepted' },
            after: { status: row.status },
          }),
        ),
        (row) => ({ status: 200, body: escalationView(row) }),
      ),
  });
}

function sayRoute(deps: ConversationDeps): Route {
  return route({
    method: 'post',
    path: '/v1/escalations/{id}/messages',
    operationId: 'sendHumanMessage',
    tag,
    scope: 'write',
    summary: 'Speak to the user as the human who took over',
    params,
    body: { schema: MessageBody },
    answers: { 200: { description: 'What the message added.', schema: MessageAnswer } },
    errors: ['escalation_not_accepted', 'escalation_closed'],
    handle: async ({ answering, caller: { namespace }, params: { id }, body: { text } }) =>
      answering(
        (beforeCommit) => sayAsHuman(deps, { namespace, id, text }, beforeCommit),
        (result) => ({ status: 200, body: messageView(result) }),
      ),
  });
}
