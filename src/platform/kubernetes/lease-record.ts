import { z } from 'zod';

/** The fields of a coordination.k8s.io/v1 Lease that Parley reads. */
export type Lease = {
  /** Identity of the holder, or '' after a release. */
  holder: string;
  durationMs: number;
  /** Both times stay strings and are never used in computations, because the clocks of two machines may differ. */
  acquireTime: string;
  renewTime: string;
  transitions: number;
  resourceVersion: string;
  /** Metadata as read. Every write sends it back unchanged, so that labels and owners set by others are kept. */
  metadata: Record<string, unknown>;
};

export type LeaseSpec = {
  holderIdentity: string;
  leaseDurationSeconds: number;
  acquireTime: string;
  renewTime: string;
  leaseTransitions: number;
};

const lease = z.object({
  metadata: z.looseObject({ resourceVersion: z.string() }),
  // Every field of the spec may be missing, because somebody may have edited the Lease by hand.
  spec: z
    .object({
      holderIdentity: z.string().default(''),
      leaseDurationSeconds: z.number().default(0),
      acquireTime: z.string().default(''),
      renewTime: z.string().default(''),
      leaseTransitions: z.number().default(0),
    })
    .nullish(),
});

/**
 * Parses a Lease.
 * @throws ZodError for data that the API server would not have stored
 */
export function parseLease(raw: unknown): Lease {
  const { metadata, spec } = lease.parse(raw);
  return {
    holder: spec?.holderIdentity ?? '',
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1_000,
    acquireTime: spec?.acquireTime ?? '',
    renewTime: spec?.renewTime ?? '',
    transitions: spec?.leaseTransitions ?? 0,
    resourceVersion: metadata.resourceVersion,
    metadata,
  };
}

/** Returns the spec that takes, renews or releases a Lease. `acquireTime` defaults to the current time. */
export function leaseSpec(from: {
  holder: string;
  durationMs: number;
  /** Wall-clock time. It is only for people to read. */
  renewedAtMs: number;
  acquireTime?: string;
  transitions: number;
}): LeaseSpec {
  const renewTime = microTime(from.renewedAtMs);
  return {
    holderIdentity: from.holder,
    leaseDurationSeconds: Math.ceil(from.durationMs / 1_000),
    acquireTime: from.acquireTime ?? renewTime,
    renewTime,
    leaseTransitions: from.transitions,
  };
}

const INT32_MAX = 2 ** 31 - 1;

/**
 * Returns the next transition count. After the maximum of a 32-bit integer, the count starts again, because the API
 * server would reject a larger count and no process could take the Lease.
 */
export function nextTransition(transitions: number): number {
  return transitions >= INT32_MAX ? 0 : transitions + 1;
}

/** Formats a Unix time in ms as metav1.MicroTime, which requires all six decimals. */
export function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}
