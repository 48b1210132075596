import { networkOf } from '../rate-limit.ts';

/**
 * Places for clients that have not authenticated yet. When all are taken, a newcomer gets the place of the oldest
 * holder of the address with the most holders. So an address that takes all places cannot keep others out. Where a
 * proxy gives all clients the same address, a client that shows its key immediately still keeps its place until then.
 */
export type FairPlaces<T> = {
  /** Takes a place. Returns the holder that loses its place, if any. */
  take: (address: string, holder: T) => T | undefined;
  leave: (holder: T) => void;
  count: () => number;
};

export function createFairPlaces<T>(max: number): FairPlaces<T> {
  const networks = new Map<string, Set<T>>();
  const networkOfHolder = new Map<T, string>();

  function leave(holder: T): void {
    const network = networkOfHolder.get(holder);
    if (network === undefined) return;
    networkOfHolder.delete(holder);
    const holders = networks.get(network);
    holders?.delete(holder);
    if (holders?.size === 0) networks.delete(network);
  }

  /** Costs one step per address, and runs only when all places are taken. */
  function oldestOfTheMost(): T | undefined {
    let most = new Set<T>();
    for (const holders of networks.values()) if (holders.size > most.size) most = holders;
    const [oldest] = most;
    return oldest;
  }

  return {
    take: (address, holder) => {
      const network = networkOf(address);
      const holders = networks.get(network) ?? new Set();
      networks.set(network, holders.add(holder));
      networkOfHolder.set(holder, network);
      const loser = networkOfHolder.size > max ? oldestOfTheMost() : undefined;
      if (loser !== undefined) leave(loser);
      return loser;
    },
    leave,
    count: () => networkOfHolder.size,
  };
}
