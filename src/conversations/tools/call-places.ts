/**
 * Limits concurrent calls to webhook tools in a process, in total and per namespace. If the calls of one namespace
 * hang, slots remain for other namespaces.
 */
export type CallPlaces = {
  /** Acquires a slot. Returns a function that releases it, or undefined if no slot is free. */
  take: (namespace: string) => (() => void) | undefined;
};

/** Maximum number of concurrent calls. A call usually takes less than a second, and never longer than its timeout. */
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
