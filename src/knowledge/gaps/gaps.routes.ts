import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import { found } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';
import { idCursor, idPage, pageOf, pageSchema } from '../../platform/http/cursor.ts';
import { idParam, idValue, timeBound } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { gapStatus, gapView, KnowledgeGap } from './gap.view.ts';
import { changeAnswer, withdrawAnswer } from './change-answer.ts';
import { listGaps, readGap } from './knowledge-gaps.sql.ts';
import { resolveGap, type ResolveGapDeps } from './resolve-gap.ts';

const tag = 'Knowledge';
const params = { id: idParam('gap', 'knowledge gap') };

/** The questions agents could not answer (contract §4). */
export function gapRoutes(deps: ResolveGapDeps): Route[] {
  return [
    listGapsRoute(deps),
    readGapRoute(deps),
    resolveGapRoute(deps),
    changeAnswerRoute(deps),
    withdrawAnswerRoute(deps),
  ];
}

function listGapsRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/gaps',
    operationId: 'listKnowledgeGaps',
    tag,
    scope: 'read',
    summary: 'List questions that had no answer, newest first',
    description: 'With `status=resolved` those that were closed, and what was answered to them.',
    query: {
      status: gapStatus.optional(),
      agent_id: idValue('agt').optional(),
      conversation_id: idValue('conv').optional(),
      created_after: timeBound('Unix seconds, inclusive.'),
      created_before: timeBound('Unix seconds, exclusive.'),
      ...idPage('gap'),
    },
    answers: { 200: { description: 'A page of gaps.', schema: pageSchema(KnowledgeGap) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listGaps(deps.pool, {
        namespace,
        status: query.status,
        agentId: query.agent_id,
        conversationId: query.conversation_id,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        before: query.cursor,
        limit: query.limit + 1,
      });
      const page = { limit: query.limit, view: gapView, cursorOf: idCursor('gap') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

function readGapRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'get',
    path: '/v1/knowledge/gaps/{id}',
    operationId: 'getKnowledgeGap',
    tag,
    scope: 'read',
    summary: 'Read a gap',
    params,
    answers: { 200: { description: 'The gap.', schema: KnowledgeGap } },
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: gapView(found(await readGap(deps.pool, { namespace, id }), 'knowledge gap')),
    }),
  });
}

const answerText = z.string().trim().min(1).max(8_000);

const resolveBody = z
  .strictObject({
    answer: answerText
      .optional()
      .describe('What the agent is to reply from now on; absent: there will be no answer.'),
  })
  .describe('How the gap is closed.');

function resolveGapRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'post',
    path: '/v1/knowledge/gaps/{id}/resolve',
    operationId: 'resolveKnowledgeGap',
    tag,
    scope: 'write',
    summary: 'Close a gap, with an answer or without',
    description:
      'An answer is a passage of that agent alone, found by the words of the question and its ' +
      'own, from the next search on. Without one the question opens a new gap when it comes up ' +
      'again.',
    params,
    body: { schema: resolveBody, isOptional: true },
    answers: { 200: { description: 'The gap.', schema: KnowledgeGap } },
    errors: ['gap_resolved'],
    handle: ({ answering, caller, params: { id }, body: { answer = null } }) =>
      answering(
        audited(
          caller,
          (beforeCommit) =>
            resolveGap(deps, { namespace: caller.namespace, id, answer }, beforeCommit),
          () => ({
            action: 'knowledge_gap.resolved',
            target: fromUuid('gap', id),
            before: { status: 'open' },
            // Not the answer: it is for users, and the question is a user's.
            after: { status: 'resolved', has_answer: answer !== null },
          }),
        ),
        (row) => ({ status: 200, body: gapView(row) }),
      ),
  });
}

const answerPatch = z
  .strictObject({
    answer: answerText
      .nullable()
      .optional()
      .describe('What the agent is to reply from now on; null withdraws what it replied so far.'),
  })
  .describe('Changes of a gap.');

function changeAnswerRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'patch',
    path: '/v1/knowledge/gaps/{id}',
    operationId: 'updateKnowledgeGap',
    tag,
    scope: 'write',
    summary: 'Change the answer of a resolved gap',
    description:
      'JSON merge patch (RFC 7386). The next search finds the new answer and not the old one. A gap ' +
      'that was closed without an answer gets one; an open one is resolved first.',
    params,
    body: { schema: answerPatch },
    answers: { 200: { description: 'The gap.', schema: KnowledgeGap } },
    errors: ['gap_open'],
    handle: async ({ caller, params: { id }, body: { answer } }) => {
      const input = { namespace: caller.namespace, id, answer };
      const change = audited(
        caller,
        (beforeCommit) => changeAnswer(deps, input, beforeCommit),
        ({ status }) => ({
          action: answer === null ? 'knowledge_gap.withdrawn' : 'knowledge_gap.updated',
          target: fromUuid('gap', id),
          before: { status: 'resolved' },
          after: { status, has_answer: answer !== null },
          detail: { changed: ['answer'] },
        }),
      );
      return { status: 200, body: gapView(await change(noCommitHook)) };
    },
  });
}

function withdrawAnswerRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/knowledge/gaps/{id}/answer',
    operationId: 'withdrawKnowledgeGapAnswer',
    tag,
    scope: 'write',
    summary: 'Withdraw the answer of a gap',
    description:
      'No search finds it any more and the gap is open again, unless the same question is open as ' +
      'another gap meanwhile: then this one stays closed, without an answer.',
    params,
    answers: { 204: { description: 'It is withdrawn.' } },
    handle: async ({ caller, params: { id } }) => {
      const withdraw = audited(
        caller,
        (beforeCommit) => withdrawAnswer(deps, { namespace: caller.namespace, id }, beforeCommit),
        ({ status }) => ({
          action: 'knowledge_gap.withdrawn',
          target: fromUuid('gap', id),
          before: { status: 'resolved', has_answer: true },
          after: { status, has_answer: false },
        }),
      );
      await withdraw(noCommitHook);
      return { status: 204 };
    },
  });
}
