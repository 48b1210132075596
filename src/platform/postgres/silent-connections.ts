import type { Socket } from 'node:net';
import pg from 'pg';
import type { Logger } from '../observability/logger.ts';

/**
 * Ends connections that died without a word: a node or a NAT between us and the server forgot them,
 * and what we wait for will never come. Their statements' time-out alone would take 16 s, and TCP
 * cannot tell at all while it has nothing to send again.
 *
 * A statement (or a log-in) that has heard nothing for SILENT_MS is only suspected. What decides is
 * the server, by a connection made for the question: does that session work? A slow statement does,
 * so it is never ended, whatever it takes. A server that cannot be asked is away for all, and then
 * the usual time-outs hold. Rejected: a short time-out for every statement, which a slow server would
 * hit always, and again each time.
 */

const LOOK_MS = 250;
const SILENT_MS = 1_000;
const ASK_TIMEOUT_MS = 700;
/** How long a server may take to take leave. */
const GOODBYE_MS = 1_000;

/** What pg keeps of a connection and does not tell in its types. F-04 in test/platform/postgres/postgres.faults.test.ts holds it. */
type Inside = { readyForQuery?: boolean; connection: { stream: Socket } };
type Watched = pg.Client & Inside & { processID: number | null };
type Silence = { bytesRead: number; sinceMs: number; patienceMs: number };

export type SilenceWatch = {
  /** For the pool: its connections are watched from their making. */
  Client: typeof pg.Client;
  /** Watches on until the pool has ended, and sees to it that it does. */
  endWith: (endPool: () => Promise<void>) => Promise<void>;
};

export function createSilenceWatch(deps: { databaseUrl: string; log: Logger }): SilenceWatch {
  const silences = new Map<Watched, Silence>();
  let isAsking = false;

  class WatchedClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // The fields are pg's own; only its types leave them out.
      const self = this as unknown as Watched;
      silences.set(self, { bytesRead: 0, sinceMs: performance.now(), patienceMs: SILENT_MS });
      self.once('end', () => silences.delete(self));
    }
  }

  function suspects(): Watched[] {
    const nowMs = performance.now();
    return [...silences]
      .filter(([client, silence]) => {
        const { bytesRead, destroyed } = client.connection.stream;
        if (destroyed) silences.delete(client);
        const isWaiting = client.readyForQuery !== true;
        if (isWaiting && silence.bytesRead === bytesRead)
          return nowMs - silence.sinceMs >= silence.patienceMs;
        Object.assign(silence, { bytesRead, sinceMs: nowMs, patienceMs: SILENT_MS });
        return false;
      })
      .map(([client]) => client);
  }

  async function look(): Promise<void> {
    const asked = suspects();
    if (isAsking || asked.length === 0) return;
    isAsking = true;
    try {
      const working = await listWorking(
        deps.databaseUrl,
        asked.map(({ processID }) => processID),
      );
      // Asking took a while, in which they may have heard.
      const dead = suspects().filter((one) => asked.includes(one) && !working.has(one.processID));
      for (const client of dead) client.connection.stream.destroy(new Error(REASON));
      if (dead.length > 0) deps.log.warn({ connections: dead.length }, REASON);
      for (const one of asked) if (working.has(one.processID)) silences.get(one)!.patienceMs *= 2;
    } catch {
      // It is away for new connections too, which those who need it are told by their own.
    } finally {
      isAsking = false;
    }
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    Client: WatchedClient,
    endWith: async (endPool) => {
      // Those that have a statement are watched on: it may be a slow one.
      const idle = (): Watched[] =>
        [...silences.keys()].filter((one) => one.readyForQuery === true);
      await withGoodbye(endPool(), idle);
      clearInterval(timer);
    },
  };
}

/** Ends it as agreed with the server, or without it, when it has fallen silent. */
export async function endClient(client: pg.Client): Promise<void> {
  await withGoodbye(client.end(), () => [client as unknown as Inside]); // As above.
}

async function withGoodbye(ended: Promise<void>, left: () => Inside[]): Promise<void> {
  const hangUp = (): void => left().forEach(({ connection }) => connection.stream.destroy());
  const timer = setTimeout(hangUp, GOODBYE_MS);
  try {
    await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Begins as isUnavailable (pool.ts) expects it of a lost connection. */
const REASON = 'Connection terminated: it fell silent and the server knows of no work for it';

/** Those of the sessions that are at work, or were until a moment ago. */
async function listWorking(
  databaseUrl: string,
  processIds: readonly (number | null)[],
): Promise<Set<number | null>> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
    application_name: 'parley-asks',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where pid = pg_backend_pid() or pid = any($1)
          and (state = 'active' or state_change > clock_timestamp() - interval '1 second')`,
      [processIds.filter((id) => id !== null)],
    );
    const working = new Set<number | null>(rows.map(({ pid }) => pid));
    const { processID } = client as pg.Client & Pick<Watched, 'processID'>;
    if (!working.has(processID)) throw new Error('a pooler between us tells numbers of its own');
    return working;
  } finally {
    await client.end().catch(() => undefined);
  }
}
