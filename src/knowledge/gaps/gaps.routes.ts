import { z } from 'zod';
import { audited } from '../../audit/audited.ts';
import { ApiError } from '../../errors.ts';
import { fromUuid, toUuid } from '../../ids.ts';
import { noCommitHook } from '../../platform/postgres/commit-hook.ts';
import {
  cursorOf,
  encodeCursor,
  pageLimit,
  pageOf,
  pageSchema,
} from '../../platform/http/cursor.ts';
import { idParam, idValue, partOf, timeBound } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { gapDetailView, gapStatus, gapView, KnowledgeGap, KnowledgeGapDetail } from './gap.view.ts';
import { changeAnswer, withdrawAnswer } from './change-answer.ts';
import {
  GAP_ORDERS,
  listGaps,
  type GapOrder,
  type GapPlace,
  type ListedGap,
} from './list-gaps.sql.ts';
import { readGapDetail } from './read-gap.ts';
import { resolveGap, type ResolveGapDeps } from './resolve-gap.ts';

const tag = 'Knowledge';
const params = { id: idParam('gap', 'knowledge gap') };

/** Returns the routes for gaps: questions that agents could not answer (contract/knowledge.md#gaps). */
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
    summary: 'List knowledge gaps',
    description:
      'Lists gaps newest first, or by `sort`. To find questions that were asked recently, use ' +
      '`asked_after`. `status=resolved` lists resolved gaps and their answers.',
    query: {
      status: gapStatus.optional(),
      agent_id: idValue('agt').optional(),
      conversation_id: idValue('conv').optional(),
      created_after: timeBound('Gaps that were created at this time or later, in Unix seconds.'),
      created_before: timeBound('Gaps that were created before this time, in Unix seconds.'),
      asked_after: timeBound(
        'Gaps whose question was last asked at this time or later, in Unix seconds.',
      ),
      count_min: countMin,
      q: partOf('Text that the question contains. The search ignores case.'),
      sort: gapsOrder,
      limit: pageLimit,
      cursor: gapCursor,
    },
    answers: { 200: { description: 'A page of gaps.', schema: pageSchema(KnowledgeGap) } },
    handle: async ({ caller: { namespace }, query }) => {
      const { sort: order, cursor: after } = query;
      if (after && after.order !== order) throw otherOrder();
      const rows = await listGaps(deps.pool, {
        namespace,
        order,
        after,
        status: query.status,
        agentId: query.agent_id,
        conversationId: query.conversation_id,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        askedAfter: query.asked_after,
        countMin: query.count_min,
        part: query.q,
        limit: query.limit + 1,
      });
      const page = { limit: query.limit, view: gapView, cursorOf: placeIn(order) };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}

const gapsOrder = z
  .enum(GAP_ORDERS)
  .default('created')
  .meta({
    description:
      '`created`: newest first. `count`: most frequent first. `last_asked_at`: most recently asked ' +
      'first.',
  });

/**
 * Cursor for a list of gaps. For a list in the order `created`, the cursor holds only the id of a gap, like the cursors
 * of other lists. For other orders, it holds the order, the sort value and the id.
 */
const gapCursor = cursorOf(readPlace);

const countMin = z
  .string()
  .regex(...saying(/^[1-9][0-9]{0,8}$/, 'must be a whole number of at least 1'))
  .transform(Number)
  .optional()
  .meta({
    description: 'Minimum number of times that the question was asked.',
    type: 'integer',
    minimum: 1,
  });

/** Returns a function that encodes the cursor of a gap for a list in this order. */
function placeIn(order: GapOrder): (gap: ListedGap) => string {
  return ({ id, count, lastAskedUs }) => {
    const gap = fromUuid('gap', id);
    if (order === 'created') return encodeCursor(gap);
    return encodeCursor(`${order}:${order === 'count' ? count : lastAskedUs}:${gap}`);
  };
}

/**
 * Pattern of a cursor with a sort value. The value has up to 16 digits: microseconds since 1970 have 16 digits until
 * the year 2286, and a count is a PostgreSQL integer.
 */
const PLACE =
  /^(?:(?<order>count|last_asked_at):(?<value>(?<=count:)[1-9][0-9]{0,8}|(?<=at:)[1-9][0-9]{0,15}):)?(?<gap>gap_.+)$/;

function readPlace(text: string): GapPlace | undefined {
  const { order = 'created', value = '', gap } = PLACE.exec(text)?.groups ?? {};
  const id = toUuid('gap', gap ?? '');
  return id === null ? undefined : { order: order as GapOrder, value, id };
}

function otherOrder(): ApiError {
  const detail =
    '`cursor`: the cursor belongs to a list with a different `sort`. Send the `sort` of that list.';
  return new ApiError('invalid_parameter', detail);
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
    answers: { 200: { description: 'The gap.', schema: KnowledgeGapDetail } },
    handle: async ({ caller: { namespace }, params: { id } }) => ({
      status: 200,
      body: gapDetailView(await readGapDetail(deps.pool, { namespace, id })),
    }),
  });
}

const answerText = z.string().trim().min(1).max(8_000);

const resolveBody = z
  .strictObject({
    answer: answerText
      .optional()
      .describe(
        'Text that the agent uses to answer the question from now on. If absent, the gap is resolved ' +
          'without an answer.',
      ),
  })
  .describe('How to resolve the gap.');

function resolveGapRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'post',
    path: '/v1/knowledge/gaps/{id}/resolve',
    operationId: 'resolveKnowledgeGap',
    tag,
    scope: 'write',
    summary: 'Resolve a gap, with or without an answer',
    description:
      "The answer becomes a passage that only the gap's agent can use. From the next search on, " +
      'the agent finds the answer by the words of the answer itself and of every wording of the question. ' +
      'If the gap is resolved without an answer, the same question opens a new gap when a user ' +
      'asks it again.',
    params,
    body: { schema: resolveBody, isOptional: true },
    answers: { 200: { description: 'The gap.', schema: KnowledgeGapDetail } },
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
            // The audit log records neither the answer, which is content for users, nor the question, which a user
            // wrote.
            after: { status: 'resolved', has_answer: answer !== null },
          }),
        ),
        (gap) => ({ status: 200, body: gapDetailView(gap) }),
      ),
  });
}

const answerPatch = z
  .strictObject({
    answer: answerText
      .nullable()
      .optional()
      .describe(
        'Text that the agent uses to answer the question from now on. Null withdraws the current answer.',
      ),
  })
  .describe('Changes to a gap.');

function changeAnswerRoute(deps: ResolveGapDeps): Route {
  return route({
    method: 'patch',
    path: '/v1/knowledge/gaps/{id}',
    operationId: 'updateKnowledgeGap',
    tag,
    scope: 'write',
    summary: 'Change the answer to a resolved gap',
    description:
      'JSON merge patch (RFC 7386). The next search finds the new answer instead of the old one. A ' +
      'gap that was resolved without an answer gets its first answer. An open gap must be resolved ' +
      'first (409 `gap_open`).',
    params,
    body: { schema: answerPatch },
    answers: { 200: { description: 'The gap.', schema: KnowledgeGapDetail } },
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
      return { status: 200, body: gapDetailView(await change(noCommitHook)) };
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
    summary: 'Withdraw the answer to a gap',
    description:
      'Searches no longer find the answer, and the gap is open again. If another gap is open for ' +
      'the same question, this gap stays resolved, without an answer.',
    params,
    answers: { 204: { description: 'The answer was withdrawn.' } },
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
