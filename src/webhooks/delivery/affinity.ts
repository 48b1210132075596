import { hash } from 'node:crypto';

/**
 * Which of the delivery processes a wake-up is for. All of them hear each one, and if all claimed,
 * all but one would find nothing: so each endpoint has one process that claims at once, and the
 * others find what that one leaves with their sweep. Nothing depends on it being right: processes
 * that do not agree yet on who is there claim too often, or 200 ms later.
 */
export type Affinity = {
  /** Numbers of the other processes that are there, in order. */
  setOthers: (numbers: readonly number[]) => void;
  /** Those of the endpoints that this process is to claim for at once; `*` always is. */
  ours: (endpointIds: readonly string[]) => string[];
};

/** Of so many endpoints the answer is kept. */
const REMEMBERED_MAX = 10_000;

export function createAffinity(processNumber: number): Affinity {
  let others: readonly number[] = [];
  const known = new Map<string, boolean>();

  /** The highest number of the dice wins (rendezvous hashing): one that leaves moves only its own. */
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

/** 40 hexadecimal digits: two are never the same. */
function scoreOf(endpointId: string, processNumber: number): string {
  return hash('sha1', `${endpointId} ${processNumber}`);
}
