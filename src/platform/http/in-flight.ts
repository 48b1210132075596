import type { InFlightShares, Shares } from '../../config.ts';
import { ApiError } from '../../errors.ts';
import type { Metrics } from '../observability/metrics.ts';

/**
 * Limits concurrent work of each kind in this process (contract/limits.md#shares, docs/decisions/0021). The limit of an
 * API key is lower than that of its namespace, which is lower than that of the process. No key can therefore use up the
 * slots of its namespace, and no namespace can use up those of the process.
 */
export type InFlight = {
  /**
   * Takes a slot, and returns an idempotent function that frees it.
   * @throws ApiError too_many_in_flight; unavailable if the process has no free slot
   */
  acquire: (kind: InFlightKind, who: Holder) => () => void;
  /** Returns the number of slots in use and the limits. A null limit means unlimited. */
  usage: (who: Holder) => Record<InFlightKind, ShareUsage>;
};

export type InFlightKind = keyof InFlightShares;
/** Caller that holds a slot. `keyId` is the UUID of the API key. */
export type Holder = { keyId: string; namespace: string };
export type ShareUsage = Record<'api_key' | 'namespace', { limit: number | null; used: number }>;

const NOUNS: Record<InFlightKind, string> = {
  event_streams: 'event streams',
  message_streams: 'streamed messages',
  uploads: 'uploads',
  replay_requests: 'replay requests',
};
export const IN_FLIGHT_KINDS = Object.keys(NOUNS) as readonly InFlightKind[];

/** Value of `Retry-After`. It is short, because most of the work that is counted here ends within seconds. */
export const RETRY_AFTER_SEC = 2;

export function createInFlight({
  shares,
  metrics,
}: {
  shares: InFlightShares;
  metrics: Pick<Metrics, 'inFlight' | 'inFlightRefused'>;
}): InFlight {
  /** Number of slots in use by kind, share (key, namespace or process) and holder. A missing entry is 0. */
  const counts = new Map<string, number>();
  const count = (place: string): number => counts.get(place) ?? 0;
  const add = (places: readonly string[], by: 1 | -1): void => {
    for (const place of places) {
      const number = count(place) + by;
      if (number === 0) counts.delete(place);
      else counts.set(place, number);
    }
  };
  for (const kind of IN_FLIGHT_KINDS) metrics.inFlight.set({ kind }, 0);
  return {
    acquire: (kind, who) => {
      const places = placesOf(kind, who);
      const full = SHARES.find(
        (share) => count(places[share]) >= (shares[kind]?.[share] ?? Infinity),
      );
      if (full !== undefined) {
        metrics.inFlightRefused.inc({ kind, share: full });
        throw refusal(kind, full, shares[kind]![full]); // Defined, because a share without a limit is never full.
      }
      const all = Object.values(places);
      add(all, 1);
      metrics.inFlight.inc({ kind });
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        add(all, -1);
        metrics.inFlight.dec({ kind });
      };
    },
    usage: (who) => {
      const of = (kind: InFlightKind): ShareUsage => {
        const places = placesOf(kind, who);
        const one = (share: 'key' | 'namespace') => ({
          limit: shares[kind]?.[share] ?? null,
          used: count(places[share]),
        });
        return { api_key: one('key'), namespace: one('namespace') };
      };
      return {
        event_streams: of('event_streams'),
        message_streams: of('message_streams'),
        uploads: of('uploads'),
        replay_requests: of('replay_requests'),
      };
    },
  };
}

const SHARES = ['key', 'namespace', 'process'] as const satisfies readonly (keyof Shares)[];

function placesOf(kind: InFlightKind, { keyId, namespace }: Holder): Record<keyof Shares, string> {
  return {
    key: `${kind}/key/${keyId}`,
    namespace: `${kind}/namespace/${namespace}`,
    process: `${kind}/process`,
  };
}

/**
 * Returns the error for a limit that is reached. The status is 503 if the process itself has no free slot: the caller
 * is not at fault, and a proxy can send the request to another process, which may have a free slot.
 */
function refusal(kind: InFlightKind, share: keyof Shares, limit: number): ApiError {
  const noun = NOUNS[kind];
  const options = { retryAfterSec: RETRY_AFTER_SEC };
  if (share === 'process') {
    const detail = `This process already has its maximum of ${limit} ${noun} in progress. Retry in ${RETRY_AFTER_SEC} seconds.`;
    return new ApiError('unavailable', detail, options);
  }
  const whose = share === 'key' ? 'This API key' : 'This namespace';
  const detail =
    `${whose} already has ${limit} ${noun} in progress in this process, which is the maximum ` +
    `(PARLEY_LIMIT_${kind.toUpperCase()}). End one, or retry in ${RETRY_AFTER_SEC} seconds.`;
  return new ApiError('too_many_in_flight', detail, options);
}
