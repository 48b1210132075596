import { isIP } from 'node:net';
import type { AddressGuard } from './address-guard.ts';
import { dnsFailure, EgressFailure } from './failure.ts';
import { createNameLookup, type Lookup, type ResolvedAddress } from './name-lookup.ts';

/** The addresses to try, in order; never empty. Throws EgressFailure `dns` or `blocked`. */
export type Resolve = (hostname: string) => Promise<ResolvedAddress[]>;

/** A name may carry a thousand addresses; trying them all would only burn the deadline. */
const MAX_ADDRESSES = 4;

/**
 * One lookup at a time per name, shared by all who wait for it. Answers are not kept: each new
 * connection judges what the name means now.
 */
export function createResolver(deps: { guard: AddressGuard; lookup: Lookup | undefined }): Resolve {
  const lookup = shareInFlight(deps.lookup ?? createNameLookup());

  return async (hostname) => {
    const family = isIP(hostname);
    if (family === 4 || family === 6) {
      if (deps.guard.isAllowed(hostname)) return [{ address: hostname, family }];
      throw new EgressFailure('blocked', 'The address is not one that requests may reach.');
    }
    const all = await lookup(hostname).catch((error: unknown) => {
      throw dnsFailure(error);
    });
    if (all.length === 0) throw new EgressFailure('dns', 'The host name has no address.');
    const allowed = all.filter(({ address }) => deps.guard.isAllowed(address));
    if (allowed.length > 0) return allowed.slice(0, MAX_ADDRESSES);
    throw new EgressFailure('blocked', 'The host name has no address that requests may reach.');
  };
}

function shareInFlight(lookup: Lookup): Lookup {
  const inFlight = new Map<string, Promise<ResolvedAddress[]>>();
  return async (hostname) => {
    const running = inFlight.get(hostname);
    if (running !== undefined) return await running;
    const started = lookup(hostname).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, started);
    return await started;
  };
}
