import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { monotonicMs } from '../../../src/clock.ts';
import { createKubeClient, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { createLeaseElector } from '../../../src/platform/kubernetes/lease-elector.ts';
import { type Lease, parseLease } from '../../../src/platform/kubernetes/lease-record.ts';
import { borrowKube, type Kube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';
import { holdTime } from '../../clock.ts';
import { startFaultProxy } from '../fault-proxy.ts';
import { type Candidate, createMarks, PAUSED, TIMING } from './kubernetes-lease-setup.ts';
import { until } from '../../until.ts';

/** Each candidate reaches the real API server through a network of its own, which can fail. */

const binaries = await findKubeBinaries();
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const MERGE = 'application/merge-patch+json';

(binaries ? describe : describe.skip)('the Lease elector', () => {
  let kube: Kube;
  let leaseName: string;
  let leaseCount = 0;
  let log: string[];
  let child: ChildProcess | undefined;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    kube = await borrowKube();
  }, 120_000);
  afterAll(async () => kube?.stop());
  beforeEach(() => {
    leaseName = `lease-${(leaseCount += 1)}`;
    log = [];
  });
  afterEach(async () => {
    child?.kill('SIGKILL'); // Also one that is paused.
    await Promise.all(ends.splice(0).map((end) => end()));
  });

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

  /** A candidate that records what happens to it. */
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

  /** Of the Lease and of requests on their way there is no signal to wait for. */
  const eventually = (isSo: () => boolean | Promise<boolean>): Promise<true> =>
    until(() => `${String(isSo)}; log: ${log.join(', ')}`, isSo, { everyMs: 10 });

  /** The candidate has its watch, and so knows who leads. */
  const follows = ({ answered }: Candidate, times = 1): Promise<true> =>
    eventually(() => answered.filter((one) => one === 'GET 200').length > times);

  async function renewals(count: number): Promise<void> {
    const seen = new Set<string | undefined>();
    await eventually(async () => seen.add((await readLease())?.renewTime).size > count);
  }

  const patch = (body: object) => kube.request('PATCH', `${LEASES}/${leaseName}`, body, MERGE);

  test('one leads, and the one that waits asks for nothing', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    const [asked, renewed] = [[...second.answered], first.answered.length];
    await renewals(6);
    expect(second.answered).toEqual(asked);
    expect(asked).toEqual(['GET 200', 'GET 200']); // The list and the watch.
    expect(new Set(first.answered.slice(renewed))).toEqual(new Set(['PUT 200']));
    expect(log).toEqual(['first leads']);
    expect(await readLease()).toMatchObject({
      holder: 'first',
      durationMs: TIMING.leaseDurationMs,
      transitions: 0,
    });
  });

  test('stop hands over at once, and not before the work has ended', async () => {
    // Longer than a lease: it is renewed until the work has ended.
    const onLost = async (): Promise<void> => {
      await renewals(6);
      holdTime(); // The other one waits for nothing but the Lease.
    };
    const first = await startCandidate('first', { onLost });
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    await Promise.all([first.stop(), first.stop()]);
    await second.led();
    expect(log).toEqual(['first leads', 'first ends', 'second leads']);
    expect(await readLease()).toMatchObject({ holder: 'second', transitions: 1 });
  });

  test('a lease given back says so, and the one that comes next takes it at once', async () => {
    const first = await startCandidate('first');
    await first.led();
    await first.stop();
    expect(await readLease()).toMatchObject({ holder: '', durationMs: 1_000 });
    holdTime();
    const second = await startCandidate('second');
    await second.led();
  });

  test('of a dead holder the lease is taken when it is over, and not before', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    first.proxy.hang();
    const last = await readLease();
    await second.led();
    const next = await readLease();
    const waitedMs = Date.parse(next!.acquireTime) - Date.parse(last!.renewTime);
    expect(waitedMs).toBeGreaterThanOrEqual(TIMING.leaseDurationMs); // By the record itself.
  });

  test('a leader without an API server ends before another begins, and then waits in line', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    first.proxy.hang();
    await second.led();
    expect(log).toEqual(['first leads', 'first ends', 'second leads']);
    first.proxy.resume();
    await renewals(4);
    expect(log).toHaveLength(3);
    await second.stop();
    await first.led(1);
  });

  test('a leader whose connections break now and then goes on', async () => {
    const first = await startCandidate('first');
    await first.led();
    await startCandidate('second');
    for (let round = 0; round < 4; round += 1) {
      first.proxy.cut();
      await renewals(2);
    }
    expect(log).toEqual(['first leads']);
  });

  test('one that waits survives the end of its watch', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    for (const round of [1, 2, 3]) {
      await follows(second, round);
      second.proxy.cut();
    }
    await follows(second, 4);
    holdTime();
    await first.stop();
    await second.led();
    expect(log).toEqual(['first leads', 'first ends', 'second leads']);
  });

  test('one whose watch is dead without knowing it takes nothing from a live leader', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    second.proxy.hang();
    await renewals((2 * TIMING.leaseDurationMs) / TIMING.retryPeriodMs + 1); // Two leases.
    second.proxy.cut();
    second.proxy.resume();
    await eventually(() => second.answered.length > 4);
    await renewals(4);
    expect(log).toEqual(['first leads']);
  });

  test('of many that race for a new lease one wins, and for one given back too', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const all = await Promise.all(names.map((name) => startCandidate(name)));
    const winner = await Promise.race(all.map(async (one) => (await one.led(), one)));
    await Promise.all(all.filter((one) => one !== winner).map((one) => follows(one)));
    await renewals(4);
    expect(log).toEqual([`${winner.identity} leads`]);
    expect(await readLease()).toMatchObject({ holder: winner.identity, transitions: 0 });
    await winner.stop();
    await eventually(() => log.length === 3);
    await renewals(4);
    expect(log).toHaveLength(3);
    expect(await readLease()).toMatchObject({ transitions: 1 });
  });

  test('a process that was paused finds out that it leads no longer', async () => {
    const leader = spawn(process.execPath, ['--input-type=module', '-e', PAUSED], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        URL: kube.url,
        CA: kube.caCert,
        TOKEN: kube.token,
        LEASE: leaseName,
        SRC: new URL('../../../src/', import.meta.url).href,
        TIMING: JSON.stringify(TIMING),
      },
    });
    child = leader;
    const lines = createInterface({ input: leader.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('leads');
    const second = await startCandidate('second');
    await follows(second);
    leader.kill('SIGSTOP');
    await second.led();
    leader.kill('SIGCONT');
    expect((await lines.next()).value).toBe('ends');
    await renewals(4);
    expect(log).toEqual(['second leads']);
    await second.stop();
    expect((await lines.next()).value).toBe('leads');
  });

  test('a Lease that is deleted while somebody leads is made again, and changes no leader', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    for (let round = 0; round < 5; round += 1) {
      await kube.request('DELETE', `${LEASES}/${leaseName}`);
      await eventually(async () => (await readLease())?.holder === 'first');
    }
    await renewals(4);
    expect(log).toEqual(['first leads']);
    await first.stop();
    await second.led();
  });

  test('a Lease that is deleted when its holder is dead is made when it would be over', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    first.proxy.hang();
    await kube.request('DELETE', `${LEASES}/${leaseName}`);
    await second.led();
    expect(log).toEqual(['first leads', 'first ends', 'second leads']);
  });

  test.each([
    ['given to somebody', { holderIdentity: 'nobody' }],
    ['emptied', null],
    ['given back', { holderIdentity: '', leaseTransitions: 2 ** 31 - 1 }],
  ])('a Lease that is %s by hand ends the term, and then somebody leads again', async (_, spec) => {
    const first = await startCandidate('first');
    await first.led();
    await patch({ spec });
    await first.lost();
    await first.led(1);
    expect(await readLease()).toMatchObject({
      holder: 'first',
      durationMs: TIMING.leaseDurationMs,
    });
  });

  test('edits that change nothing about who leads end nothing, and labels stay', async () => {
    const first = await startCandidate('first');
    await first.led();
    await patch({ metadata: { labels: { team: 'support' } } });
    await patch({ spec: { leaseDurationSeconds: 86_400, renewTime: null } });
    await eventually(async () => (await readLease())?.durationMs === TIMING.leaseDurationMs);
    await renewals(3);
    expect(log).toEqual(['first leads']);
    expect((await readLease())?.metadata).toMatchObject({ labels: { team: 'support' } });
  });

  test('one that cannot begin to lead cleans up and gives the lease to the other', async () => {
    let broken = true;
    const onLead = async (): Promise<void> => {
      if (broken) throw new Error('no database');
    };
    const first = await startCandidate('first', { onLead });
    await first.lost();
    const second = await startCandidate('second');
    await second.led();
    expect(log.filter((line) => line.startsWith('first'))).toEqual(
      Array.from({ length: log.indexOf('second leads') }, (_, i) =>
        i % 2 ? 'first ends' : 'first leads',
      ),
    );
    broken = false;
    const terms = log.filter((line) => line === 'first leads').length;
    await second.stop();
    await first.led(terms);
  });

  test('one that resigns ends, gives the lease back, and may lead again', async () => {
    let resign: (reason: string) => void = () => undefined;
    const first = await startCandidate('first', {
      onLead: async (resignNow) => void (resign = resignNow),
    });
    await first.led();
    await eventually(async () => (await readLease())?.holder === 'first');
    resign('its epoch is over');
    resign('twice is once');
    await first.led(1);
    expect(log).toEqual(['first leads', 'first ends', 'first leads']);
    await first.stop();
    expect((await readLease())?.holder).toBe('');
  });

  test('one that loses the lease while it begins ends after it has begun', async () => {
    const begun = Promise.withResolvers<void>();
    const first = await startCandidate('first', {
      onLead: async () => {
        await begun.promise;
        log.push('first has begun');
      },
    });
    await first.led();
    const second = await startCandidate('second');
    await patch({ spec: { holderIdentity: 'nobody' } });
    await second.led();
    begun.resolve();
    await first.lost();
    expect(log).toEqual(['first leads', 'second leads', 'first has begun', 'first ends']);
  });

  test('stop ends in time without an API server, for a leader and for one that waits', async () => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    for (const one of [first, second]) {
      one.proxy.hang();
      one.proxy.cut(); // New connections hang before they are any.
    }
    await Promise.all([first.stop(), second.stop()]);
    expect(log).toEqual(['first leads', 'first ends']);
  });

  test('one that was stopped never starts', async () => {
    const first = await startCandidate('first');
    await first.stop();
    first.start();
    await first.stop();
    const ended = log.filter((line) => line === 'first ends').length;
    expect(log.filter((line) => line === 'first leads')).toHaveLength(ended);
  });
});
