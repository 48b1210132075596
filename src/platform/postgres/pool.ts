import pg from 'pg';
import { codeOf, reasonOf } from '../../errors.ts';
import type { Logger } from '../observability/logger.ts';
import { readDatabaseUrl, setsParameter } from './database-url.ts';
import { shareConnections } from './fair-connections.ts';
import { createSilenceWatch } from './silent-connections.ts';
import { Session } from './session.ts';

/**
 * Settings for sessions that repeat a few statements very often. With these settings, each statement is planned only
 * once. By default, PostgreSQL would plan a statement again for the values of each batch, and the planning takes longer
 * than the statement itself.
 */
export const PLANNED_ONCE = { plan_cache_mode: 'force_generic_plan' };

/**
 * Settings for sessions whose statements find the rows of a batch by their keys. A plan that was made while the tables
 * were small must stay good while they grow, so PostgreSQL looks up each key in an index.
 */
export const BATCH_SETTINGS = { ...PLANNED_ONCE, enable_hashjoin: 'off', enable_mergejoin: 'off' };

/** Anything that can run a statement, such as the pool or the client of a transaction. */
export type Db = Pick<pg.ClientBase, 'query'>;
export type Pool = pg.Pool;

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * Idle time in ms after which a connection is closed. It is longer than the `pg` library's default of 10 s, because
 * each new connection has to log in and plan every statement again.
 */
const IDLE_TIMEOUT_MS = 300_000;
/**
 * Maximum time in ms for which a transaction may be idle. Without this limit, a client that stops in the middle of a
 * transaction would keep VACUUM from removing dead rows.
 */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;

/**
 * Parameters for every session in a pool. A statement sets them after connecting, because poolers such as PgBouncer
 * reject parameters in the startup message. Parameters given in `DATABASE_URL` take precedence. `enable_seqscan`:
 * PostgreSQL often plans a statement while its table is small, when a sequential scan is cheapest, and keeps that plan
 * while the table grows. After one tenant's upload, the statements of all other tenants scanned its 50,000 passages
 * until autovacuum had updated the statistics. With `off`, every sequential scan looks very expensive to the planner,
 * so PostgreSQL uses an index where there is one. `jit` is off, because PostgreSQL would otherwise compile every plan
 * with such a high estimated cost.
 */
const SETTINGS = {
  statement_timeout: String(STATEMENT_TIMEOUT_MS),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_TIMEOUT_MS),
  enable_seqscan: 'off',
  jit: 'off',
};

/**
 * Creates a pool with all the timeouts that `pg` leaves off by default. Timestamps are parsed as Unix milliseconds, and
 * bigint values as numbers (all of ours stay far below 2^53). The error handler is required: without it, the process
 * would end when the server closes an idle connection.
 */
export function createPool(
  databaseUrl: string,
  options: {
    log: Logger;
    max?: number;
    /** Additional PostgreSQL parameters for all sessions in this pool. */
    settings?: Record<string, string>;
  },
): Pool {
  const settings = Object.entries({ ...SETTINGS, ...options.settings }).filter(
    ([name]) => !setsParameter(databaseUrl, name),
  );
  const silence = createSilenceWatch({ databaseUrl, settings, log: options.log });
  const max = options.max ?? 10;
  const pool = new pg.Pool({
    ...silence.options,
    ...readDatabaseUrl(databaseUrl),
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1_000,
    // Statements in a transaction can be sent before the previous statement has its reply, so that several statements
    // share a round trip (transaction.ts).
    pipeline: true,
    keepAlive: true,
    application_name: 'parley',
    types: TYPES,
  });
  pool.on('error', (error) => {
    // While the pool is closing, lost connections are not logged, because the server may be stopping too.
    if (pool.ending) return;
    options.log.warn({ reason: error.message }, 'lost an idle database connection');
  });
  // If the server dies during a login, the error can be emitted before the caller has the connection and can add a
  // listener. Without this listener, the error would end the process. The error is not lost, because the caller's first
  // statement fails with the same error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  shareConnections(pool, { max, waitMs: CONNECT_TIMEOUT_MS });
  const end = pool.end.bind(pool);
  pool.end = () => silence.endWith(end);
  return pool;
}

/** Creates a single connection for LISTEN or a session lock. TCP keep-alive (`keepAlive`) detects a dead peer. */
export function createClient(databaseUrl: string): Session {
  return new Session({
    ...readDatabaseUrl(databaseUrl),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'parley',
    types: TYPES,
  });
}

const INT8: number = pg.types.builtins.INT8;
const TIMESTAMPTZ: number = pg.types.builtins.TIMESTAMPTZ;

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return pg.types.getTypeParser(oid, 'binary');
    if (oid === INT8) return Number;
    if (oid === TIMESTAMPTZ) return parseTimestampMs;
    return pg.types.getTypeParser(oid, 'text');
    // The cast is safe, because `pg` declares overloads, and our function returns the same as each of them.
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/** Parses `2026-11-21 12:00:00.123456+00` as Unix milliseconds. */
function parseTimestampMs(text: string): number {
  const [, date, time, offset] = /^(\S+) ([\d:.]+)([+-].+)$/.exec(text) ?? [];
  const zone = offset?.length === 3 ? `${offset}:00` : offset;
  return Date.parse(`${date}T${time?.slice(0, 12)}${zone}`);
}

const UNAVAILABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * Returns true if an error means that the database is unavailable or restarting, rather than that the statement was
 * wrong.
 */
export function isUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const code = codeOf(error);
  return (
    // Codes of connection exceptions, shutdowns, insufficient resources and statement timeouts (PostgreSQL, appendix
    // A).
    /^(08|57P0|53|57014)/.test(code) ||
    UNAVAILABLE.has(code) ||
    /Connection terminated|not queryable|timeout exceeded when trying to connect|Query read timeout|timeout expired/.test(
      reasonOf(error),
    ) ||
    ('errors' in error && Array.isArray(error.errors) && error.errors.some(isUnavailable))
  );
}

/** Returns true if a statement failed because of its values (data exceptions, violated constraints). */
export function isRefused(error: unknown): boolean {
  return /^2[23]/.test(codeOf(error));
}

/** Returns true if the database responds. It is used for `/readyz`. Never throws. */
export async function isAnswering(db: Db): Promise<boolean> {
  try {
    await db.query('select 1');
    return true;
  } catch {
    return false;
  }
}
