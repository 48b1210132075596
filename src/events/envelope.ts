import type { EventId } from '../ids.ts';
import type { EventData, EventType } from './event-types.ts';

/**
 * Glossary, used everywhere (SQL, JSON, code, docs, metrics):
 *
 *  event     a fact that happened, with the exact bytes that are sent; never changes
 *  endpoint  an HTTPS address of a user that receives events
 *  delivery  one event on its way to one endpoint; a replay makes a new delivery
 *  attempt   one HTTP request of a delivery, numbered from 1
 *  outbox    events and their queued deliveries, committed with the change itself
 *  queue     deliveries that are not finished; a finished one leaves it for the history
 *  lease     the right to attempt a queued delivery until a moment; a token fences late results
 *  slot      one attempt an endpoint may have in flight
 *  replay    a request to deliver an old event again
 */

/** The envelope exactly as sent, in this order and nothing else (contract §5). */
export type Envelope<T extends EventType = EventType> = {
  id: EventId;
  type: T;
  /** Unix seconds */
  created: number;
  data: EventData<T>;
};

/** The bytes that are stored once, signed and sent at every attempt and replay. */
export function encodeEnvelope<T extends EventType>(envelope: Envelope<T>): Buffer {
  const { id, type, created, data } = envelope;
  return Buffer.from(JSON.stringify({ id, type, created, data }));
}
