import { isIP } from 'node:net';
import { monotonicMs } from '../../clock.ts';
import type { AddressGuard } from './address-guard.ts';
import { dnsFailure, EgressFailure } from './failure.ts';
import { createNameLookup, type Lookup, type ResolvedAddress } from './name-lookup.ts';

/**
 * Resolves a name to one or more addresses, in the order in which to try them. Throws an `EgressFailure` of the class
 * `dns` or `blocked`.
 */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** Maximum number of addresses to try. A name may have a thousand, and trying them all would use up the deadline. */
const MAX_ADDRESSES = 4;

/**
 * Creates a resolver. It runs one lookup per name at a time, and all callers waiting for that name share its result.
 * Results are not cached, so each new connection checks the name's current addresses.
 */
export function createResolver(deps: { guard: AddressGuard; lookup: Lookup | undefined }): Resolve {
  const { guard } = deps;
  const lookup = shareInFlight(deps.lookup ?? createNameLookup());
  const knowApiServer = apiServerKnower(guard, lookup);

  /**
   * Returns the addresses that the guard allows. If the operator's allow list contains any of them, first updates the
   * guard's addresses of the Kubernetes API server. Those are never allowed, even if they are on the list.
   */
  const allowedOf = async (all: ResolvedAddress[], host?: string): Promise<ResolvedAddress[]> => {
    if (all.some(({ address }) => guard.isListed(address, host))) await knowApiServer();
    return all.filter(({ address }) => guard.isAllowed(address, host));
  };

  return async (hostname) => {
    const family = isIP(hostname);
    if (family === 4 || family === 6) {
      const [allowed] = await allowedOf([{ address: hostname, family }]);
      if (allowed !== undefined) return [allowed];
      throw new EgressFailure('blocked', 'Requests to this address are not allowed.');
    }
    // A name with a search domain may be a name inside the cluster, so search domains apply only to names on the
    // operator's allow list.
    const all = await lookup(hostname, { search: guard.isListedHost(hostname) }).catch(
      (error: unknown) => {
        throw dnsFailure(error);
      },
    );
    if (all.length === 0) throw new EgressFailure('dns', 'The host name has no address.');
    const allowed = await allowedOf(all, hostname);
    if (allowed.length > 0) return allowed.slice(0, MAX_ADDRESSES);
    throw new EgressFailure(
      'blocked',
      'The host name has no public address, and no address that PARLEY_EGRESS_ALLOW allows.',
    );
  };
}

const API_SERVER_MAX_AGE_MS = 60_000;

/**
 * Returns a function that updates the guard with the API server's addresses, at most once a minute. Callers wait only
 * for the first update. If a name cannot be resolved, its last known addresses are kept.
 */
function apiServerKnower(guard: AddressGuard, lookup: Lookup): () => Promise<void> {
  const { apiServer } = guard;
  if (apiServer === undefined) return async () => undefined;
  const names = ['kubernetes.default.svc', ...(isIP(apiServer) === 0 ? [apiServer] : [])];
  const known = new Map<string, string[]>();
  let first: Promise<void> | undefined;
  let askedAtMs = 0;
  const ask = async (): Promise<void> => {
    askedAtMs = monotonicMs();
    for (const name of names) {
      const found = await lookup(name, { search: true }).catch(() => undefined);
      if (found)
        known.set(
          name,
          found.map(({ address }) => address),
        );
    }
    guard.setApiServerAddresses([...known.values()].flat());
  };
  return async () => {
    if (first === undefined) first = ask();
    else if (monotonicMs() - askedAtMs > API_SERVER_MAX_AGE_MS) void ask();
    await first;
  };
}

function shareInFlight(lookup: Lookup): Lookup {
  const inFlight = new Map<string, Promise<ResolvedAddress[]>>();
  return async (hostname, options) => {
    const running = inFlight.get(hostname);
    if (running !== undefined) return await running;
    const started = lookup(hostname, options).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, started);
    return await started;
  };
}
