import type { Elector } from '../../../src/platform/kubernetes/lease-elector.ts';
import type { FaultProxy } from '../fault-proxy.ts';

/** One who stands for election, in a network of its own. */
export type Candidate = Elector & {
  identity: string;
  proxy: FaultProxy;
  /** Requests that were answered, as `GET 200` */
  answered: string[];
  /** When the n-th term (from 0) began, on the monotonic clock */
  led: (term?: number) => Promise<number>;
  lost: (term?: number) => Promise<number>;
};
/** What the test of the Lease elector needs besides its API server. */

/** Short, and yet a machine with other work may stall for a second without costing a leader its term. */
export const TIMING = { leaseDurationMs: 2_000, renewDeadlineMs: 1_500, retryPeriodMs: 250 };

/** Remembers when something happened, and wakes those who wait for the n-th time. */
export function createMarks() {
  const marks: PromiseWithResolvers<number>[] = [];
  const nth = (n: number) => (marks[n] ??= Promise.withResolvers<number>());
  let count = 0;
  return {
    mark: () => nth(count++).resolve(performance.now()),
    at: (n = 0): Promise<number> => nth(n).promise,
  };
}

/** A candidate in a process of its own, to be paused. */
export const PAUSED = `
  const { URL: server, CA: ca, TOKEN, LEASE: name, SRC, TIMING } = process.env;
  const { createKubeClient } = await import(SRC + 'platform/kubernetes/client.ts');
  const { createLeaseElector } = await import(SRC + 'platform/kubernetes/lease-elector.ts');
  const headers = async () => ({ authorization: 'Bearer ' + TOKEN });
  const client = createKubeClient({ credentials: { server, tls: { ca }, headers, namespace: 'default' } });
  const log = { info() {}, warn() {}, debug() {}, error() {} };
  createLeaseElector({
    ...{ client, namespace: 'default', name, identity: 'paused', log, ...JSON.parse(TIMING) },
    nowMs: () => performance.now(),
    onLead: async () => console.log('leads'),
    onLost: async () => console.log('ends'),
  }).start();
`;
