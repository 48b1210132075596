import { hash } from 'node:crypto';

/**
 * Assignment of endpoints to delivery processes. Every process receives every wake-up; if all claimed, most claims
 * would find nothing. So each endpoint has one process that claims immediately, and the sweeps of the others pick up
 * the rest. Correctness does not depend on the assignment: while processes disagree about the members, they claim too
 * often or 200 ms later.
 */
export type Affinity = {
  /** Sets the numbers of the other claiming processes, in ascending order. */
  setOthers: (numbers: readonly number[]) => void;
  /** Returns the endpoints that this process claims immediately on a wake-up. `*` is always included. */
  ours: (endpointIds: readonly string[]) => string[];
};

/** Maximum number of endpoints whose assignment is cached. */
const REMEMBERED_MAX = 10_000;

export function createAffinity(processNumber: number): Affinity {
  let others: readonly number[] = [];
  const known = new Map<string, boolean>();

  /** Compares rendezvous hashes; the highest score wins. When a process leaves, only its own endpoints move. */
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

/** Returns 40 hexadecimal digits that differ between any two processes. */
function scoreOf(endpointId: string, processNumber: number): string {
  return hash('sha1', `${endpointId} ${processNumber}`);
}
