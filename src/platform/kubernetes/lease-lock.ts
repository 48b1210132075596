import type { KubeClient } from './client.ts';
import { isKubeError } from './kube-error.ts';
import { leaseSpec, parseLease, type Lease, type LeaseSpec } from './lease-record.ts';

/**
 * Reads and writes one Lease. Each write names the version it was decided on, so of two that
 * decided on the same one only one succeeds. No call is ever cancelled, only given up after
 * `timeoutMs`: one that was on its way could still be obeyed.
 */
export type LeaseLock = {
  /** undefined: there is none. */
  read: (timeoutMs: number) => Promise<Lease | undefined>;
  /** Puts `spec` in the place of `seen`; undefined: somebody was faster, look again. */
  write: (
    seen: Lease | undefined,
    spec: LeaseSpec,
    timeoutMs: number,
  ) => Promise<Lease | undefined>;
};

export function createLeaseLock(deps: {
  client: Pick<KubeClient, 'request'>;
  namespace: string;
  name: string;
}): LeaseLock {
  const { client, namespace, name } = deps;
  const collection = leasesPath(namespace);
  const path = `${collection}/${name}`;
  const head = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };

  async function put(seen: Lease, spec: LeaseSpec, timeoutMs: number): Promise<unknown> {
    const metadata = { ...seen.metadata, resourceVersion: seen.resourceVersion };
    return client.request({ method: 'PUT', path, body: { ...head, metadata, spec }, timeoutMs });
  }

  async function post(spec: LeaseSpec, timeoutMs: number): Promise<unknown> {
    const body = { ...head, metadata: { namespace, name }, spec };
    return client.request({ method: 'POST', path: collection, body, timeoutMs });
  }

  return {
    read: async (timeoutMs) => {
      try {
        return parseLease(await client.request({ method: 'GET', path, timeoutMs }));
      } catch (error) {
        if (isKubeError(error, 404)) return undefined;
        throw error;
      }
    },
    write: async (seen, spec, timeoutMs) => {
      try {
        return parseLease(await (seen ? put(seen, spec, timeoutMs) : post(spec, timeoutMs)));
      } catch (error) {
        if (isKubeError(error, 409)) return undefined;
        // Deleted meanwhile. For a POST it is the namespace that is gone: that is for the log.
        if (seen && isKubeError(error, 404)) return undefined;
        throw error;
      }
    },
  };
}

export function leasesPath(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

/** Our own record in the Lease, as it was written last. */
export type HeldLease = {
  /** False: it is somebody else's. Throws when neither is known. */
  renew: (timeoutMs: number) => Promise<boolean>;
  /**
   * Writes that nobody holds it. A Lease that was deleted is made again, so that who waits for its
   * holder learns that it is gone.
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

  const spec = (holder: string, durationMs: number): LeaseSpec =>
    leaseSpec({ holder, durationMs, renewedAtMs: deps.wallMs(), acquireTime, transitions });

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
