import { networkOf } from '../rate-limit.ts';

/**
 * Connection slots for clients that have not authenticated yet. If all slots are taken, a new client gets the slot of
 * the oldest client of the address that holds the most slots. An address that takes all slots therefore cannot lock out
 * other addresses. Behind a proxy, all clients may have the same address. In that case the oldest of all clients loses
 * its slot, so a client that authenticates immediately keeps its slot long enough.
 */
export type FairPlaces<T> = {
  /** Takes a slot. Returns the client that loses its slot, if any. */
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

  /**
   * Returns the oldest client of the address with the most slots. It visits every address, but runs only when all slots
   * are taken.
   */
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
