import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ok, parley, type ItemOf } from './parley.ts';

export type StoredEvent = ItemOf<'/v1/events'>;
export type EventType = StoredEvent['type'];

/**
 * Event types in the order of the contract (contract/events.md#types), each with a description of when it is
 * emitted.
 */
export const EVENT_TYPES = {
  'conversation.started': 'a conversation started',
  'conversation.ended': 'a conversation ended, with its outcome',
  'conversation.transcript.ready': 'a transcript is ready',
  'escalation.requested': 'a human agent was requested',
  'escalation.accepted': 'a human agent took over',
  'knowledge.gap.detected': 'a question had no answer',
  'knowledge.source.synced': 'a source was synced',
  'agent.published': 'a version of an agent went live',
  'agent.rolled_back': 'an agent was rolled back to an earlier version',
} as const satisfies Record<EventType, string>;

/** Groups of event types. Each group matches all types with its prefix, including future ones. */
export const EVENT_GROUPS = ['conversation.*', 'escalation.*', 'knowledge.*', 'agent.*'] as const;

export type Subscription = EventType | (typeof EVENT_GROUPS)[number];

export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as EventType[];

export function useEvent(id: string | undefined): UseQueryResult<StoredEvent> {
  return useQuery({
    queryKey: ['events', 'one', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) =>
      ok(parley.GET('/v1/events/{id}', { params: { path: { id: id! } }, signal })),
  });
}

/**
 * Returns the JSON that every delivery of this event sends as its request body, byte for byte
 * (contract/events.md#envelope).
 */
export function bodyOf({ id, type, created, data }: StoredEvent): string {
  return JSON.stringify({ id, type, created, data });
}

/** Returns the ID of the conversation that the event belongs to, or undefined if it belongs to none. */
export function conversationOf({ data }: Pick<StoredEvent, 'data'>): string | undefined {
  const { conversation_id: id } = data;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Returns true if an endpoint with these subscriptions receives events of this type. `agent.*` matches every type that
 * starts with `agent.`; `*` and null match every type.
 */
export function isMeant(subscriptions: readonly string[] | null, type: string): boolean {
  return (
    subscriptions === null ||
    subscriptions.some(
      (one) => one === type || (one.endsWith('*') && type.startsWith(one.slice(0, -1))),
    )
  );
}
