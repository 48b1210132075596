import { z } from 'zod';
import {
  idCursor,
  idPage,
  LIMIT_DEFAULT,
  listOrder,
  pageSchema,
  totalCount,
  withTotal,
} from '../platform/http/cursor.ts';
import {
  idValue,
  metadataFilter,
  partOf,
  phoneFilter,
  timeBound,
  versionFilter,
} from '../platform/http/fields.ts';
import { LINES_TYPE, requireLinesOnly, visiblyBroken } from '../platform/http/lines.ts';
import { route, type Route } from '../platform/http/route.ts';
import { namesType } from '../platform/http/sse.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import {
  channel,
  conversationStatus,
  ListedConversation,
  listedConversationView,
  outcome,
  withTests,
} from './record/conversation.view.ts';
import { exportConversations } from './export-conversations.ts';
import type { ConversationRow } from './record/conversations.sql.ts';
import { countConversations, type ConversationFilter } from './record/list-conversations.sql.ts';
import { readQuotes } from './record/quotes.sql.ts';
import { searchConversations, soughtBy, type Sought } from './search-conversations.ts';

const page = idPage('conv');
const words = partOf(
  'ID of a conversation, call or escalation, or words to search for. Each word must occur in what ' +
    'the user, an agent or a human agent said, in `summary` or in `user_id`. Case is ignored. A page ' +
    'searches at most 5,000 conversations, so it may have fewer than `limit` items even if more exist.',
);

/**
 * Lists one page of conversations, or exports all matching conversations with their transcripts
 * (contract/conversations.md#lists).
 */
export function listConversationsRoute({ pool }: { pool: Pool }): Route {
  return route({
    method: 'get',
    path: '/v1/conversations',
    operationId: 'listConversations',
    tag: 'Conversations',
    scope: 'read',
    summary: 'List conversations',
    description:
      'The header `Accept: application/x-ndjson` exports all matching conversations without pages. Each ' +
      'conversation is one line of JSON and includes `transcript {turns}`. If the export is interrupted, ' +
      'the transfer fails. If possible, the last line is then a problem document.',
    query: {
      status: conversationStatus.optional(),
      agent_id: idValue('agt').optional(),
      agent_version: versionFilter,
      channel: channel.optional(),
      outcome: outcome.optional(),
      user_id: z.string().min(1).max(256).optional(),
      'metadata.*': metadataFilter,
      call_id: idValue('call').optional(),
      from: phoneFilter.describe('Phone number that the call came from, in E.164 format.'),
      to: phoneFilter.describe('Phone number that was called, in E.164 format.'),
      created_after: timeBound('Earliest creation of the conversation in Unix seconds, inclusive.'),
      created_before: timeBound('Latest creation of the conversation in Unix seconds, exclusive.'),
      ended_after: timeBound('Earliest end of the conversation in Unix seconds, inclusive.'),
      ended_before: timeBound('Latest end of the conversation in Unix seconds, exclusive.'),
      test: withTests,
      q: words,
      order: listOrder,
      total: withTotal,
      ...page,
      limit: page.limit
        .unwrap()
        .optional()
        .meta(page.limit.meta() ?? {}),
    },
    answers: {
      200: {
        description: 'A page of conversations, or an export with one line per conversation.',
        schema: pageSchema(ListedConversation).extend({ total_count: totalCount }),
        forms: { [LINES_TYPE]: z.string() },
      },
    },
    handle: async ({ caller: { namespace, requestId }, query, headers }) => {
      const filter = {
        namespace,
        status: query.status,
        agentId: query.agent_id,
        agentVersion: query.agent_version,
        channel: query.channel,
        outcome: query.outcome,
        userId: query.user_id,
        metadata: query['metadata.*'],
        callId: query.call_id,
        from: query.from,
        to: query.to,
        createdAfter: query.created_after,
        createdBefore: query.created_before,
        endedAfter: query.ended_after,
        endedBefore: query.ended_before,
        withTests: query.test,
        order: query.order,
        before: query.cursor,
      };
      const sought = query.q === undefined ? {} : soughtBy(query.q);
      if (namesType(headers['accept'], LINES_TYPE)) {
        requireLinesOnly(query);
        const text = visiblyBroken(exportConversations(pool, filter, sought), requestId);
        return { status: 200, mediaType: LINES_TYPE, text };
      }
      const limit = query.limit ?? LIMIT_DEFAULT;
      const { rows, next } = await searchConversations(pool, { ...filter, limit }, sought);
      const data = await withQuotes(pool, rows, sought);
      const nextCursor = next === null ? null : idCursor('conv')({ id: next });
      const total = query.total === true && {
        total_count: await countFound(pool, { ...filter, limit }, sought),
      };
      const body = { data, has_more: next !== null, next_cursor: nextCursor, ...total };
      return { status: 200, body };
    },
  });
}

async function withQuotes(pool: Pool, rows: readonly ConversationRow[], sought: Sought) {
  const words = 'words' in sought ? sought.words : [];
  const quotes = await readQuotes(pool, { ids: rows.map(({ id }) => id), words });
  return rows.map((row) => listedConversationView(row, { quotes: quotes.get(row.id), words }));
}

/**
 * Counts the conversations on all pages. Returns null if the list searches for words, because counting the matches
 * would mean reading all conversations.
 */
function countFound(
  pool: Pool,
  filter: ConversationFilter,
  sought: Sought,
): Promise<number | null> {
  return 'words' in sought
    ? Promise.resolve(null)
    : countConversations(pool, { ...filter, ...sought });
}
