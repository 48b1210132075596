import type { OwnKube } from '../../platform/kubernetes/kube.ts';
import { startOperatorProcess, type OperatorProcess } from './operator-process.ts';
import type { OperatorHarness } from './operator-harness.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';

/** Two operators of one namespace and database, each behind a network of its own that can fail. */
export type OperatorPair = {
  kube: OwnKube;
  harness: OperatorHarness;
  /** Those of now; one that died is replaced by `repair`. */
  replicas: readonly Replica[];
  /** Resolves with the one that leads, once one does. */
  leader: () => Promise<Replica>;
  /** Ends the Lease of this one, if it has it; resolves once another leads. */
  succeeded: (replica: Replica) => Promise<void>;
  /** Starts those again that are dead; resolves when each knows everything. */
  repair: () => Promise<void>;
  /** The end of what the last processes logged. */
  story: () => string;
  /** What they logged that only wrong code throws. */
  bugs: () => string[];
  stop: () => Promise<void>;
};

const BUG = /"type":"(TypeError|RangeError|ReferenceError)"/;

export type Replica = { operator: OperatorProcess; network: FaultProxy };

export async function startOperatorPair(deps: {
  kube: OwnKube;
  harness: OperatorHarness;
  leaseDurationMs?: number | undefined;
}): Promise<OperatorPair> {
  const { kube, harness, leaseDurationMs } = deps;
  const past: OperatorProcess[] = [];
  let started = 0;
  let stopped = false;
  /** Called whenever any of them reported something. */
  const checks = new Set<() => void>();

  function start(network: FaultProxy): OperatorProcess {
    started += 1;
    const { options } = harness;
    const server = `https://127.0.0.1:${network.port}`;
    const operator = startOperatorProcess({
      ...options,
      ...(leaseDurationMs !== undefined && { leaseDurationMs }),
      name: `operator-${started}`,
      kube: { ...options.kube, server },
    });
    past.push(operator);
    void operator.until(() => {
      for (const check of checks) check();
      return !operator.isAlive();
    });
    // The Lease of one that died would pass in its own time.
    void operator
      .until(() => !operator.isAlive())
      .then(() => (stopped ? undefined : harness.endLease(operator.name)))
      .catch(() => undefined); // Whoever waits for a successor reports it.
    return operator;
  }

  async function newReplica(): Promise<Replica> {
    const network = await startFaultProxy(kube.url);
    return { network, operator: start(network) };
  }

  const replicas = [await newReplica(), await newReplica()] as const;

  const epochOf = ({ operator }: Replica): number => operator.epoch() ?? 0;
  /** One that is paused or cut off may still believe that it leads; the epoch says better. */
  const leading = (): Replica | undefined =>
    replicas.filter((replica) => epochOf(replica) > 0).sort((a, b) => epochOf(b) - epochOf(a))[0];

  function until<T>(check: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = check();
        if (found === undefined) return;
        checks.delete(look);
        resolve(found);
      };
      checks.add(look);
      look();
    });
  }

  return {
    kube,
    harness,
    replicas,
    leader: () => until(leading),
    succeeded: async (replica) => {
      await harness.endLease(replica.operator.name);
      await until(() => (leading() === replica ? undefined : leading()));
    },
    repair: async () => {
      for (const replica of replicas) {
        if (!replica.operator.isAlive()) replica.operator = start(replica.network);
      }
      await until(() => replicas.every(({ operator }) => operator.isReady()) || undefined);
    },
    story: () =>
      past
        .slice(-4)
        .map(({ name, output }) => `--- ${name}\n${output().slice(-5_000)}`)
        .join('\n'),
    bugs: () => past.flatMap(({ output }) => output().split('\n')).filter((line) => BUG.test(line)),
    stop: async () => {
      stopped = true;
      await Promise.all(replicas.map(({ operator }) => operator.kill()));
      await Promise.all(replicas.map(({ network }) => network.stop()));
    },
  };
}
