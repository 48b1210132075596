import { DEFAULT_RETENTION, type Retention } from '../config.ts';

/**
 * How long events can be replayed and streams resumed (contract/deliveries.md#replay). The setting is
 * `PARLEY_RETENTION_EVENTS`. A day after that time, the database partitions with these events are dropped.
 */
export type ReplayWindow = {
  /** Retention settings. The default applies if no variable is set. */
  retention?: Pick<Retention, 'events'>;
};

export function replayWindowMs(deps: ReplayWindow): number {
  return replayDays(deps) * 86_400_000;
}

/** Returns the window as readable text, such as `30 days`. */
export function replayWindowText(deps: ReplayWindow): string {
  return `${replayDays(deps)} days`;
}

function replayDays({ retention = DEFAULT_RETENTION }: ReplayWindow): number {
  return retention.events;
}
