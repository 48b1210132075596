import type { Lease } from './lease-record.ts';

/**
 * What a candidate knows of the Lease, and when that allows it to try. Whether the holder is
 * alive is judged by our own monotonic clock alone: for how long the record has not changed.
 * Old news (a watch that lags behind a read) can only make it wait longer; and whoever tries
 * names the version it saw, so that knowing too little never takes a lease from a live holder.
 */
export type LeaseView = {
  /** undefined: there is no Lease (any more). */
  observe: (lease: Lease | undefined) => void;
  current: () => Lease | undefined;
  /** 0: now. Infinity: nothing is known yet. */
  takeableInMs: () => number;
};

/**
 * A holder may run with other settings during an upgrade, so the longer duration counts; but
 * not one that was typed with a few digits too many.
 */
const FOREIGN_DURATION_MAX_MS = 60_000;

export function createLeaseView(deps: {
  identity: string;
  leaseDurationMs: number;
  nowMs: () => number;
}): LeaseView {
  const { identity, leaseDurationMs, nowMs } = deps;
  let current: Lease | undefined;
  /** The last record that there was; outlives a deletion. */
  let record: Lease | undefined;
  let changedAtMs = 0;
  let known = false;

  return {
    observe: (lease) => {
      known = true;
      current = lease;
      if (!lease) return; // Its holder does not know yet, and goes on leading for a moment.
      if (!record || hasChanged(record, lease)) changedAtMs = nowMs();
      record = lease;
    },
    current: () => current,
    takeableInMs: () => {
      if (!known) return Infinity;
      if (!record || record.holder === '' || record.holder === identity) return 0;
      const foreignMs = Math.min(record.durationMs, FOREIGN_DURATION_MAX_MS);
      return Math.max(0, changedAtMs + Math.max(foreignMs, leaseDurationMs) - nowMs());
    },
  };
}

function hasChanged(before: Lease, after: Lease): boolean {
  return (
    before.holder !== after.holder ||
    before.renewTime !== after.renewTime ||
    before.transitions !== after.transitions
  );
}
