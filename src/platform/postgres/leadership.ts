import { hostname } from 'node:os';
import { clearInterval, delay, setInterval } from '../../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { createClient, isAnswering, type Db } from './pool.ts';
import { endClient } from './silent-connections.ts';

/**
 * Elects one active operator at a time. A session lock decides: the server releases it as soon as the holder's
 * connection ends, or has been silent for the lease. A lock alone does not fence a leader that was paused and then
 * resumes. So each take-over raises an epoch, and every transaction of a leader first checks that its epoch is still
 * the highest.
 */
export type Leadership = { start: () => void; stop: () => Promise<void> };

export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
}

const NAME = 'operator';
/** Store of a leader elected here: declared objects are in the same database. */
const STORE_ID = 'postgres';
const LOCK = [0x7061, 0x6c64];
const RETRY_MS = 1_000;
/** A paused or disconnected holder is silent, and the server ends its session after this time. */
const LEASE_MS = 10_000;
const BEATS_PER_LEASE = 5;

export function createLeadership(deps: {
  databaseUrl: string;
  log: Logger;
  /** Called when this process leads. `resign` ends this term, and the next one may begin immediately. */
  onLead: (term: TermOfOffice, resign: () => void) => Promise<void>;
  /** Called at the end of a term. Must return only after everything that `onLead` started has ended. */
  onLost: () => Promise<void>;
  leaseMs?: number;
}): Leadership {
  const { log, leaseMs = LEASE_MS } = deps;
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let abandon = (): void => undefined;

  /** Waits for the lock and leads until the connection or the process ends. */
  async function term(): Promise<void> {
    const client = createClient(deps.databaseUrl);
    const ended = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      abandon = resolve;
    });
    try {
      await client.connect();
      // Waits in the server until the holder is gone, so a take-over costs no poll interval.
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
      await term().catch((error: Error) => log.warn({ reason: error.message }, 'cannot lead now'));
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

/** Checks the epoch, as the first statement of a leader's transaction. @throws NotLeaderError */
export async function assertLeader(db: Db, epoch: number): Promise<void> {
  const { rowCount } = await db.query({
    name: 'assert_leader',
    text: 'select 1 from leader_epochs where name = $1 and epoch = $2 for share',
    values: [NAME, epoch],
  });
  if (rowCount !== 1) throw new NotLeaderError(`epoch ${epoch} is over: another operator leads`);
}

/** Term of a leader: its fence, and the age of the store of declared objects. */
export type TermOfOffice = {
  epoch: number;
  /** Infinity if the store never changed. Small after a move to another cluster with the old database. */
  storeAgeMs: number;
};

/**
 * Begins a term, which ends every other epoch. Waits for open transactions that have checked their epoch. `storeId`
 * identifies the store of declared objects.
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
  const { epoch, storeAgeMs } = rows[0]!; // An upsert always returns its row.
  return { epoch, storeAgeMs: storeAgeMs ?? Infinity };
}

/** Keeps the session from counting as idle. Calls `onSilence` if the server does not answer. */
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
