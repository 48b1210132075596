import { hash } from 'node:crypto';

/**
 * Which of the delivery processes acts on a wake-up. All of them hear every one, and if all
 * claimed, all but one would find nothing. So each endpoint has one process that claims at once;
 * the others pick up what it leaves with their sweep. Nothing depends on it being right: processes
 * that do not yet agree on who is there claim too often, or 200 ms later.
 */
export type Affinity = {
  /** Numbers of the other processes that claim, in order. */
  setOthers: (numbers: readonly number[]) => void;
  /** The endpoints among these that this process claims for at once; always `*`. */
  ours: (endpointIds: readonly string[]) => string[];
};

/** Endpoints whose answer is kept. */
const REMEMBERED_MAX = 10_000;

export function createAffinity(processNumber: number): Affinity {
  let others: readonly number[] = [];
  const known = new Map<string, boolean>();

  /** The highest score wins (rendezvous hashing): who leaves moves only its own endpoints. */
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

/** 40 hexadecimal digits, never the same for two processes. */
function scoreOf(endpointId: string, processNumber: number): string {
  return hash('sha1', `${endpointId} ${processNumber}`);
}
