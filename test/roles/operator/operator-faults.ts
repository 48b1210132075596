import type { Replica, OperatorPair } from './operator-pair.ts';
import { until } from '../../until.ts';
import type { Seeded } from '../../random/seeded.ts';
import type { Strike } from './side-effects.ts';

/**
 * Faults of operators, their network, the API server and the database while people make changes. Each fault ends by
 * itself or when the changes are `over`. It leaves nothing broken except dead operators, which the pair repairs. A
 * change may succeed only after a fault has ended, so no fault lasts until all changes are made.
 */
export type Fault = (deps: {
  pair: OperatorPair;
  seeded: Seeded;
  /** Resolves when the concurrent changes are made. */
  over: Promise<void>;
}) => Promise<void>;

export const FAULTS = {
  'the leader is killed between two side effects': async (deps) => {
    await strike(await deps.pair.leader(), { ...deps, signal: 'SIGKILL' });
  },
  'an operator is killed': async (deps) => {
    await amid(deps);
    await deps.seeded.pick(deps.pair.replicas).operator.kill();
  },
  'all operators are killed': async (deps) => {
    await amid(deps);
    await Promise.all(deps.pair.replicas.map(({ operator }) => operator.kill()));
    await deps.pair.repair();
  },
  'the leader dies and its successor has heard nothing yet': async ({ pair, over }) => {
    const replica = await pair.leader();
    const others = pair.replicas.filter((one) => one !== replica);
    await Promise.all(others.map(({ operator }) => operator.lag(true)));
    await over;
    await replica.operator.kill();
    await pair.succeeded(replica);
    await Promise.all(others.map(({ operator }) => operator.lag(false)));
  },
  'the leader is stopped': async (deps) => {
    const { operator } = await amid(deps);
    await operator.stop();
  },
  'the leader is paused between two side effects, and goes on': async (deps) => {
    const { pair, seeded, over } = deps;
    const replica = await pair.leader();
    await strike(replica, { ...deps, signal: 'SIGSTOP' });
    await pair.succeeded(replica);
    // The operator resumes while the other operator is working, or after all changes are made.
    if (seeded.below(2) === 0) await over;
    replica.operator.signal('SIGCONT');
    await deposed(replica);
  },
  'the leader is cut off, and comes back': async (deps) => {
    const { pair, seeded, over } = deps;
    const replica = await amid(deps);
    replica.network.hang();
    await pair.succeeded(replica);
    if (seeded.below(2) === 0) await over;
    // The delayed data arrives now.
    if (seeded.below(2) === 0) replica.network.cut();
    replica.network.resume();
    await deposed(replica);
  },
  'all connections to the API server are cut': async (deps) => {
    for (let left = 1 + deps.seeded.below(4); left > 0; left -= 1) {
      await amid(deps);
      for (const { network } of deps.pair.replicas) network.cut();
    }
  },
  'the API server is killed': async (deps) => {
    await amid(deps);
    await deps.pair.kube.kill('apiserver');
    await deps.pair.kube.revive('apiserver');
  },
  'etcd is killed': async (deps) => {
    await amid(deps);
    const { kube } = deps.pair;
    await kube.kill('etcd');
    await until('the API server to miss it', async () => {
      const ready = await kube.request('GET', '/readyz').catch(() => undefined);
      return ready?.status !== 200;
    });
    await kube.revive('etcd');
  },
  'the history is compacted': async (deps) => {
    const { kube } = deps.pair;
    await amid(deps);
    // Otherwise its watch cache would still contain the history that was compacted in etcd.
    await kube.kill('apiserver');
    await compact(kube.etcdUrl);
    await kube.revive('apiserver');
  },
  'the database ends all connections': async (deps) => {
    for (let left = 1 + deps.seeded.below(4); left > 0; left -= 1) {
      await amid(deps);
      await deps.pair.harness.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name like 'operator/%'`,
      );
    }
  },
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

/** Faults that a leader with a long Lease survives, so that the leader must recover without a successor. */
export const OUTAGES: readonly FaultName[] = [
  'all connections to the API server are cut',
  'the API server is killed',
  'etcd is killed',
  'the history is compacted',
  'the database ends all connections',
];

/**
 * Strikes the operator at one of its next 30 side effects, or at the next one after all changes are made.
 */
async function strike(
  { operator }: Replica,
  deps: { seeded: Seeded; over: Promise<void>; signal: Strike['signal'] },
): Promise<void> {
  const { seeded, over, signal } = deps;
  const when = seeded.pick(['before', 'after'] as const);
  operator.arm({ nth: 1 + seeded.below(30), when, signal });
  const struck = (): boolean => operator.struck() !== undefined || !operator.isAlive();
  // Lease renewals are side effects too, so the next side effect comes soon.
  void over.then(() => struck() || operator.arm({ nth: 1, when, signal }));
  await operator.until(struck);
  if (signal === 'SIGKILL') await operator.until(() => !operator.isAlive());
}

/**
 * Resolves to the leader at a random point of its work, after a few more of its side effects but before all changes are
 * made.
 */
async function amid({ pair, seeded, over }: Parameters<Fault>[0]): Promise<Replica> {
  const replica = await pair.leader();
  const { operator } = replica;
  const count = operator.effects.length + seeded.below(20);
  const reached = operator.until(() => operator.effects.length >= count || !operator.isAlive());
  await Promise.race([reached, over]);
  return replica;
}

/** Resolves when the operator knows that it has lost its term, and has ended its work. */
async function deposed({ operator }: Replica): Promise<void> {
  await operator.until(() => operator.epoch() === undefined);
}

/** Compacts the history in etcd up to now. A watch from an earlier revision gets 410. */
async function compact(etcdUrl: string): Promise<void> {
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(`${etcdUrl}${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { header } = (await post('/v3/maintenance/status', {})) as { header: { revision: string } };
  await post('/v3/kv/compaction', { revision: header.revision, physical: true });
}
