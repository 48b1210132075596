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
 * Ends the leases of delivery processes that died, long before they would run out
 * (docs/decisions/0016). A process is alive as long as the session of its wake-up connection. One
 * whose session has been gone for GONE_FOR_MS is dead, or was cut off for longer than it takes to
 * reconnect, and then what it has in flight is sent twice. A silent host keeps its session until
 * TCP gives up, and its leases until they run out.
 */
export type Rescue = {
  processNumber: number;
  /** Called with each session of the wake-up connection: it marks this process alive. */
  onSession: (session: Db) => Promise<void>;
  /** Called every LOOK_MS; one statement. Never fails. */
  look: () => Promise<void>;
  /** This process claims no more. */
  leave: () => Promise<void>;
  /** Called once this process has nothing in flight. */
  stop: () => Promise<void>;
};

export const LOOK_MS = 500;
const GONE_FOR_MS = 1_000;
/** A server that was away lost all sessions, and every process reconnects at the same time. */
const AFTER_OUTAGE_MS = 5_000;
const RETRY_MS = 500;

export async function createRescue(deps: {
  db: Db;
  /** Monotonic */
  nowMs: () => number;
  wake: (endpointIds: readonly string[]) => void;
  /** Called at each look with the other processes that claim. */
  onOthers: (numbers: readonly number[]) => void;
  log: Logger;
}): Promise<Rescue> {
  const { db, nowMs, log } = deps;
  const processNumber = await addDeliveryProcess(db);
  /** Since when each other process has been seen gone, by number and last registration. */
  let goneSince = new Map<string, number>();
  let notBeforeMs = -Infinity;
  const stopping = new AbortController();

  /** As long as the lock is not ours, the server has not noticed the end of our last session. */
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
    // Ours is gone too: the server was away, however shortly.
    if (all.some((one) => one.number === processNumber && one.isGone)) outageSeen();
    const now = nowMs();
    if (now < notBeforeMs) return [];
    const gone = others.filter(({ isGone }) => isGone);
    // One that was back between two looks has the whole time again.
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
