import { hostname } from 'node:os';
import { clearInterval, delay, setInterval } from '../../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { createClient, isAnswering, type Db } from './pool.ts';
import { endClient } from './silent-connections.ts';

/**
 * Elects one active operator at a time with a session-level advisory lock. The server releases the lock when the
 * holder's connection ends, or when the holder has sent nothing for `LEASE_MS`. The lock alone does not stop a leader
 * that resumes after a pause. Each new leader therefore increments an epoch, and every transaction of a leader first
 * checks that its epoch is still the highest.
 */
export type Leadership = { start: () => void; stop: () => Promise<void> };

export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
}

const NAME = 'operator';
/**
 * Id of the store of declared objects (see `raiseEpoch`). It is constant, because a leader that is elected with this
 * lock always uses the `postgres` store, which is in the same database.
 */
const STORE_ID = 'postgres';
const LOCK = [0x7061, 0x6c64];
const RETRY_MS = 1_000;
/**
 * Time in ms without a statement after which the server ends the holder's session, for example because the holder was
 * paused or disconnected.
 */
const LEASE_MS = 10_000;
const BEATS_PER_LEASE = 5;

export function createLeadership(deps: {
  databaseUrl: string;
  log: Logger;
  /** Called when this process becomes the leader. `resign` ends this term. The next term may begin immediately. */
  onLead: (term: TermOfOffice, resign: () => void) => Promise<void>;
  /** Called at the end of a term. Must resolve only after everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
  leaseMs?: number;
}): Leadership {
  const { log, leaseMs = LEASE_MS } = deps;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let abandon = (): void => undefined;

  /** Waits for the lock, and leads until the connection or the process ends. */
  async function term(): Promise<void> {
    const client = createClient(deps.databaseUrl);
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      abandon = resolve;
    });
    try {
      await client.connect();
      // The server blocks this statement until the previous holder's session has ended, so the takeover is not delayed
      // by polling.
      await Promise.race([client.query('select pg_advisory_lock($1, $2)', LOCK), ended]);
      if (stopping.signal.aborted) return;
      await client.query("select set_config('idle_session_timeout', $1, false)", [`${leaseMs}ms`]);
      const office = await raiseEpoch(client, STORE_ID);
      const stopBeats = beat(client, leaseMs, abandon);
      try {
        await deps.onLead(office, abandon);
        await ended;
      } finally {
        stopBeats();
      }
      await deps.onLost();
    } finally {
      await endClient(client).catch(() => undefined);
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await term().catch((error: Error) =>
        log.warn({ reason: error.message }, 'cannot become the leader; retrying'),
      );
      await pause(RETRY_MS, stopping.signal);
    }
  }

  return {
    start: () => {
      running = loop();
    },
    stop: async () => {
      stopping.abort();
      abandon();
      await running;
    },
  };
}

/**
 * Checks that this leader's epoch is still the highest. It must be the first statement in a leader's transaction.
 * @throws NotLeaderError
 */
export async function assertLeader(db: Db, epoch: number): Promise<void> {
  const { rowCount } = await db.query({
    name: 'assert_leader',
    text: 'select 1 from leader_epochs where name = $1 and epoch = $2 for share',
    values: [NAME, epoch],
  });
  if (rowCount !== 1) throw new NotLeaderError(`epoch ${epoch} is over: another operator leads`);
}

/** A leader's term: its epoch, and how long this database has been used with the current store of declared objects. */
export type TermOfOffice = {
  epoch: number;
  /**
   * Time in ms since this database was first used with the current store of declared objects, such as a Kubernetes
   * cluster. It is `Infinity` if the store has always been the same. It is small after a move to a different cluster
   * with the old database.
   */
  storeAgeMs: number;
};

/**
 * Begins a term by incrementing the epoch, which invalidates all earlier epochs. Waits for open transactions that have
 * already checked their epoch. `storeId` identifies the store of declared objects.
 */
export async function raiseEpoch(db: Db, storeId: string): Promise<TermOfOffice> {
  const { rows } = await db.query<{ epoch: number; storeAgeMs: number | null }>(
    `insert into leader_epochs as held (name, epoch, holder, home) values ($1, 1, $2, $3)
     on conflict (name) do update set
       epoch = held.epoch + 1, holder = excluded.holder, taken_at = now(), home = excluded.home,
       home_since = case when coalesce(held.home, excluded.home) = excluded.home
                         then held.home_since else now() end
     returning epoch, case when isfinite(home_since)
       then extract(epoch from now() - home_since)::float8 * 1000 end as "storeAgeMs"`,
    [NAME, `${hostname()}/${process.pid}`, storeId],
  );
  const { epoch, storeAgeMs } = rows[0]!; // Defined, because an upsert always returns its row.
  return { epoch, storeAgeMs: storeAgeMs ?? Infinity };
}

/**
 * Sends a statement at regular intervals, because the server ends an idle session. Calls `onSilence` if the server does
 * not reply.
 */
function beat(client: Db, leaseMs: number, onSilence: () => void): () => void {
  let unanswered = 0;
  const timer = setInterval(() => {
    unanswered += 1;
    if (unanswered >= BEATS_PER_LEASE) onSilence();
    void isAnswering(client).then((answered) => (unanswered = answered ? 0 : unanswered));
  }, leaseMs / BEATS_PER_LEASE);
  return () => clearInterval(timer);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, { signal, ref: false }).catch(() => undefined);
}
