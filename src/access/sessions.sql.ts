import type { Scope } from '../platform/http/authorize.ts';
import { filteredBy, type ListPage } from '../platform/postgres/list-filters.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** This module stores the sessions of people who sign in (contract/sessions.md). Times are Unix milliseconds. */

type SessionId = { namespace: string; id: string };

/** Visible properties of a session. */
export type SessionRow = {
  /** UUID. */
  id: string;
  namespace: string;
  /** UUID of the session's key. */
  keyId: string;
  /** Name of the person who signed in. */
  name: string;
  /** Scopes of the session's key. */
  scopes: Scope[];
  createdAt: number;
  lastSeenAt: number;
  /** Time at which the session ends even if it is used. It is never later than the expiry of the session's key. */
  expiresAt: number;
  /** Time at which the session ends if it is not used until then. */
  idleExpiresAt: number;
};

/** Idle timeout of a session in seconds. An open stream counts as use. */
export const IDLE_SEC = 1_800;
/** Maximum age of a session in seconds, however much it is used. */
const ABSOLUTE_SEC = 43_200;
/** Age in seconds at which a token is replaced. */
const ROTATE_SEC = 3_600;
/**
 * Minimum time in seconds between two replacements of a session's token. A second replacement is needed if the client
 * never received the response with the new token. The interval is longer than any response takes, so that a late
 * response cannot overwrite a newer token in the browser.
 */
const ROTATE_AGAIN_SEC = 600;
/**
 * Time in seconds for which a replaced token remains valid after its successor was first used, so that requests in
 * flight still succeed.
 */
const OVERLAP_SEC = 60;
/** Time for which sessions are kept after they expire. After that, only the audit log shows who signed in. */
const KEPT = `interval '1 day'`;

const KEY_LIVES = `k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`;
const LIVES = `s.ended_at is null and s.expires_at > clock_timestamp()
  and s.last_seen_at > clock_timestamp() - interval '${IDLE_SEC} seconds' and ${KEY_LIVES}`;
const LIVE_SESSIONS = `sessions s join api_keys k on k.id = s.api_key_id`;
const COLUMNS = `s.id, s.namespace, s.api_key_id as "keyId", s.name, k.scopes,
  s.created_at as "createdAt", s.last_seen_at as "lastSeenAt",
  least(s.expires_at, k.expires_at) as "expiresAt",
  least(s.last_seen_at + interval '${IDLE_SEC} seconds', s.expires_at, k.expires_at) as "idleExpiresAt"`;

/** Inserts a session. The caller must have locked the session's key and checked that the key is live. */
export async function insertSession(
  db: Db,
  session: { id: string; namespace: string; keyId: string; name: string; tokenHash: Buffer },
): Promise<SessionRow> {
  const { id, namespace, keyId, name, tokenHash } = session;
  await db.query(
    `with made as (
       insert into sessions (id, namespace, api_key_id, name, expires_at)
       values ($1, $2, $3, $4, clock_timestamp() + interval '${ABSOLUTE_SEC} seconds') returning id)
     insert into session_tokens (hash, session_id, seen_at)
     select $5, id, clock_timestamp() from made`,
    [id, namespace, keyId, name, tokenHash],
  );
  const row = await readSession(db, { namespace, id });
  if (!row) throw new Error('the session ended while it was being created');
  return row;
}

/** Locks the key until the transaction ends. Returns undefined if the key is not live. */
export async function lockKeyOf(
  db: Db,
  keyId: string,
): Promise<{ id: string; namespace: string; scopes: Scope[] } | undefined> {
  const { rows } = await db.query<{ id: string; namespace: string; scopes: Scope[] }>(
    `select k.id, k.namespace, k.scopes from api_keys k where k.id = $1 and ${KEY_LIVES} for share`,
    [keyId],
  );
  return rows[0];
}

/** Counts the live sessions of a key. */
export async function countSessions(db: Db, keyId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from ${LIVE_SESSIONS} where s.api_key_id = $1 and ${LIVES}`,
    [keyId],
  );
  return rows[0]!.count; // `rows[0]` exists: an aggregate query always returns one row.
}

/** A token and its live session. */
export type FoundSession = Pick<SessionRow, 'id' | 'namespace' | 'keyId' | 'name' | 'scopes'> & {
  /** Time in ms for which the token and the session remain valid without further use. */
  endsInMs: number;
  /** Whether this is the first request with this token. */
  isNew: boolean;
  /**
   * Whether the token was replaced and the overlap with its successor is over. A client that still sends this token may
   * have stolen it.
   */
  isStale: boolean;
  /** Whether the token is due for replacement. */
  isOld: boolean;
  /** Time in ms since the last recorded use of the session. */
  unseenMs: number;
};

/** Finds the session of a token. Searches by hash, so that the timing reveals nothing about the token. */
export async function findSession(db: Db, tokenHash: Buffer): Promise<FoundSession | undefined> {
  const { rows } = await db.query<FoundSession>({
    name: 'find_session',
    text: `select s.id, s.namespace, s.api_key_id as "keyId", s.name, k.scopes,
        (extract(epoch from least(s.expires_at, k.expires_at, t.good_until,
           s.last_seen_at + interval '${IDLE_SEC} seconds') - clock_timestamp()) * 1000)::float8
           as "endsInMs",
        (extract(epoch from clock_timestamp() - s.last_seen_at) * 1000)::float8 as "unseenMs",
        t.seen_at is null and t.good_until is null as "isNew",
        coalesce(t.good_until < clock_timestamp(), false) as "isStale",
        t.good_until is null and t.issued_at < clock_timestamp() - interval '${ROTATE_SEC} seconds'
          as "isOld"
       from session_tokens t join sessions s on s.id = t.session_id
       join api_keys k on k.id = s.api_key_id
      where t.hash = $1 and ${LIVES}`,
    values: [tokenHash],
  });
  return rows[0];
}

/** Records the first use of a token. All other tokens of the session then remain valid for only `OVERLAP_SEC`. */
export async function noteTokenSeen(db: Db, tokenHash: Buffer): Promise<void> {
  await db.query(
    `with seen as (
       update session_tokens set seen_at = clock_timestamp()
        where hash = $1 and seen_at is null and good_until is null returning session_id)
     update session_tokens t
        set good_until = clock_timestamp() + interval '${OVERLAP_SEC} seconds'
       from seen
      where t.session_id = seen.session_id and t.hash <> $1 and t.good_until is null`,
    [tokenHash],
  );
}

/**
 * Adds the next token of a session. Returns false if a token was already added within the last `ROTATE_AGAIN_SEC`. As a
 * result, only one of several concurrent requests replaces the token.
 */
export async function insertNextToken(
  db: Db,
  { sessionId, tokenHash }: { sessionId: string; tokenHash: Buffer },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with rotated as (
       update sessions set rotated_at = clock_timestamp()
        where id = $1 and ended_at is null
          and rotated_at < clock_timestamp() - interval '${ROTATE_AGAIN_SEC} seconds' returning id)
     insert into session_tokens (hash, session_id) select $2, id from rotated`,
    [sessionId, tokenHash],
  );
  return rowCount === 1;
}

/** Records the use of live sessions. Does nothing for a session that has ended. */
export async function noteSessionUse(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(
    `update sessions set last_seen_at = clock_timestamp()
      where id in (select s.id from ${LIVE_SESSIONS} where s.id = any($1) and ${LIVES}
                    order by s.id for no key update of s)`,
    [ids],
  );
}

/** Returns the sessions among `ids` that are live. */
export async function listLiveSessions(
  db: Db,
  ids: readonly string[],
): Promise<{ id: string; endsInMs: number }[]> {
  const { rows } = await db.query<{ id: string; endsInMs: number }>({
    name: 'list_live_sessions',
    text: `select s.id,
             (extract(epoch from least(s.expires_at, k.expires_at) - clock_timestamp()) * 1000)::float8
               as "endsInMs"
             from ${LIVE_SESSIONS} where s.id = any($1) and ${LIVES}`,
    values: [ids],
  });
  return rows;
}

export async function readSession(
  db: Db,
  { namespace, id }: SessionId,
): Promise<SessionRow | undefined> {
  const { rows } = await db.query<SessionRow>(
    `select ${COLUMNS} from ${LIVE_SESSIONS} where s.id = $1 and s.namespace = $2 and ${LIVES}`,
    [id, namespace],
  );
  return rows[0];
}

/** Returns live sessions, newest first. */
export async function listSessions(
  db: Db,
  { namespace, before, limit }: ListPage,
): Promise<SessionRow[]> {
  const { where, values } = filteredBy([
    ['s.namespace =', namespace],
    ['s.id <', before],
  ]);
  const { rows } = await db.query<SessionRow>(
    `select ${COLUMNS} from ${LIVE_SESSIONS}
      where ${where} and ${LIVES} order by s.id desc limit $${values.push(limit)}`,
    values,
  );
  return rows;
}

/** Locks a session until the transaction ends. Returns false if it is not live. */
export async function lockSession(db: Db, { namespace, id }: SessionId): Promise<boolean> {
  const { rowCount } = await db.query(
    `select s.id from ${LIVE_SESSIONS}
      where s.id = $1 and s.namespace = $2 and ${LIVES} for share of s`,
    [id, namespace],
  );
  return rowCount === 1;
}

/** Ends a session. Returns false if it had already ended. */
export async function endSession(db: Db, { namespace, id }: SessionId): Promise<boolean> {
  const { rowCount } = await db.query(
    `update sessions set ended_at = clock_timestamp()
      where id = $1 and namespace = $2 and ended_at is null`,
    [id, namespace],
  );
  return rowCount === 1;
}

/** Deletes up to `limit` sessions that expired more than a day ago. Returns the number of deleted sessions. */
export async function deleteOldSessions(db: Db, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from sessions where id = any(array(
       select id from sessions where expires_at < clock_timestamp() - ${KEPT}
        order by expires_at limit $1 for update skip locked))`,
    [limit],
  );
  return rowCount ?? 0;
}
