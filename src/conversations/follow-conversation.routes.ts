import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { EVENT_STREAM_TYPE } from '../platform/http/sse.ts';
import { saying } from '../platform/resources/schema/patterns.ts';
import type { Followed, Followers } from './follow-conversation.ts';
import { conversationView, turnView } from './record/conversation.view.ts';

const INDEX = /^(?:-1|0|[1-9][0-9]{0,8})$/;

const lastEventId = z
  .string()
  .regex(...saying(INDEX, 'must be the index of a turn, or -1 for all turns'))
  .transform(Number)
  .optional()
  .meta({ type: 'integer', minimum: -1, maximum: 999_999_999 })
  .describe('Index of the last turn that the client received. -1 means none.');

/** Streams live updates of a conversation (contract/messages.md#following). */
export function followConversationRoute(deps: { followers: Pick<Followers, 'open'> }): Route {
  return route({
    method: 'get',
    path: '/v1/conversations/{id}/events',
    operationId: 'followConversation',
    tag: 'Conversations',
    scope: 'read',
    summary: 'Stream a conversation',
    description:
      'Server-sent events. A `turn` event is sent for every stored turn; its `id` is the index of the ' +
      'turn. A `conversation` event is sent at the beginning, after every change of status, and when a ' +
      'human agent takes over or releases the conversation. The stream ends when the conversation has ended. To ' +
      'resume after a lost connection, send the index of the last turn in `Last-Event-ID` (or in the ' +
      'parameter `last_event_id`). The stream then continues after that turn. Without an index, it ' +
      'starts with the next turn that is added. A reply appears as a turn once it is stored; its tokens ' +
      'are streamed only to the client that sent the message.',
    params: { id: idParam('conv', 'conversation') },
    query: { last_event_id: lastEventId },
    answers: {
      200: {
        description: 'A stream that stays open until the conversation ends.',
        forms: { [EVENT_STREAM_TYPE]: z.string() },
      },
    },
    inFlight: () => 'event_streams',
    handle: async ({ caller: { namespace }, params: { id }, query, headers }) => {
      const after = indexIn(headers['last-event-id']) ?? query.last_event_id ?? null;
      const follow = await deps.followers.open({ namespace, id, after });
      return {
        status: 200,
        stream: async (send, signal) => {
          for await (const followed of follow(signal)) await send(eventOf(followed));
        },
      };
    },
  });
}

function eventOf(followed: Followed) {
  return followed.type === 'turn'
    ? { event: 'turn', id: String(followed.turn.index), data: turnView(followed.turn) }
    : { event: 'conversation', data: conversationView(followed.conversation) };
}

/**
 * Returns the index from the `Last-Event-ID` header. The header takes precedence over the URL, because a client that
 * reconnects sends a newer index in the header.
 */
function indexIn(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? '');
  if (text === '') return undefined;
  if (INDEX.test(text)) return Number(text);
  throw new ApiError('malformed_request', '`Last-Event-ID` is not the index of a turn.');
}
