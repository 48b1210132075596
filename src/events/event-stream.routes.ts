import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { typeNameList, withTests } from './type-names.ts';
import { fromUuid, toUuid } from '../ids.ts';
import type { EventStreams, Reader } from './event-stream.ts';
import { EVENT_STREAM_TYPE } from '../platform/http/sse.ts';
import { idValue } from '../platform/http/fields.ts';
import { route, type Answer, type Route } from '../platform/http/route.ts';

export type EventStreamRoutesDeps = { eventStreams: Pick<EventStreams, 'open'> };

/** Events as they happen (contract §4). */
export function eventStreamRoutes(deps: EventStreamRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/events/stream',
      operationId: 'streamEvents',
      tag: 'Events',
      scope: 'read',
      summary: 'Follow events as they happen',
      description:
        'Server-sent events: `id` is the event’s id, `event` its type, `data` the envelope as ' +
        'webhooks get it. A connection that broke goes on with `Last-Event-ID` (or the parameter ' +
        '`last_event_id`) after that event: each one once and none left out. Without it: from now on. ' +
        'A client that takes nothing for 30 seconds is cut, and goes on the same way.',
      query: {
        types: typeNameList.optional(),
        conversation_id: idValue('conv').optional(),
        agent_id: idValue('agt').optional(),
        test: withTests,
        last_event_id: idValue('evt').optional(),
      },
      answers: {
        200: {
          description: 'A stream without an end; when the key ends, `event: error` with a problem.',
          forms: { [EVENT_STREAM_TYPE]: z.string() },
        },
      },
      errors: ['event_expired'],
      inFlight: () => 'event_streams',
      handle: async ({ caller: { namespace }, query, headers }) => {
        const { types, conversation_id: conversationId, agent_id: agentId } = query;
        const filter = { types, conversationId, agentId, withTests: query.test === true };
        const after = lastEventId(headers['last-event-id']) ?? query.last_event_id ?? null;
        return streamed(await deps.eventStreams.open({ namespace, filter, after }));
      },
    }),
  ];
}

/** A client that reconnects sends the header: it is newer than the URL. */
function lastEventId(header: string | string[] | undefined): string | undefined {
  const text = String(header ?? '');
  if (text === '') return undefined;
  const id = toUuid('evt', text);
  if (id !== null) return id;
  throw new ApiError('event_expired', 'Last-Event-ID is no id of an event');
}

function streamed(reader: Reader): Answer {
  return {
    status: 200,
    stream: async (send, signal) => {
      for await (const { id, type, body } of reader(signal)) {
        await send({ id: fromUuid('evt', id), event: type, json: body.toString() });
      }
    },
  };
}
