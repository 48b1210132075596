import { z } from 'zod';
import { readTurns, requireConversation } from './read-conversations.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { Transcript } from './record/conversation.view.ts';
import { TRANSCRIPT_FORMATS } from './transcript-text.ts';

const format = z
  .enum(['json', 'text', 'vtt'], 'must be one of json, text, vtt')
  .default('json')
  .describe('json, plain text, or WebVTT for players.');

/** What was said, whole (contract §4). */
export function transcriptRoute(deps: Parameters<typeof requireConversation>[0]): Route {
  return route({
    method: 'get',
    path: '/v1/conversations/{id}/transcript',
    operationId: 'getTranscript',
    tag: 'Conversations',
    scope: 'read',
    summary: 'Read a transcript',
    description: 'Complete once the conversation has ended; before, what there is so far.',
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
      const conversation = await requireConversation(deps, { namespace, id });
      const { mediaType, write } = TRANSCRIPT_FORMATS[query.format];
      const text = write(conversation, readTurns(deps, conversation));
      return { status: 200, mediaType, text };
    },
  });
}
