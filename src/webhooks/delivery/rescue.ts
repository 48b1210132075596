import { delay } from '../../clock.ts';
import { failpoint } from '../../failpoints.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import {
  addDeliveryProcess,
  endLeasesOf,
  lockDeliveryProcess,
  listDeliveryProcesses,
  markStopping,
  removeDeliveryProcess,
  type DeliveryProcess,
} from '../queue/delivery-processes.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';

/**
 * Ends the leases of dead delivery processes long before they would run out (docs/decisions/0016). A process is alive
 * as long as the session of its wake-up connection. A process whose session has been gone for GONE_FOR_MS is either
 * dead or was cut off for longer than a reconnect takes. In the second case its deliveries in flight are sent twice. A
 * host that falls silent keeps its session until TCP gives up, and its leases until they run out.
 */
export type Rescue = {
  processNumber: number;
  /** Marks this process as alive; called with each session of the wake-up connection. */
  onSession: (session: Db) => Promise<void>;
  /** Looks for dead processes with one statement; called every LOOK_MS. Never fails. */
  look: () => Promise<void>;
  /** Announces that this process claims no more deliveries. */
  leave: () => Promise<void>;
  /** Removes this process; called once nothing is in flight. */
  stop: () => Promise<void>;
};

export const LOOK_MS = 500;
const GONE_FOR_MS = 1_000;
/** Grace period after a database outage. All sessions were lost, and every process reconnects at the same time. */
const AFTER_OUTAGE_MS = 5_000;
const RETRY_MS = 500;

export async function createRescue(deps: {
  db: Db;
  /** Monotonic clock. */
  nowMs: () => number;
  wake: (endpointIds: readonly string[]) => void;
  /** Called at each check with the other processes that claim. */
  onOthers: (numbers: readonly number[]) => void;
  log: Logger;
}): Promise<Rescue> {
  const { db, nowMs, log } = deps;
  const processNumber = await addDeliveryProcess(db);
  /** Time since which each other process has been gone, by number and last registration. */
  let goneSince = new Map<string, number>();
  let notBeforeMs = -Infinity;
  const stopping = new AbortController();

  /**
   * Retries until the lock is acquired. Until then, the server has not noticed the end of this process's last session.
   */
  async function keepTrying(session: Db): Promise<void> {
    try {
      do await delay(RETRY_MS, { signal: stopping.signal });
      while (!(await lockDeliveryProcess(session, processNumber)));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.debug({ reason }, 'the session ended before it had the lock');
    }
  }

  function outageSeen(): void {
    goneSince = new Map();
    notBeforeMs = nowMs() + AFTER_OUTAGE_MS;
  }

  async function listDead(): Promise<number[]> {
    const all = await listDeliveryProcesses(db);
    const others = all.filter((one) => one.number !== processNumber);
    const claiming = others.filter(({ isGone, isStopping }) => !isGone && !isStopping);
    deps.onOthers(claiming.map(({ number }) => number));
    // Our own session is gone too, so the server was unavailable, however briefly.
    if (all.some((one) => one.number === processNumber && one.isGone)) outageSeen();
    const now = nowMs();
    if (now < notBeforeMs) return [];
    const gone = others.filter(({ isGone }) => isGone);
    // A process that came back between two checks gets the full time again.
    const sinceOf = (one: DeliveryProcess): [string, number] => {
      const key = `${one.number} ${one.startedAt}`;
      return [key, goneSince.get(key) ?? now];
    };
    goneSince = new Map(gone.map(sinceOf));
    return gone.filter((one) => now - sinceOf(one)[1] >= GONE_FOR_MS).map(({ number }) => number);
  }

  return {
    processNumber,
    onSession: async (session) => {
      if (!(await lockDeliveryProcess(session, processNumber))) void keepTrying(session);
    },
    look: async () => {
      try {
        const dead = await listDead();
        if (dead.length === 0) return;
        await failpoint('delivery.taking_over');
        const endpointIds = await endLeasesOf(db, dead);
        log.info({ processes: dead, endpoints: endpointIds.length }, 'took over from the dead');
        deps.wake(endpointIds);
      } catch (error) {
        outageSeen();
        const reason = error instanceof Error ? error.message : String(error);
        log.debug({ reason }, 'cannot look for the dead');
      }
    },
    leave: () => markStopping(db, processNumber).catch(() => undefined),
    stop: async () => {
      stopping.abort();
      await removeDeliveryProcess(db, processNumber).catch(() => undefined);
    },
  };
}
