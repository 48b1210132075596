import { z } from 'zod';
import { idCursor, idPage, pageOf, pageSchema } from '../platform/http/cursor.ts';
import {
  idValue,
  metadataFilter,
  phoneFilter,
  timeBound,
  versionFilter,
} from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import {
  channel,
  Conversation,
  conversationStatus,
  conversationView,
  outcome,
} from './record/conversation.view.ts';
import { listConversations } from './record/list-conversations.sql.ts';

/** Conversations of a namespace (contract §4). */
export function listConversationsRoute({ pool }: { pool: Pool }): Route {
  return route({
    method: 'get',
    path: '/v1/conversations',
    operationId: 'listConversations',
    tag: 'Conversations',
    scope: 'read',
    summary: 'List conversations, newest first',
    query: {
      status: conversationStatus.optional(),
      agent_id: idValue('agt').optional(),
      agent_version: versionFilter,
      channel: channel.optional(),
      outcome: outcome.optional(),
      user_id: z.string().min(1).max(256).optional(),
      'metadata.*': metadataFilter,
      call_id: idValue('call').optional(),
      from: phoneFilter.describe('The number that its call came from, in E.164.'),
      to: phoneFilter.describe('The number that its call went to, in E.164.'),
      created_after: timeBound('Unix seconds, inclusive.'),
      created_before: timeBound('Unix seconds, exclusive.'),
      ended_after: timeBound('Unix seconds, inclusive.'),
      ended_before: timeBound('Unix seconds, exclusive.'),
      ...idPage('conv'),
    },
    answers: { 200: { description: 'A page of conversations.', schema: pageSchema(Conversation) } },
    handle: async ({ caller: { namespace }, query }) => {
      const rows = await listConversations(pool, {
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
        before: query.cursor,
        limit: query.limit + 1,
      });
      const page = { limit: query.limit, view: conversationView, cursorOf: idCursor('conv') };
      return { status: 200, body: pageOf(rows, page) };
    },
  });
}
