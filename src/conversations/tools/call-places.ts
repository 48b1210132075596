/**
 * How many calls of webhook tools a process makes at once: those of one namespace that hang leave
 * places for the others.
 */
export type CallPlaces = {
  /** Gives the place back; undefined: there is none. */
  take: (namespace: string) => (() => void) | undefined;
};

/** A call mostly takes less than a second, and never more than its time-out. */
const PLACES = { namespace: 32, process: 256 };

export function createCallPlaces(max: typeof PLACES = PLACES): CallPlaces {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take: (namespace) => {
      const ours = taken.get(namespace) ?? 0;
      if (ours >= max.namespace || all >= max.process) return undefined;
      taken.set(namespace, ours + 1);
      all += 1;
      return () => {
        all -= 1;
        const left = (taken.get(namespace) ?? 0) - 1;
        if (left > 0) taken.set(namespace, left);
        else taken.delete(namespace);
      };
    },
  };
}
