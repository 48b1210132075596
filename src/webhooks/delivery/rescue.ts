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
 * Ends the leases of dead delivery processes long before they would expire (docs/decisions/0016). A process counts as
 * alive while the database session of its wake-up connection exists. If the session has been gone for `GONE_FOR_MS`,
 * the process is either dead or was disconnected for longer than a reconnect takes. After such a disconnect, the
 * deliveries that the process has in flight are sent twice. If a host becomes unreachable without closing its
 * connections, the sessions of its processes last until TCP gives up. The leases of these processes expire before that.
 */
export type Rescue = {
  processNumber: number;
  /** Marks this process as alive. Called with each new session of the wake-up connection. */
  onSession: (session: Db) => Promise<void>;
  /**
   * Checks for dead processes with one statement. Returns the time in ms until the next check: `LOOK_MS` while other
   * processes are registered, and `ALONE_MS` otherwise. A process that registers wakes the others. Never rejects.
   */
  look: () => Promise<number>;
  /** Announces that this process claims no more deliveries. */
  leave: () => Promise<void>;
  /** Removes this process from the registry. Called once nothing is in flight. */
  stop: () => Promise<void>;
};

const LOOK_MS = 500;
/**
 * Interval in ms between checks while no other process is registered. A process that registers notifies the others, but
 * the notification may be lost.
 */
export const ALONE_MS = 5_000;
const GONE_FOR_MS = 1_000;
/**
 * Time in ms after a database outage during which no process is declared dead. The outage has ended all sessions, and
 * the processes need some time to reconnect.
 */
const AFTER_OUTAGE_MS = 5_000;
const RETRY_MS = 500;

export async function createRescue(deps: {
  db: Db;
  /** Monotonic clock. */
  nowMs: () => number;
  wake: (endpointIds: readonly string[]) => void;
  /** Called at each check with the process numbers of the other processes that claim deliveries. */
  onOthers: (numbers: readonly number[]) => void;
  log: Logger;
}): Promise<Rescue> {
  const { db, nowMs, log } = deps;
  const processNumber = await addDeliveryProcess(db);
  /**
   * Time at which each process was first found without a session. The key is the number and the registration time of
   * the process.
   */
  let goneSince = new Map<string, number>();
  let notBeforeMs = -Infinity;
  const stopping = new AbortController();

  function outageSeen(): void {
    goneSince = new Map();
    notBeforeMs = nowMs() + AFTER_OUTAGE_MS;
  }

  async function listDead(): Promise<{ dead: number[]; isAlone: boolean }> {
    const all = await listDeliveryProcesses(db);
    const others = all.filter((one) => one.number !== processNumber);
    const claiming = others.filter(({ isGone, isStopping }) => !isGone && !isStopping);
    deps.onOthers(claiming.map(({ number }) => number));
    // If this process's own session is gone, the database server was unavailable, perhaps only briefly. A missing
    // session of another process then does not show that this other process is dead.
    if (all.some((one) => one.number === processNumber && one.isGone)) outageSeen();
    const now = nowMs();
    const isAlone = others.length === 0;
    if (now < notBeforeMs) return { dead: [], isAlone };
    const gone = others.filter(({ isGone }) => isGone);
    // A process that returned between two checks has a new registration time and therefore a new key, so its time
    // without a session is counted from now.
    const sinceOf = (one: DeliveryProcess): [string, number] => {
      const key = `${one.number} ${one.startedAt}`;
      return [key, goneSince.get(key) ?? now];
    };
    goneSince = new Map(gone.map(sinceOf));
    const dead = gone.filter((one) => now - sinceOf(one)[1] >= GONE_FOR_MS);
    return { dead: dead.map(({ number }) => number), isAlone };
  }

  return {
    processNumber,
    onSession: async (session) => {
      if (await lockDeliveryProcess(session, processNumber)) return;
      void keepTrying(session, { processNumber, signal: stopping.signal, log });
    },
    look: async () => {
      try {
        const { dead, isAlone } = await listDead();
        if (dead.length === 0) return isAlone ? ALONE_MS : LOOK_MS;
        await failpoint('delivery.taking_over');
        const endpointIds = await endLeasesOf(db, dead);
        log.info(
          { processes: dead, endpoints: endpointIds.length },
          'took over deliveries of dead processes',
        );
        deps.wake(endpointIds);
      } catch (error) {
        outageSeen();
        const reason = error instanceof Error ? error.message : String(error);
        log.debug({ reason }, 'cannot check for dead processes');
      }
      return LOOK_MS;
    },
    leave: () => markStopping(db, processNumber).catch(() => undefined),
    stop: async () => {
      stopping.abort();
      await removeDeliveryProcess(db, processNumber).catch(() => undefined);
    },
  };
}

/**
 * Tries to take the lock that marks this process as alive, until it succeeds. After a reconnect, the previous session
 * of this process still holds the lock until the server notices that the session has ended.
 */
async function keepTrying(
  session: Db,
  { processNumber, signal, log }: { processNumber: number; signal: AbortSignal; log: Logger },
): Promise<void> {
  try {
    do await delay(RETRY_MS, { signal });
    while (!(await lockDeliveryProcess(session, processNumber)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.debug({ reason }, 'the database session ended before it took the process lock');
  }
}
