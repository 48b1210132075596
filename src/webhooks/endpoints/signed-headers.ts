import type { EventType } from '../../events/event-types.ts';
import { signBody, signStandard } from '../../platform/egress/signature.ts';

export type ToSign = {
  /** Public id of the event, such as `evt_…`. */
  id: string;
  type: EventType;
  body: Buffer;
  attempt: number;
  isTest: boolean;
  timestampSec: number;
};

/**
 * Returns the headers that Parley adds to a request (contract/deliveries.md#headers). `other` is the second secret that
 * is valid during a rotation: the new one before the swap, and the old one after it.
 */
export function signedHeaders(
  { userAgent, secret, other }: { userAgent: string; secret: string; other: string | undefined },
  { id, type, body, attempt, isTest, timestampSec }: ToSign,
): Record<string, string> {
  const live = other === undefined ? [secret] : [secret, other];
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'parley-signature': signBody(secret, body),
    ...(other !== undefined && { 'parley-signature-next': signBody(other, body) }),
    'parley-event-id': id,
    'parley-event-type': type,
    'parley-delivery-attempt': String(attempt),
    ...(isTest && { 'parley-test': 'true' }),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    'webhook-signature': live.map((key) => signStandard(key, { id, timestampSec, body })).join(' '),
  };
}
