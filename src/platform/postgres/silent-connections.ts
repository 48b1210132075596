import pg from 'pg';
import { clearInterval, clearTimeout, monotonicMs, setInterval, setTimeout } from '../../clock.ts';
import type { Logger } from '../observability/logger.ts';
import { readDatabaseUrl } from './database-url.ts';
import { Session } from './session.ts';

/**
 * This module ends connections that have died silently: a node or a NAT gateway between us and the server has dropped
 * them, so no reply will ever arrive. The statement timeout alone would take 16 s, and TCP cannot detect the loss while
 * it has nothing to send. A connection that has had no reply for `SILENT_MS` is suspected of being dead. This module
 * then asks the server, over a separate connection, whether the session is running a statement. If so, the connection
 * stays open, however long the statement takes. If the separate connection fails, the server is unavailable for
 * everybody, and the usual timeouts apply. Rejected alternative: a short timeout for every statement. A slow server
 * would exceed it every time, and again on every retry.
 */

const LOOK_MS = 250;
const SILENT_MS = 1_000;
const ASK_TIMEOUT_MS = 700;
/** Time in ms within which the server must end a session gracefully. */
const GOODBYE_MS = 1_000;

type Silence = { bytesRead: number; sinceMs: number; patienceMs: number };

export type SilenceWatch = {
  /**
   * Options for creating the pool. With them, each new connection is watched, the pid of its session is known, and the
   * parameters of the session are set.
   */
  options: Required<Pick<pg.PoolConfig, 'Client' | 'verify'>>;
  /**
   * Calls `endPool` to end the pool. Keeps watching the connections until `endPool` resolves, because a dead connection
   * could block it.
   */
  endWith: (endPool: () => Promise<void>) => Promise<void>;
};

export function createSilenceWatch(deps: {
  databaseUrl: string;
  /** PostgreSQL parameters to set in each session before its first use. */
  settings: readonly (readonly [name: string, value: string])[];
  log: Logger;
}): SilenceWatch {
  const silences = new Map<Session, Silence>();
  let isAsking = false;

  class Watched extends Session {
    constructor(config?: pg.ClientConfig) {
      super(config);
      silences.set(this, { bytesRead: 0, sinceMs: monotonicMs(), patienceMs: SILENT_MS });
      this.once('end', () => silences.delete(this));
    }
  }

  function suspects(): Session[] {
    const nowMs = monotonicMs();
    return [...silences]
      .filter(([session, silence]) => {
        const { bytesRead, destroyed } = session.socket;
        if (destroyed) silences.delete(session);
        if (session.isWaiting && silence.bytesRead === bytesRead)
          return nowMs - silence.sinceMs >= silence.patienceMs;
        Object.assign(silence, { bytesRead, sinceMs: nowMs, patienceMs: SILENT_MS });
        return false;
      })
      .map(([session]) => session);
  }

  async function look(): Promise<void> {
    const asked = suspects();
    if (isAsking || asked.length === 0) return;
    isAsking = true;
    try {
      const working = await listWorking(
        deps.databaseUrl,
        asked.map(({ pid }) => pid),
      );
      // Replies may have arrived during the query, so the suspects are determined again.
      const dead = suspects().filter((one) => asked.includes(one) && !working.has(one.pid));
      // The socket is destroyed without an error. With TLS, an error would be emitted twice: by our socket, and by the
      // TLS socket that `pg` wraps around it.
      for (const { socket } of dead) socket.destroy();
      if (dead.length > 0) deps.log.warn({ connections: dead.length }, REASON);
      for (const one of asked) if (working.has(one.pid)) silences.get(one)!.patienceMs *= 2;
    } catch {
      // This error is ignored, because other callers get the same error when they connect to the server.
    } finally {
      isAsking = false;
    }
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return {
    options: { Client: Watched, verify: (client, done) => prepare(client, deps.settings, done) },
    endWith: async (endPool) => {
      // Connections with a pending statement are not ended here, because the statement may just be slow. They stay
      // watched.
      const idle = (): Session[] => [...silences.keys()].filter((one) => !one.isWaiting);
      await withGoodbye(endPool(), idle);
      clearInterval(timer);
    },
  };
}

/** Closes a connection gracefully, or destroys it if the server does not respond. */
export async function endClient(client: Session): Promise<void> {
  await withGoodbye(client.end(), () => [client]);
}

async function withGoodbye(ended: Promise<void>, left: () => Session[]): Promise<void> {
  const hangUp = (): void => left().forEach(({ socket }) => socket.destroy());
  const timer = setTimeout(hangUp, GOODBYE_MS);
  try {
    await ended;
  } finally {
    clearTimeout(timer);
  }
}

/** Message for the log. Callers that are waiting for a reply get "Connection terminated unexpectedly" from `pg`. */
const REASON = 'terminated unresponsive connections on which the server is running no statement';

/**
 * Reads the session's pid from the server and sets the parameters, before the pool hands out the connection. The pid is
 * queried because a pooler reports a number of its own at login. This costs each new connection one round trip.
 */
function prepare(
  client: pg.PoolClient,
  settings: readonly (readonly [name: string, value: string])[],
  done: (error?: Error) => void,
): void {
  const text = `select pg_backend_pid() as pid,
    (select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as s (name, value))`;
  const values = [settings.map(([name]) => name), settings.map(([, value]) => value)];
  client.query<{ pid: number }>(text, values, (error, result) => {
    if (!error && client instanceof Session) client.pid = result.rows[0]?.pid;
    done(error);
  });
}

/** Returns the pids of the sessions that are working, or were working until a moment ago. */
async function listWorking(
  databaseUrl: string,
  pids: readonly (number | undefined)[],
): Promise<Set<number | undefined>> {
  const client = new pg.Client({
    ...readDatabaseUrl(databaseUrl),
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
    application_name: 'parley-asks',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where pid = any($1)
          and (state = 'active' or state_change > clock_timestamp() - interval '1 second')`,
      [pids.filter((pid) => pid !== undefined)],
    );
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    await client.end().catch(() => undefined);
  }
}
