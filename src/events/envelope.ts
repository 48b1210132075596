import type { EventId } from '../ids.ts';
import type { EventData, EventType } from './event-types.ts';

/** Envelope of an event. It is sent with exactly these fields, in this order (contract/events.md#envelope). */
export type Envelope<T extends EventType = EventType> = {
  id: EventId;
  type: T;
  /** Unix seconds */
  created: number;
  data: EventData<T>;
};

/** Encodes an envelope. The bytes are stored once, signed, and sent unchanged in every attempt and replay. */
export function encodeEnvelope<T extends EventType>(envelope: Envelope<T>): Buffer {
  const { id, type, created, data } = envelope;
  return Buffer.from(JSON.stringify({ id, type, created, data }));
}
