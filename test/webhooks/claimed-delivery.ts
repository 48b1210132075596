import { randomUUID } from 'node:crypto';
import type { ClaimedDelivery } from '../../src/webhooks/queue/dispatch-queue.ts';

/** What tests of the deliverer with a queue in memory have in common. */

/** `bank:1` is an endpoint of the namespace `bank`, and one without a colon is of `default`. */
export const namespaceOf = (endpointId: string): string =>
  /^(.+):/.exec(endpointId)?.[1] ?? 'default';

/** Returns the namespaces as the queue does. The endpoint `deleted` does not exist. */
export function namespacesOf(endpointIds: readonly string[]): Promise<Map<string, string>> {
  const found = endpointIds.filter((id) => id !== 'deleted');
  return Promise.resolve(new Map(found.map((id) => [id, namespaceOf(id)])));
}

export const claimed = (endpointId: string, leaseToken: string): ClaimedDelivery => ({
  id: randomUUID(),
  namespace: namespaceOf(endpointId),
  endpointId,
  eventId: randomUUID(),
  leaseToken,
  eventType: 'agent.published',
  trigger: 'schedule',
  isManual: false,
  isTest: false,
  conversationId: null,
  attempt: 1,
  ageMs: 0,
  waitedMs: 0,
  overdueMs: 0,
  lost: false,
  url: 'https://a.test/',
  plainHeaders: {},
  declaredHeaders: null,
  restHeaders: null,
  yields: false,
  secret: Buffer.alloc(0),
  traceparent: null,
  otherSecret: null,
  body: Buffer.alloc(0),
});

/** Waits until all promises that can settle have settled. */
export const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise(setImmediate);
};
