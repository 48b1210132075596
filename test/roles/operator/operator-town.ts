import type { Kube } from '../../platform/kubernetes/kube.ts';
import { startOperatorProcess, type OperatorProcess } from './operator-process.ts';
import type { World } from './operator-world.ts';
import { startFaultProxy, type FaultProxy } from '../../platform/fault-proxy.ts';

/** Two operators of one world, each behind a network of its own that can fail. */
export type Town = {
  kube: Kube;
  world: World;
  /** Those of now; one that died is replaced by `repair`. */
  places: readonly Place[];
  /** Resolves with the one that leads, once one does. */
  leader: () => Promise<Place>;
  /** Resolves once another than this one leads. */
  succeeded: (place: Place) => Promise<void>;
  /** Starts those again that are dead; resolves when each knows everything. */
  repair: () => Promise<void>;
  /** The end of what the last processes logged. */
  story: () => string;
  /** What they logged that only wrong code throws. */
  bugs: () => string[];
  stop: () => Promise<void>;
};

const BUG = /"type":"(TypeError|RangeError|ReferenceError)"/;

export type Place = { operator: OperatorProcess; network: FaultProxy };

export async function startTown(deps: {
  kube: Kube;
  world: World;
  leaseDurationMs: number;
}): Promise<Town> {
  const { kube, world, leaseDurationMs } = deps;
  const past: OperatorProcess[] = [];
  let started = 0;
  /** Rung whenever any of them told something. */
  const bells = new Set<() => void>();

  function start(network: FaultProxy): OperatorProcess {
    started += 1;
    const { options } = world;
    const server = `https://127.0.0.1:${network.port}`;
    const operator = startOperatorProcess({
      ...options,
      leaseDurationMs,
      name: `operator-${started}`,
      kube: { ...options.kube, server },
    });
    past.push(operator);
    void operator.until(() => {
      for (const bell of bells) bell();
      return !operator.isAlive();
    });
    return operator;
  }

  async function newPlace(): Promise<Place> {
    const network = await startFaultProxy(kube.url);
    return { network, operator: start(network) };
  }

  const places = [await newPlace(), await newPlace()] as const;

  const epochOf = ({ operator }: Place): number => operator.epoch() ?? 0;
  /** One that is paused or cut off may still believe that it leads; the epoch says better. */
  const leading = (): Place | undefined =>
    places.filter((place) => epochOf(place) > 0).sort((a, b) => epochOf(b) - epochOf(a))[0];

  function until<T>(check: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const bell = (): void => {
        const found = check();
        if (found === undefined) return;
        bells.delete(bell);
        resolve(found);
      };
      bells.add(bell);
      bell();
    });
  }

  return {
    kube,
    world,
    places,
    leader: () => until(leading),
    succeeded: async (place) => {
      await until(() => (leading() === place ? undefined : leading()));
    },
    repair: async () => {
      for (const place of places) {
        if (!place.operator.isAlive()) place.operator = start(place.network);
      }
      await until(() => places.every(({ operator }) => operator.isReady()) || undefined);
    },
    story: () =>
      past
        .slice(-4)
        .map(({ name, output }) => `--- ${name}\n${output().slice(-5_000)}`)
        .join('\n'),
    bugs: () => past.flatMap(({ output }) => output().split('\n')).filter((line) => BUG.test(line)),
    stop: async () => {
      await Promise.all(places.map(({ operator }) => operator.kill()));
      await Promise.all(places.map(({ network }) => network.stop()));
    },
  };
}
