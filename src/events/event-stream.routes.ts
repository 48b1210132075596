import { z } from 'zod';
import { ApiError } from '../errors.ts';
import { flag, idValue } from '../platform/http/fields.ts';
import type { Change } from './change-readers.ts';
import type { Changes } from './changes.ts';
import { typeNameList, withTests } from './type-names.ts';
import { fromUuid, toUuid } from '../ids.ts';
import type { EventStreams, Reader } from './event-stream.ts';
import { EVENT_STREAM_TYPE, type EventStream } from '../platform/http/sse.ts';
import { route, type Answer, type Route } from '../platform/http/route.ts';

export type EventStreamRoutesDeps = {
  eventStreams: Pick<EventStreams, 'open'>;
  changes: Pick<Changes, 'follow'>;
  /** Resources that `changes=true` reports in addition to conversations, such as `agents` and `webhooks`. */
  declaredResources: readonly string[];
};

const withChanges = flag.meta({
  description:
    'If true, the stream also sends `event: change` for changed resources. Default: false.',
});

/** Returns the route that streams events as they happen (contract/events.md#stream). */
export function eventStreamRoutes(deps: EventStreamRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/events/stream',
      operationId: 'streamEvents',
      tag: 'Events',
      scope: 'read',
      summary: 'Stream events',
      description:
        'Server-sent events: `id` is the ID of the event, `event` its type, and `data` the same ' +
        'envelope that webhooks receive. To resume after a lost connection, send `Last-Event-ID` (or ' +
        'the parameter `last_event_id`). The stream continues after that event and sends each event ' +
        'exactly once. Without an ID, the stream starts with new events. A client that reads nothing for ' +
        '30 seconds is disconnected and can resume in the same way. With `changes=true`, the stream ' +
        'also sends `event: change`, without an `id`. Its data names the resource to read again as ' +
        `\`{resource, id}\` (${[...deps.declaredResources, 'conversations'].join(', ')}), or is ` +
        '`{"resource":"all","id":null}` if anything may have changed. Changes are hints: they may be ' +
        'lost and are never repeated. Open the stream first and then read the resources. Read them ' +
        'again after every reconnection.',
      query: {
        types: typeNameList.optional(),
        conversation_id: idValue('conv').optional(),
        agent_id: idValue('agt').optional(),
        test: withTests,
        last_event_id: idValue('evt').optional(),
        changes: withChanges,
      },
      answers: {
        200: {
          description:
            'A stream that stays open. When the API key expires or is deleted, the stream sends ' +
            '`event: error` with a problem.',
          forms: { [EVENT_STREAM_TYPE]: z.string() },
        },
      },
      errors: ['event_expired'],
      inFlight: () => 'event_streams',
      handle: async ({ caller: { namespace }, query, headers }) => {
        const { types, conversation_id: conversationId, agent_id: agentId } = query;
        const filter = { types, conversationId, agentId, withTests: query.test === true };
        const after = lastEventId(headers['last-event-id']) ?? query.last_event_id ?? null;
        const reader = await deps.eventStreams.open({ namespace, filter, after });
        const follow = (signal: AbortSignal): AsyncGenerator<Change> =>
          deps.changes.follow(namespace, signal);
        return streamed(reader, query.changes === true ? follow : undefined);
      },
    }),
  ];
}

/**
 * Returns the id from the `Last-Event-ID` header. The header takes precedence over the URL, because a reconnecting
 * client sends it with a newer id.
 */
function lastEventId(header: string | string[] | undefined): string | undefined {
  const text = String(header ?? '');
  if (text === '') return undefined;
  const id = toUuid('evt', text);
  if (id !== null) return id;
  throw new ApiError('event_expired', '`Last-Event-ID` is not the ID of an event.');
}

type FollowChanges = (signal: AbortSignal) => AsyncGenerator<Change>;

/**
 * Streams events and changes concurrently. Each of the two streams sends one item at a time and waits until the client
 * accepts more, so memory holds at most one event and one change.
 */
function streamed(reader: Reader, follow: FollowChanges | undefined): Answer {
  const sendEvents: EventStream = async (send, signal) => {
    for await (const { id, type, body } of reader(signal)) {
      await send({ id: fromUuid('evt', id), event: type, json: body.toString() });
    }
  };
  if (!follow) return { status: 200, stream: sendEvents };
  const sendChanges: EventStream = async (send, signal) => {
    for await (const change of follow(signal)) await send({ event: 'change', data: change });
  };
  return {
    status: 200,
    stream: async (send, signal) => {
      const ended = new AbortController();
      const changes = sendChanges(send, AbortSignal.any([signal, ended.signal]));
      await sendEvents(send, signal).finally(() => ended.abort());
      await changes;
    },
  };
}
