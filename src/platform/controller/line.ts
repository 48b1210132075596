/**
 * Items that are waiting for their turn. They are grouped by namespace (or another owner), and the groups take turns.
 */
export type Line<N, T> = {
  join: (namespace: N, one: T) => void;
  /** Removes an item that no longer needs to wait, for example because its request was aborted. */
  leave: (namespace: N, one: T) => void;
  size: () => number;
  sizeOf: (namespace: N) => number;
  /**
   * Removes and returns the next item: the oldest item of the namespace with the fewest running jobs, which `countOf`
   * returns. Namespaces with equal counts take turns. Returns undefined if no item is waiting, or if every waiting
   * namespace already runs `share` jobs. Without arguments, the namespaces take turns regardless of running jobs.
   */
  next: (
    countOf?: (namespace: N) => number,
    share?: number,
  ) => { namespace: N; one: T } | undefined;
};

const none = (): number => 0;

export function createLine<N, T>(): Line<N, T> {
  /** Waiting items by namespace. A namespace without items has no entry. */
  const waiting = new Map<N, T[]>();
  let size = 0;

  function first(countOf: (namespace: N) => number, share: number): [N, T[]] | undefined {
    let found: [N, T[]] | undefined;
    let fewest = share;
    for (const entry of waiting) {
      const count = countOf(entry[0]);
      if (count >= fewest) continue;
      found = entry;
      fewest = count;
      if (count === 0) break;
    }
    return found;
  }

  return {
    join: (namespace, one) => {
      const others = waiting.get(namespace);
      if (others) others.push(one);
      else waiting.set(namespace, [one]);
      size += 1;
    },
    leave: (namespace, one) => {
      const all = waiting.get(namespace) ?? [];
      const at = all.indexOf(one);
      if (at < 0) return;
      all.splice(at, 1);
      if (all.length === 0) waiting.delete(namespace);
      size -= 1;
    },
    size: () => size,
    sizeOf: (namespace) => waiting.get(namespace)?.length ?? 0,
    next: (countOf = none, share = Number.POSITIVE_INFINITY) => {
      const found = first(countOf, share);
      if (!found) return undefined;
      const [namespace, all] = found;
      const one = all.shift()!; // Not undefined, because each list in `waiting` has at least one item.
      waiting.delete(namespace);
      if (all.length > 0) waiting.set(namespace, all); // Added at the end, so that other namespaces go first.
      size -= 1;
      return { namespace, one };
    },
  };
}
