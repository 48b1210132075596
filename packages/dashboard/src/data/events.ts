import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ok, parley, type ItemOf } from './parley.ts';

export type StoredEvent = ItemOf<'/v1/events'>;
export type EventType = StoredEvent['type'];

/** The types of events, in the order of the contract (contract/events.md#types), with the moment of each. */
export const EVENT_TYPES = {
  'conversation.started': 'a conversation has begun',
  'conversation.ended': 'it is over, with its outcome',
  'conversation.transcript.ready': 'its transcript can be read',
  'escalation.requested': 'a person is asked for',
  'escalation.accepted': 'a person has taken over',
  'knowledge.gap.detected': 'a question had no answer',
  'knowledge.source.synced': 'a source was read anew',
  'agent.published': 'a version of an agent went live',
  'agent.rolled_back': 'an agent went back to an earlier version',
} as const satisfies Record<EventType, string>;

/** Groups stand for all types that begin so, later ones too. */
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

/** The text that is sent, byte for byte (contract/events.md#envelope). */
export function bodyOf({ id, type, created, data }: StoredEvent): string {
  return JSON.stringify({ id, type, created, data });
}

/** What an event is of; undefined: no conversation. */
export function conversationOf({ data }: Pick<StoredEvent, 'data'>): string | undefined {
  const { conversation_id: id } = data;
  return typeof id === 'string' ? id : undefined;
}

/** `agent.*` means every type that begins with `agent.`; `*` and null all of them. */
export function isMeant(subscriptions: readonly string[] | null, type: string): boolean {
  return (
    subscriptions === null ||
    subscriptions.some(
      (one) => one === type || (one.endsWith('*') && type.startsWith(one.slice(0, -1))),
    )
  );
}
