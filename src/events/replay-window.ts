import { DEFAULT_RETENTION, type Retention } from '../config.ts';

/**
 * How long events can be replayed and the stream resumed (contract/deliveries.md#replay): `PARLEY_RETENTION_EVENTS`.
 * The one place that says so; partitions are dropped a day later.
 */
export type ReplayWindow = {
  /** Default: that of an environment that sets none. */
  retention?: Pick<Retention, 'events'>;
};

export function replayWindowMs(deps: ReplayWindow): number {
  return replayDays(deps) * 86_400_000;
}

/** For people: `30 days` */
export function replayWindowText(deps: ReplayWindow): string {
  return `${replayDays(deps)} days`;
}

function replayDays({ retention = DEFAULT_RETENTION }: ReplayWindow): number {
  return retention.events;
}
