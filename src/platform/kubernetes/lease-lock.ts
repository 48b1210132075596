import type { KubeClient } from './client.ts';
import { isKubeError } from './kube-error.ts';
import { leaseSpec, parseLease, type Lease, type LeaseSpec } from './lease-record.ts';

/**
 * Reads and writes one Lease. Each write names the version of the Lease that the writer has read, so only one of two
 * writes for the same version succeeds. If a call times out, its request may still take effect later.
 */
export type LeaseLock = {
  /** Reads the Lease. Returns undefined if it does not exist. */
  read: (timeoutMs: number) => Promise<Lease | undefined>;
  /**
   * Replaces `seen` with `spec`. Returns undefined if another process wrote first; the caller must then read the Lease
   * again.
   */
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
        // For a PUT, a 404 means that the Lease was deleted in the meantime. For a POST, it means that the namespace is
        // gone, so the error is thrown.
        if (seen && isKubeError(error, 404)) return undefined;
        throw error;
      }
    },
  };
}

export function leasesPath(namespace: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

/** A Lease that this process holds, in the version that this process last wrote. */
export type HeldLease = {
  /** Renews the Lease. Returns false if another process holds it. Throws if the holder cannot be determined. */
  renew: (timeoutMs: number) => Promise<boolean>;
  /**
   * Records in the Lease that nobody holds it. If the Lease was deleted, creates it again, so that candidates learn
   * that its holder is gone.
   */
  release: (timeoutMs: number) => Promise<void>;
};

/**
 * Maximum number of attempts to write. A concurrent write causes only one conflict, so several conflicts in a row mean
 * that another writer keeps changing the Lease.
 */
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
    throw new Error(`the Lease was changed by others ${TRIES} times in a row`);
  }

  return {
    renew: (timeoutMs) => write(() => spec(identity, deps.leaseDurationMs), timeoutMs),
    release: async (timeoutMs) => {
      await write(() => spec('', 1_000), timeoutMs);
    },
  };
}
