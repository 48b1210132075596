import { toUuid } from '../../src/ids.ts';

type Event = { id: string; type: string };

/** How one thing leads to the other in a conversation. */
const CAUSES = [
  'conversation.started',
  'escalation.requested',
  'escalation.accepted',
  'conversation.ended',
  'conversation.transcript.ready',
];

/** Types of events, the oldest first; where time is held many have the same millisecond, which has no order of its own. */
export function typesInOrder(events: readonly Event[]): string[] {
  const madeAt = ({ id }: Event): string => toUuid('evt', id)!.slice(0, 13);
  const byCause = events.toSorted((a, b) => CAUSES.indexOf(a.type) - CAUSES.indexOf(b.type));
  return byCause.toSorted((a, b) => madeAt(a).localeCompare(madeAt(b))).map(({ type }) => type);
}
