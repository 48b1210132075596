import type { KubeClient } from './client.ts';
import { isKubeError } from './kube-error.ts';
import { type Lease, type LeaseSpec, parseLease } from './lease-record.ts';

/**
 * Reads and writes one Lease. Each write names the version it was decided on, so of two that
 * decided on the same one only one comes through. No call is ever cancelled, only given up after
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
