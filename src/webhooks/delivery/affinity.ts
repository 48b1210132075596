import { hash } from 'node:crypto';

/**
 * Assignment of endpoints to delivery processes. A wake-up (the database notification that endpoints have deliveries
 * due) reaches every process. If every process then claimed deliveries, most claims would find nothing. So each
 * endpoint is assigned to one process, which claims immediately. If that process misses a delivery, the periodic sweeps
 * of the other processes find it. The assignment need not be exact. While processes disagree about which of them are
 * alive, two processes may try to claim the same deliveries, or no process claims them until the next sweep, at most a
 * second later.
 */
export type Affinity = {
  /** Sets which other processes claim deliveries: their numbers in `delivery_processes`, in ascending order. */
  setOthers: (numbers: readonly number[]) => void;
  /**
   * Returns the given endpoints that are assigned to this process. Always includes `*` (any endpoint) if it is given.
   */
  ours: (endpointIds: readonly string[]) => string[];
};

/** Maximum number of endpoints whose assignment is cached. */
const REMEMBERED_MAX = 10_000;

export function createAffinity(processNumber: number): Affinity {
  let others: readonly number[] = [];
  const known = new Map<string, boolean>();

  /**
   * Returns true if this process has the highest rendezvous hash for the endpoint. When a process leaves, only the
   * endpoints assigned to it move.
   */
  function isOurs(endpointId: string): boolean {
    const ours = scoreOf(endpointId, processNumber);
    return others.every((number) => scoreOf(endpointId, number) < ours);
  }

  function recall(endpointId: string): boolean {
    const remembered = known.get(endpointId);
    if (remembered !== undefined) return remembered;
    const answer = isOurs(endpointId);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(endpointId, answer);
    return answer;
  }

  return {
    setOthers: (numbers) => {
      if (numbers.join() === others.join()) return;
      others = numbers;
      known.clear();
    },
    ours: (endpointIds) => endpointIds.filter((id) => id === '*' || recall(id)),
  };
}

/**
 * Returns the rendezvous hash of an endpoint and a process, as 40 hexadecimal digits. For one endpoint, no two
 * processes have the same hash.
 */
function scoreOf(endpointId: string, processNumber: number): string {
  return hash('sha1', `${endpointId} ${processNumber}`);
}
