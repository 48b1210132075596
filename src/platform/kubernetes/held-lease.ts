import type { LeaseLock } from './lease-lock.ts';
import { type Lease, type LeaseSpec, microTime } from './lease-record.ts';

/** Our own record in the Lease, as it was written last. */
export type HeldLease = {
  /** False: it is somebody else's. Throws when neither is known. */
  renew: (timeoutMs: number) => Promise<boolean>;
  /**
   * Says that nobody has it. A Lease that was deleted is made again: who waits for its holder
   * learns that it is gone.
   */
  release: (timeoutMs: number) => Promise<void>;
};

/** A write is refused once when somebody touched the Lease; more often only if they go on. */
const TRIES = 3;

export function createHeldLease(deps: {
  lock: LeaseLock;
  lease: Lease;
  identity: string;
  leaseDurationMs: number;
  wallMs: () => number;
}): HeldLease {
  const { lock, identity } = deps;
  const { acquireTime, transitions } = deps.lease;
  let lease: Lease | undefined = deps.lease;

  const spec = (holder: string, durationMs: number): LeaseSpec => ({
    holderIdentity: holder,
    leaseDurationSeconds: Math.ceil(durationMs / 1_000),
    acquireTime,
    renewTime: microTime(deps.wallMs()),
    leaseTransitions: transitions,
  });

  async function write(next: () => LeaseSpec, timeoutMs: number): Promise<boolean> {
    for (let left = TRIES; left > 0; left -= 1) {
      if (lease && lease.holder !== identity) return false;
      const written = await lock.write(lease, next(), timeoutMs);
      lease = written ?? (await lock.read(timeoutMs));
      if (written) return true;
    }
    throw new Error(`the Lease was touched ${TRIES} times in a row`);
  }

  return {
    renew: (timeoutMs) => write(() => spec(identity, deps.leaseDurationMs), timeoutMs),
    release: async (timeoutMs) => {
      await write(() => spec('', 1_000), timeoutMs);
    },
  };
}
