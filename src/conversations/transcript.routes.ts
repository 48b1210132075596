import { z } from 'zod';
import { found } from '../errors.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { Transcript } from './record/conversation.view.ts';
import { readConversation, type ConversationRow } from './record/conversations.sql.ts';
import { listTurns, type TurnRow } from './record/turns.sql.ts';
import { TRANSCRIPT_FORMATS } from './transcript-text.ts';

const format = z
  .enum(['json', 'text', 'vtt'], 'must be one of json, text, vtt')
  .default('json')
  .describe('Format: JSON, plain text, or WebVTT for media players.');

/** Serves the whole transcript (contract/messages.md#transcript). */
export function transcriptRoute({ pool }: { pool: Pool }): Route {
  return route({
    method: 'get',
    path: '/v1/conversations/{id}/transcript',
    operationId: 'getTranscript',
    tag: 'Conversations',
    scope: 'read',
    summary: 'Read a transcript',
    description:
      'The transcript is complete once the conversation has ended. Before that, it contains the turns so far.',
    params: { id: idParam('conv', 'conversation') },
    query: { format },
    answers: {
      200: {
        description: 'The transcript.',
        schema: Transcript,
        forms: { 'text/plain': z.string(), 'text/vtt': z.string() },
      },
    },
    handle: async ({ caller: { namespace }, params: { id }, query }) => {
      const conversation = found(await readConversation(pool, { namespace, id }), 'conversation');
      const { mediaType, write } = TRANSCRIPT_FORMATS[query.format];
      const text = write(conversation, readTurns(pool, conversation));
      return { status: 200, mediaType, text };
    },
  });
}

/**
 * Maximum number of turns in memory. A turn has at most 32,000 characters of text and 64 KiB of tool call arguments.
 */
const PAGE = 50;

/** Yields the turns that existed when the conversation was read, oldest first, page by page. */
async function* readTurns(
  pool: Pool,
  { id, turnCount }: ConversationRow,
): AsyncGenerator<TurnRow[]> {
  for (let from = 0; from < turnCount; from += PAGE) {
    const limit = Math.min(PAGE, turnCount - from);
    yield await listTurns(pool, { conversationId: id, from, limit });
  }
}
