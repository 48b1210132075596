import { afterAll, beforeAll, describe, expect, test as base } from 'vitest';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { borrowKube, type Kube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';
import { holdTime } from '../../clock.ts';
import { LEASES, newElection, PAUSED, TIMING } from './kubernetes-lease-setup.ts';

/** Each candidate reaches the real API server through its own network, which can fail. */

const binaries = await findKubeBinaries();

(binaries ? describe : describe.skip)('the Lease elector', () => {
  let kube: Kube;
  let leaseCount = 0;
  beforeAll(async () => {
    kube = await borrowKube();
  }, 120_000);
  afterAll(async () => kube?.stop());

  /** Each test has its own Lease and candidates. The tests mostly wait, so they run concurrently. */
  const test = base.extend<{ election: ReturnType<typeof newElection> }>({
    // oxlint-disable-next-line eslint/no-empty-pattern -- Vitest reads what a fixture needs from the pattern.
    election: async ({}, use) => {
      const election = newElection(kube, `lease-${(leaseCount += 1)}`);
      await use(election);
      await election.end();
    },
  });

  test.concurrent('one leads, and the one that waits asks for nothing', async ({
    election: { log, startCandidate, readLease, follows, renewals },
  }) => {
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

  test.concurrent('of a dead holder the lease is taken when it is over, and not before', async ({
    election: { startCandidate, readLease, follows },
  }) => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    first.proxy.hang();
    const last = await readLease();
    await second.led();
    const next = await readLease();
    const waitedMs = Date.parse(next!.acquireTime) - Date.parse(last!.renewTime);
    expect(waitedMs).toBeGreaterThanOrEqual(TIMING.leaseDurationMs); // According to the record itself.
  });

  test.concurrent('a leader without an API server ends before another begins, and then waits in line', async ({
    election: { log, startCandidate, follows, renewals },
  }) => {
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

  test.concurrent('a leader whose connections break now and then goes on', async ({
    election: { log, startCandidate, renewals },
  }) => {
    const first = await startCandidate('first');
    await first.led();
    await startCandidate('second');
    for (let round = 0; round < 4; round += 1) {
      first.proxy.cut();
      await renewals(2);
    }
    expect(log).toEqual(['first leads']);
  });

  test.concurrent('one whose watch is dead without knowing it takes nothing from a live leader', async ({
    election: { log, startCandidate, eventually, follows, renewals },
  }) => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    second.proxy.hang();
    await renewals((2 * TIMING.leaseDurationMs) / TIMING.retryPeriodMs + 1); // Lasts two leases.
    second.proxy.cut();
    second.proxy.resume();
    await eventually(() => second.answered.length > 4);
    await renewals(4);
    expect(log).toEqual(['first leads']);
  });

  test.concurrent('of many that race for a new lease one wins, and for one given back too', async ({
    election: { log, startCandidate, readLease, eventually, follows, renewals },
  }) => {
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

  test.concurrent('a process that was paused finds out that it leads no longer', async ({
    election: { leaseName, log, startCandidate, follows, renewals, atEnd },
  }) => {
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
    atEnd(async () => void leader.kill('SIGKILL')); // SIGKILL also ends a paused process.
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

  test.concurrent('a Lease that is deleted while somebody leads is made again, and changes no leader', async ({
    election: { leaseName, log, startCandidate, readLease, eventually, follows, renewals },
  }) => {
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

  test.concurrent('a Lease that is deleted when its holder is dead is made when it would be over', async ({
    election: { leaseName, log, startCandidate, follows },
  }) => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    first.proxy.hang();
    await kube.request('DELETE', `${LEASES}/${leaseName}`);
    await second.led();
    expect(log).toEqual(['first leads', 'first ends', 'second leads']);
  });

  test.concurrent.for([
    ['given to somebody', { holderIdentity: 'nobody' }],
    ['emptied', null],
    ['given back', { holderIdentity: '', leaseTransitions: 2 ** 31 - 1 }],
  ])(
    'a Lease that is %s by hand ends the term, and then somebody leads again',
    async ([, spec], { election: { startCandidate, readLease, patch } }) => {
      const first = await startCandidate('first');
      await first.led();
      await patch({ spec });
      await first.lost();
      await first.led(1);
      expect(await readLease()).toMatchObject({
        holder: 'first',
        durationMs: TIMING.leaseDurationMs,
      });
    },
  );

  test.concurrent('edits that change nothing about who leads end nothing, and labels stay', async ({
    election: { log, startCandidate, readLease, eventually, renewals, patch },
  }) => {
    const first = await startCandidate('first');
    await first.led();
    await patch({ metadata: { labels: { team: 'support' } } });
    await patch({ spec: { leaseDurationSeconds: 86_400, renewTime: null } });
    await eventually(async () => (await readLease())?.durationMs === TIMING.leaseDurationMs);
    await renewals(3);
    expect(log).toEqual(['first leads']);
    expect((await readLease())?.metadata).toMatchObject({ labels: { team: 'support' } });
  });

  test.concurrent('one that cannot begin to lead cleans up and gives the lease to the other', async ({
    election: { log, startCandidate },
  }) => {
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

  test.concurrent('one that resigns ends, gives the lease back, and may lead again', async ({
    election: { log, startCandidate, readLease, eventually },
  }) => {
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

  test.concurrent('one that loses the lease while it begins ends after it has begun', async ({
    election: { log, startCandidate, patch },
  }) => {
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

  test.concurrent('stop ends in time without an API server, for a leader and for one that waits', async ({
    election: { log, startCandidate, follows },
  }) => {
    const first = await startCandidate('first');
    await first.led();
    const second = await startCandidate('second');
    await follows(second);
    for (const one of [first, second]) {
      one.proxy.hang();
      one.proxy.cut(); // New connections hang before they are established.
    }
    await Promise.all([first.stop(), second.stop()]);
    expect(log).toEqual(['first leads', 'first ends']);
  });

  test.concurrent('one that was stopped never starts', async ({
    election: { log, startCandidate },
  }) => {
    const first = await startCandidate('first');
    await first.stop();
    first.start();
    await first.stop();
    const ended = log.filter((line) => line === 'first ends').length;
    expect(log.filter((line) => line === 'first leads')).toHaveLength(ended);
  });

  describe('while time stands still', () => {
    test('stop hands over at once, and not before the work has ended', async ({
      election: { log, startCandidate, readLease, follows, renewals },
    }) => {
      // The lease is renewed until the work has ended, which takes longer than a lease.
      const onLost = async (): Promise<void> => {
        await renewals(TIMING.leaseDurationMs / TIMING.retryPeriodMs);
        holdTime(); // The other candidate waits for the Lease only.
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

    test('a lease given back says so, and the one that comes next takes it at once', async ({
      election: { startCandidate, readLease },
    }) => {
      const first = await startCandidate('first');
      await first.led();
      await first.stop();
      expect(await readLease()).toMatchObject({ holder: '', durationMs: 1_000 });
      holdTime();
      const second = await startCandidate('second');
      await second.led();
    });

    test('one that waits survives the end of its watch', async ({
      election: { log, startCandidate, follows },
    }) => {
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
  });
});
