import { z } from 'zod';

/** A coordination.k8s.io/v1 Lease as we read it. */
export type Lease = {
  /** Who has it; '' when it was given back. */
  holder: string;
  durationMs: number;
  /** As written, never computed with: the clocks of two machines are not to be compared. */
  acquireTime: string;
  renewTime: string;
  transitions: number;
  resourceVersion: string;
  /** Sent back as it came, so that labels and owners of others stay. */
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
  // Every field of it may be missing, and somebody may have emptied it by hand.
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

/** @throws ZodError for what the API server would not have stored */
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

/** What is written to take, renew or give back a Lease. `acquireTime`: default now. */
export function leaseSpec(from: {
  holder: string;
  durationMs: number;
  /** By the clock on the wall, for people to read. */
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

/** One more; a number that somebody has set to the highest must not stop all take-overs. */
export function nextTransition(transitions: number): number {
  return transitions >= INT32_MAX ? 0 : transitions + 1;
}

/** metav1.MicroTime, which is refused with fewer digits. `atMs`: since 1970 */
export function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('Z', '000Z');
}
