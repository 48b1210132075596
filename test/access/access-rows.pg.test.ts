import { describe, expect, test } from 'vitest';
import {
  addApiKey,
  countApiKeys,
  expireApiKey,
  findApiKey,
  insertApiKey,
  listApiKeys,
  listLiveKeys,
  lockManagingKeys,
  noteKeyUse,
  readApiKey,
  revokeApiKey,
} from '../../src/access/api-keys.sql.ts';
import {
  countSessions,
  deleteOldSessions,
  endSession,
  findSession,
  insertNextToken,
  listLiveSessions,
  listSessions,
  lockKeyOf,
  lockSession,
  noteSessionUse,
  noteTokenSeen,
  readSession,
} from '../../src/access/sessions.sql.ts';
import {
  deleteOldSignInTokens,
  insertSignInToken,
  useSignInToken,
} from '../../src/access/sign-in-tokens.sql.ts';
import { newUuid } from '../../src/ids.ts';
import { minutesAgo, useRows, type Columns } from '../platform/postgres/rows.ts';

/**
 * Each statement about keys and sessions, of rows that differ from the one it is for in one part alone. A database of its
 * own: several statements read the rows of all namespaces.
 */

const stored = useRows('api_keys', 'sessions');

const OTHER = newUuid();

let made = 0;
const newHash = (): Buffer => Buffer.from(`${(made += 1)}`.padStart(32, '0'));

async function addKey(columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', hash: newHash(), prefix: 'p', scopes: ['keys'] };
  await stored.add('api_keys', { ...row, ...columns });
  return id;
}
const find = async (table: string, id: string): Promise<Columns> =>
  (await stored.rowOf(table, id))!;
const inDefault = (id: string) => ({ namespace: 'default', id });
const page = (over: object = {}) =>
  ({ namespace: 'default', limit: 9, ...over }) as Parameters<typeof listApiKeys>[1];

/** What no longer works, or never did. */
const DEAD_KEYS = [{ revoked_at: minutesAgo(1) }, { expires_at: minutesAgo(1) }];

describe('an API key', () => {
  test('is found by its text while it works', async () => {
    const id = await insertApiKey(stored.pool, { namespace: 'default', scopes: [], text: 'one' });
    await insertApiKey(stored.pool, { namespace: 'default', scopes: [], text: 'two' });
    expect(await insertApiKey(stored.pool, { namespace: 'x', scopes: [], text: 'one' })).toBe(id);
    const again = { namespace: 'default', scopes: [], name: '', text: 'one' };
    expect(await addApiKey(stored.pool, again)).toBeUndefined();
    expect((await findApiKey(stored.pool, 'one'))?.id).toBe(id);
    expect(await findApiKey(stored.pool, 'three')).toBeUndefined();
    await stored.pool.query(`update api_keys set expires_at = $1`, [minutesAgo(-1)]);
    expect((await findApiKey(stored.pool, 'one'))?.id).toBe(id);
    await stored.pool.query(`update api_keys set expires_at = $1`, [minutesAgo(1)]);
    expect(await findApiKey(stored.pool, 'one')).toBeUndefined();
    await stored.pool.query(`update api_keys set expires_at = null, revoked_at = now()`);
    expect(await findApiKey(stored.pool, 'one')).toBeUndefined();
  });

  test('is read and listed by its namespace while it works', async () => {
    const ids = [await addKey(), await addKey({ expires_at: minutesAgo(-1) })].toSorted((a, b) =>
      a < b ? 1 : -1,
    );
    const dead = [await addKey(DEAD_KEYS[0]), await addKey(DEAD_KEYS[1])];
    await addKey({ namespace: 'other' });
    for (const id of ids) {
      expect((await readApiKey(stored.pool, inDefault(id)))?.id).toBe(id);
      expect(await readApiKey(stored.pool, { namespace: 'other', id })).toBeUndefined();
    }
    for (const id of [...dead, OTHER]) {
      expect(await readApiKey(stored.pool, inDefault(id))).toBeUndefined();
      expect(await lockKeyOf(stored.pool, id)).toBeUndefined();
    }
    expect((await lockKeyOf(stored.pool, ids[0]!))?.id).toBe(ids[0]);
    expect((await listApiKeys(stored.pool, page())).map(({ id }) => id)).toEqual(ids);
    expect((await listApiKeys(stored.pool, page({ before: ids[0] }))).map(({ id }) => id)).toEqual([
      ids[1],
    ]);
    const live = await listLiveKeys(stored.pool, [ids[0]!, ...dead]);
    expect(live.map(({ id }) => id)).toEqual([ids[0]]);
    expect(await countApiKeys(stored.pool, 'default')).toEqual({ standing: 1, ending: 1 });
  });

  test('is locked if it works and manages keys for good, or is asked for', async () => {
    const managing = await addKey();
    const ending = await addKey({ expires_at: minutesAgo(-1) });
    const reading = await addKey({ scopes: ['agents:read'] });
    const dead = await addKey(DEAD_KEYS[0]);
    const foreign = await addKey({ namespace: 'other' });
    const locked = async (...ids: string[]): Promise<[string, boolean][]> =>
      (await lockManagingKeys(stored.pool, 'default', ids)).map((one) => [one.id, one.isManaging]);
    expect(await locked()).toEqual([[managing, true]]);
    const all = new Map(await locked(ending, reading, dead, foreign));
    expect(all).toEqual(
      new Map([
        [managing, true],
        [ending, false],
        [reading, false],
      ]),
    );
  });

  test('is revoked and expires once, and no other key does', async () => {
    const neighbor = await addKey();
    const before = await find('api_keys', neighbor);
    const id = await addKey();
    expect(await expireApiKey(stored.pool, { namespace: 'other', id }, 60)).toBeUndefined();
    expect(await expireApiKey(stored.pool, inDefault(id), 60)).toEqual(expect.any(Number));
    expect(await expireApiKey(stored.pool, inDefault(id), 60)).toBeUndefined();
    expect(await revokeApiKey(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect((await revokeApiKey(stored.pool, inDefault(id)))?.id).toBe(id);
    expect(await revokeApiKey(stored.pool, inDefault(id))).toBeUndefined();
    const revoked = await addKey({ revoked_at: minutesAgo(1) });
    expect(await expireApiKey(stored.pool, inDefault(revoked), 60)).toBeUndefined();
    await noteKeyUse(stored.pool, [id]);
    expect(await find('api_keys', id)).toMatchObject({ last_used_at: expect.any(Number) });
    expect(await find('api_keys', neighbor)).toEqual(before);
  });
});

describe('a session', () => {
  async function addSession(columns: Columns = {}): Promise<string> {
    const id = newUuid();
    const api_key_id = columns['api_key_id'] ?? (await addKey());
    const row = { id, namespace: 'default', api_key_id, name: 'Pat', expires_at: minutesAgo(-60) };
    await stored.add('sessions', { ...row, ...columns });
    return id;
  }
  async function addToken(session_id: string, columns: Columns = {}): Promise<Buffer> {
    const hash = newHash();
    await stored.add('session_tokens', { hash, session_id, ...columns });
    return hash;
  }
  async function deadSessions(): Promise<string[]> {
    return [
      await addSession({ ended_at: minutesAgo(1) }),
      await addSession({ expires_at: minutesAgo(1) }),
      await addSession({ last_seen_at: minutesAgo(31) }),
      await addSession({ api_key_id: await addKey(DEAD_KEYS[0]) }),
      await addSession({ api_key_id: await addKey(DEAD_KEYS[1]) }),
    ];
  }

  test('lives until it or its key ends, or nobody uses it', async () => {
    const key = await addKey({ expires_at: minutesAgo(-60) });
    const id = await addSession({ api_key_id: key, last_seen_at: minutesAgo(29) });
    const dead = await deadSessions();
    const token = await addToken(id);
    expect((await findSession(stored.pool, token))?.id).toBe(id);
    expect(await findSession(stored.pool, newHash())).toBeUndefined();
    expect((await readSession(stored.pool, inDefault(id)))?.id).toBe(id);
    expect(await readSession(stored.pool, { namespace: 'other', id })).toBeUndefined();
    expect(await lockSession(stored.pool, inDefault(id))).toBe(true);
    expect(await lockSession(stored.pool, { namespace: 'other', id })).toBe(false);
    expect(await countSessions(stored.pool, key)).toBe(1);
    for (const one of dead) {
      expect(await findSession(stored.pool, await addToken(one))).toBeUndefined();
      expect(await readSession(stored.pool, inDefault(one))).toBeUndefined();
      expect(await lockSession(stored.pool, inDefault(one))).toBe(false);
      const { api_key_id } = await find('sessions', one);
      expect(await countSessions(stored.pool, String(api_key_id))).toBe(0);
    }
    const live = await listLiveSessions(stored.pool, [id, ...dead]);
    expect(live.map((one) => one.id)).toEqual([id]);
    const sessions = await stored.read('sessions');
    const seenBefore = new Map(sessions.map((row) => [row['id'], row['last_seen_at']]));
    await noteSessionUse(stored.pool, [id, ...dead]);
    expect((await find('sessions', id))['last_seen_at']).not.toBe(seenBefore.get(id));
    for (const one of dead) {
      expect((await find('sessions', one))['last_seen_at']).toBe(seenBefore.get(one));
    }
  });

  test('is listed by its namespace, newest first', async () => {
    const ids = [await addSession(), await addSession()].toSorted((a, b) => (a < b ? 1 : -1));
    await deadSessions();
    await addSession({ namespace: 'other' });
    const list = async (over: object = {}): Promise<string[]> =>
      (await listSessions(stored.pool, page(over))).map(({ id }) => id);
    expect(await list()).toEqual(ids);
    expect(await list({ before: ids[0] })).toEqual([ids[1]]);
    expect((await listLiveSessions(stored.pool, [ids[0]!])).map(({ id }) => id)).toEqual([ids[0]]);
  });

  test('ends once, of its namespace', async () => {
    const [id, neighbor] = [await addSession(), await addSession()];
    expect(await endSession(stored.pool, { namespace: 'other', id })).toBe(false);
    expect(await endSession(stored.pool, inDefault(id))).toBe(true);
    expect(await endSession(stored.pool, inDefault(id))).toBe(false);
    expect(await find('sessions', neighbor)).toMatchObject({ ended_at: null });
  });

  test('has tokens that are new, seen, old or stale', async () => {
    const id = await addSession();
    const of = async (columns: Columns) => {
      const found = await findSession(stored.pool, await addToken(id, columns));
      const { isNew, isOld, isStale } = found!;
      return { isNew, isOld, isStale };
    };
    const good = { isNew: false, isOld: false, isStale: false };
    expect(await of({})).toEqual({ ...good, isNew: true });
    expect(await of({ seen_at: minutesAgo(1) })).toEqual(good);
    expect(await of({ good_until: minutesAgo(-1) })).toEqual(good);
    expect(await of({ seen_at: minutesAgo(1), issued_at: minutesAgo(61) })).toEqual({
      ...good,
      isOld: true,
    });
    expect(
      await of({ seen_at: minutesAgo(1), issued_at: minutesAgo(61), good_until: minutesAgo(-1) }),
    ).toEqual(good);
    expect(await of({ seen_at: minutesAgo(1), good_until: minutesAgo(1) })).toEqual({
      ...good,
      isStale: true,
    });
  });

  test('lets the tokens before the one that was seen end, and those of no other session', async () => {
    const [id, other] = [await addSession(), await addSession()];
    const next = await addToken(id);
    const before = await addToken(id, { seen_at: minutesAgo(5) });
    const ended = await addToken(id, { seen_at: minutesAgo(5), good_until: minutesAgo(1) });
    const foreign = await addToken(other, { seen_at: minutesAgo(5) });
    const tokenOf = async (hash: Buffer): Promise<Columns> =>
      (await stored.read('session_tokens', 'hash')).find((row) =>
        hash.equals(row['hash'] as Buffer),
      )!;
    const endedUntil = (await tokenOf(ended))['good_until'];
    await noteTokenSeen(stored.pool, before);
    expect(await tokenOf(next)).toMatchObject({ good_until: null });
    await noteTokenSeen(stored.pool, ended);
    expect(await tokenOf(before)).toMatchObject({ good_until: null });
    const replaced = await addToken(id, { good_until: minutesAgo(-1) });
    await noteTokenSeen(stored.pool, replaced);
    expect(await tokenOf(before)).toMatchObject({ good_until: null });
    await noteTokenSeen(stored.pool, next);
    expect(await tokenOf(next)).toMatchObject({ seen_at: expect.any(Number), good_until: null });
    expect(await tokenOf(before)).toMatchObject({ good_until: expect.any(Number) });
    expect(await tokenOf(ended)).toMatchObject({ good_until: endedUntil });
    expect(await tokenOf(foreign)).toMatchObject({ good_until: null });
  });

  test('gets its next token once in ten minutes while it has not ended', async () => {
    const rotated = { rotated_at: minutesAgo(11) };
    const [id, neighbor] = [await addSession(rotated), await addSession(rotated)];
    const next = (sessionId: string): Promise<boolean> =>
      insertNextToken(stored.pool, { sessionId, tokenHash: newHash() });
    expect(await next(id)).toBe(true);
    expect(await next(id)).toBe(false);
    expect(await next(await addSession({ ...rotated, ended_at: minutesAgo(1) }))).toBe(false);
    expect(await next(await addSession({ rotated_at: minutesAgo(9) }))).toBe(false);
    expect(await next(OTHER)).toBe(false);
    expect(await next(neighbor)).toBe(true);
  });

  test('is removed a day after it is over', async () => {
    const over = { expires_at: minutesAgo(25 * 60) };
    await addSession({ expires_at: minutesAgo(23 * 60) });
    await addSession(over);
    await addSession(over);
    expect(await deleteOldSessions(stored.pool, 1)).toBe(1);
    expect(await deleteOldSessions(stored.pool, 9)).toBe(1);
    expect(await stored.read('sessions')).toHaveLength(1);
  });

  test('begins by a link that is good once, for a day', async () => {
    const [own, late] = [newHash(), newHash()];
    const key = await addKey();
    for (const hash of [own, late]) {
      await insertSignInToken(stored.pool, { hash, namespace: 'default', keyId: key, name: 'Pat' });
    }
    await stored.pool.query('update sign_in_tokens set expires_at = $2 where hash = $1', [
      late,
      minutesAgo(1),
    ]);
    expect(await useSignInToken(stored.pool, late)).toBeUndefined();
    expect(await useSignInToken(stored.pool, newHash())).toBeUndefined();
    expect(await useSignInToken(stored.pool, own)).toEqual({ keyId: key, name: 'Pat' });
    expect(await useSignInToken(stored.pool, own)).toBeUndefined();
    await deleteOldSignInTokens(stored.pool);
    const left = await stored.read('sign_in_tokens', 'hash');
    expect(left.map((row) => row['hash'])).toEqual([own]);
  });
});
