import { pino } from 'pino';
import { monotonicMs } from '../../../src/clock.ts';
import { createKubeClient, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import {
  createLeaseElector,
  type Elector,
} from '../../../src/platform/kubernetes/lease-elector.ts';
import { type Lease, parseLease } from '../../../src/platform/kubernetes/lease-record.ts';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts';
import { until } from '../../until.ts';
import type { Kube } from './kube.ts';

/** Helpers of the test of the Lease elector. */

/** A candidate in an election, with its own network. */
export type Candidate = Elector & {
  identity: string;
  proxy: FaultProxy;
  /** Answered requests, such as `GET 200`. */
  answered: string[];
  /** Resolves to the start of the n-th term (from 0), on the monotonic clock. */
  led: (term?: number) => Promise<number>;
  lost: (term?: number) => Promise<number>;
};

export const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MERGE = 'application/merge-patch+json';

/** Short, but a busy machine may stall for four seconds without ending a leader's term. */
export const TIMING = { leaseDurationMs: 6_000, renewDeadlineMs: 4_500, retryPeriodMs: 250 };

/** Records the times of an event, and lets tests wait for the n-th one. */
function createMarks() {
  const marks: PromiseWithResolvers<number>[] = [];
  const nth = (n: number) => (marks[n] ??= Promise.withResolvers<number>());
  let count = 0;
  return {
    mark: () => nth(count++).resolve(performance.now()),
    at: (n = 0): Promise<number> => nth(n).promise,
  };
}

/** A candidate in its own process, which the test can pause. */
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

/** Creates a Lease for one test, and candidates for it. */
export function newElection(kube: Kube, leaseName: string) {
  const log: string[] = [];
  const ends: (() => Promise<void>)[] = [];

  function connect(port: number, answered: string[]): KubeClient {
    return createKubeClient({
      credentials: {
        server: `https://127.0.0.1:${port}`,
        tls: { ca: kube.caCert },
        headers: async () => ({ authorization: `Bearer ${kube.token}` }),
        namespace: 'default',
      },
      countRequest: (method, code) => void answered.push(`${method} ${code}`),
    });
  }

  /** Starts a candidate that records its events. */
  async function startCandidate(
    identity: string,
    options: {
      onLead?: (resign: (reason: string) => void) => Promise<void>;
      onLost?: () => Promise<void>;
    } = {},
  ): Promise<Candidate> {
    const proxy = await startFaultProxy(kube.url);
    const answered: string[] = [];
    const client = connect(proxy.port, answered);
    const led = createMarks();
    const lost = createMarks();
    const elector = createLeaseElector({
      ...TIMING,
      client,
      namespace: 'default',
      name: leaseName,
      identity,
      log: pino({ level: 'silent' }),
      nowMs: monotonicMs,
      onLead: async (resign) => {
        log.push(`${identity} leads`);
        led.mark();
        await options.onLead?.(resign);
      },
      onLost: async () => {
        await options.onLost?.();
        log.push(`${identity} ends`);
        lost.mark();
      },
    });
    ends.push(async () => {
      await elector.stop();
      await proxy.stop();
      await client.close();
    });
    elector.start();
    return { ...elector, identity, proxy, answered, led: led.at, lost: lost.at };
  }

  async function readLease(): Promise<Lease | undefined> {
    const { status, json } = await kube.request('GET', `${LEASES}/${leaseName}`);
    return status === 200 ? parseLease(json()) : undefined;
  }

  /** Waits by polling, because the Lease and requests in progress give no signal. */
  const eventually = (isSo: () => boolean | Promise<boolean>): Promise<true> =>
    until(() => `${String(isSo)}; log: ${log.join(', ')}`, isSo, { everyMs: 20 });

  /** Resolves when the candidate's watch is active, so that it knows the leader. */
  const follows = ({ answered }: Candidate, times = 1): Promise<true> =>
    eventually(() => answered.filter((one) => one === 'GET 200').length > times);

  async function renewals(count: number): Promise<void> {
    const seen = new Set<string | undefined>();
    await eventually(async () => seen.add((await readLease())?.renewTime).size > count);
  }

  const patch = (body: object) => kube.request('PATCH', `${LEASES}/${leaseName}`, body, MERGE);

  return {
    leaseName,
    log,
    startCandidate,
    readLease,
    eventually,
    follows,
    renewals,
    patch,
    /** Registers work for the end of the test, even if it fails. */
    atEnd: (end: () => Promise<void>) => void ends.push(end),
    end: async () => void (await Promise.all(ends.splice(0).map((end) => end()))),
  };
}
