import type { OwnKube } from '../../platform/kubernetes/kube.ts';
import { startOperatorProcess, type OperatorProcess } from './operator-process.ts';
import type { OperatorHarness } from './operator-harness.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';

/** Two operators for one namespace and database. Each uses its own network, which can fail. */
export type OperatorPair = {
  kube: OwnKube;
  harness: OperatorHarness;
  /** The current operators. `repair` replaces dead ones. */
  replicas: readonly Replica[];
  /** Resolves to the leader once there is one. */
  leader: () => Promise<Replica>;
  /** Ends the Lease if this replica holds it. Resolves once another replica leads. */
  succeeded: (replica: Replica) => Promise<void>;
  /** Restarts dead operators. Resolves when all watches of each operator have reported their initial state. */
  repair: () => Promise<void>;
  /** Returns the end of the logs of the last processes. */
  story: () => string;
  /** Returns log lines with errors that only a bug can cause. */
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
  /** Functions that are called after each report of an operator. */
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
    // Ends the Lease of a dead operator instead of waiting until it expires.
    void operator
      .until(() => !operator.isAlive())
      .then(() => (stopped ? undefined : harness.endLease(operator.name)))
      .catch(() => undefined); // The code that waits for a successor reports the error.
    return operator;
  }

  async function newReplica(): Promise<Replica> {
    const network = await startFaultProxy(kube.url);
    return { network, operator: start(network) };
  }

  const replicas = [await newReplica(), await newReplica()] as const;

  const epochOf = ({ operator }: Replica): number => operator.epoch() ?? 0;
  /**
   * Returns the leader. A paused or disconnected operator may still believe that it leads, so the operator with the
   * highest epoch counts.
   */
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
