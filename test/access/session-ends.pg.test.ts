import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { holdTime, type HeldClock } from '../clock.ts';
import { startAnother, startApi, type Api, type Call } from '../roles/api/api-setup.ts';
import { until } from '../until.ts';
import { createSignIn, type Browser } from './browser.ts';

/**
 * The end of a session, its delay, and the replacement of its token (contract/sessions.md#ending). Time stands still,
 * so no process polls and none forgets a session on its own: streams that end then end by the notification.
 */
let api: Api;
let time: HeldClock;
let namespaces = 0;
let namespace: string;
let root: string;
const running: (() => Promise<void>)[] = [];

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(async () => {
  onTestFinished(stopAll); // Registered first, so it runs last: a stop takes time.
  time = holdTime();
  namespace = `signed-${(namespaces += 1)}`;
  root = await api.newKey(namespace);
});

async function stopAll(): Promise<void> {
  for (const stop of running.splice(0).toReversed()) await stop();
}

/** Interval at which a process checks its open streams (src/access/watch-ends.ts). */
const LOOK_MS = 400;

type Process = { url: string; call: Call };

async function anotherProcess(): Promise<Process> {
  const { stop, ...process } = await startAnother(api, { key: root });
  running.push(stop);
  return process;
}

const signIn = (apiKey = root, name = 'Ada'): Promise<Browser> =>
  createSignIn(api)({ apiKey, name });

async function newKey(): Promise<{ id: string; key: string }> {
  const json = { name: 'x', scopes: ['read'] };
  return (await api.call('POST', '/v1/api_keys', { key: root, json })).body;
}

/** The cookie as another process takes it, whose port is in its name. */
const cookieAt = (url: string, cookie: string): string =>
  `parley_session_${new URL(url).port}=${cookie.split('=')[1]}`;

async function statusAt({ url, call }: Process, cookie: string): Promise<number> {
  const headers = { cookie: cookieAt(url, cookie), 'sec-fetch-site': 'same-origin' };
  return (await call('GET', '/v1/agents', { key: null, headers })).status;
}

/** Resolves once the process refuses the cookie. */
const refused = (process: Process, cookie: string): Promise<true> =>
  until('the refusal', async () => (await statusAt(process, cookie)) === 401 || undefined, {
    everyMs: 1,
  });

async function follow({ url }: Process, cookie: string) {
  const headers = {
    cookie: cookieAt(url, cookie),
    'sec-fetch-site': 'same-origin',
    connection: 'close',
  };
  const response = await fetch(`${url}/v1/events/stream`, { headers });
  expect(response.status).toBe(200);
  const reader = response.body!.getReader();
  let text = '';
  let hasEnded = false;
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += Buffer.from(value).toString();
    }
    hasEnded = true;
  })();
  reading.catch(() => undefined);
  return {
    ended: () => until(`the end of the stream; there came ${text}`, () => hasEnded),
    text: () => text,
    isOpen: () => !hasEnded,
    close: () => reader.cancel(),
  };
}

const set = (id: string, what: string): Promise<unknown> =>
  api.engine.pool.query(
    `update sessions set ${what} where id = (select id from sessions where namespace = $1 and name = $2
                                            and ended_at is null)`,
    [namespace, id],
  );

/** Of all that a session ends by, what ends it while the answer is awaited. */
const ENDINGS: [name: string, end: (browser: Browser, key: { id: string }) => Promise<unknown>][] =
  [
    ['signs out', ({ id, ask }) => ask('DELETE', `/v1/sessions/${id}`)],
    ['is ended by another', ({ id }) => api.call('DELETE', `/v1/sessions/${id}`, { key: root })],
    ['loses its key', (_, { id }) => api.call('DELETE', `/v1/api_keys/${id}`, { key: root })],
  ];

describe.each(ENDINGS)('a session that %s', (_, end) => {
  test('is refused by every process at the notification, and its streams end, and say why', async () => {
    const other = await anotherProcess();
    const lasting = await signIn();
    const kept = await follow(other, lasting.cookie());
    const key = await newKey();
    const browser = await signIn(key.key);
    const cookie = browser.cookie();
    const streams = [await follow(api, cookie), await follow(other, cookie)];
    expect([await statusAt(api, cookie), await statusAt(other, cookie)]).toEqual([200, 200]);
    expect(await end(browser, key)).toMatchObject({ status: 204 });
    expect(await statusAt(api, cookie)).toBe(401);
    await refused(other, cookie);
    for (const stream of streams) {
      await stream.ended();
      const [, json] = /event: error\ndata: (\{.*\})\n\n$/.exec(stream.text()) ?? [];
      expect(JSON.parse(json ?? '{}')).toMatchObject({ status: 401, code: 'unauthorized' });
    }
    expect(await statusAt(other, lasting.cookie())).toBe(200);
    expect(kept.isOpen()).toBe(true);
    await kept.close();
  });
});

test('signing out takes the cookie back', async () => {
  const { id, ask } = await signIn();
  const { headers } = await ask('DELETE', `/v1/sessions/${id}`);
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^parley_session_\d+=; Max-Age=0; HttpOnly; SameSite=Strict; Path=\/$/),
  ]);
});

/** Longer than any process remembers a session, and than it leaves what is open unasked. */
const REMEMBERED_MS = 1_000;

test('a key that runs out ends its sessions with it', async () => {
  const { id, key } = await newKey();
  const { cookie } = await signIn(key);
  const stream = await follow(api, cookie());
  const json = { overlap_sec: 3_600 };
  await api.call('POST', `/v1/api_keys/${id}/rotate`, { key: root, json });
  await api.engine.pool.query(
    `update api_keys set expires_at = clock_timestamp() where expires_at is not null and namespace = $1`,
    [namespace],
  );
  await time.armed(LOOK_MS);
  await time.advance(REMEMBERED_MS);
  await stream.ended();
  expect(await statusAt(api, cookie())).toBe(401);
});

describe('time', () => {
  test('ends a session that was not used for 30 minutes, and no sooner', async () => {
    const { ask, cookie } = await signIn();
    const { body } = await ask('GET', '/v1/me');
    expect(body.session.idle_expires_at - body.session.created).toBe(1_800);
    await set('Ada', `last_seen_at = clock_timestamp() - interval '30 minutes'`);
    await time.advance(REMEMBERED_MS);
    expect(await statusAt(api, cookie())).toBe(401);
    await set('Ada', `last_seen_at = clock_timestamp() - interval '29 minutes'`);
    expect(await statusAt(api, cookie())).toBe(200);
    expect(await hasJustBeenSeen()).toBe(true); // That was use.
  });

  test('ends it after 12 hours, however it is used, with what it holds open', async () => {
    const { ask, cookie } = await signIn();
    const { body } = await ask('GET', '/v1/me');
    expect(body.session.expires_at - body.session.created).toBe(43_200);
    const stream = await follow(api, cookie());
    await time.armed(LOOK_MS);
    await set('Ada', 'expires_at = clock_timestamp()');
    await time.advance(REMEMBERED_MS);
    await stream.ended();
    expect(await statusAt(api, cookie())).toBe(401);
  });
});

/** Whether its last use is newer than the 29 minutes that the test put in. */
async function hasJustBeenSeen(): Promise<boolean> {
  const { rows } = await api.engine.pool.query<{ is: boolean }>(
    `select last_seen_at > clock_timestamp() - interval '28 minutes' as is
       from sessions where namespace = $1`,
    [namespace],
  );
  return rows[0]!.is;
}

describe('a token', () => {
  /** As if so long ago the newest one was made, and the next may be. */
  async function age(hours: number): Promise<void> {
    const { pool } = api.engine;
    await pool.query(
      `update session_tokens set issued_at = issued_at - $2 * interval '1 hour'
        where good_until is null and session_id in (select id from sessions where namespace = $1)`,
      [namespace, hours],
    );
    await set('Ada', `rotated_at = rotated_at - interval '${hours} hours'`);
  }

  /** The cookie that answers to this one set next. */
  async function replaced(cookie: string): Promise<string> {
    await time.advance(REMEMBERED_MS);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    const answer = await api.call('GET', '/v1/agents', { key: null, headers });
    expect(answer.status).toBe(200);
    return answer.headers.getSetCookie()[0]!.split(';')[0]!;
  }

  test('is the same for an hour', async () => {
    const { cookie, ask } = await signIn();
    const first = cookie();
    await age(0.99);
    const other = await anotherProcess(); // Which remembers nothing.
    const headers = { cookie: cookieAt(other.url, first), 'sec-fetch-site': 'same-origin' };
    const answer = await other.call('GET', '/v1/agents', { key: null, headers });
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await ask('GET', '/v1/agents')).headers.getSetCookie()).toEqual([]);
  });

  test('is replaced then, once for all requests at the same time; its end stays where it is', async () => {
    const { cookie, ask } = await signIn();
    const before = await ask('GET', '/v1/me');
    const processes = [await anotherProcess(), await anotherProcess()];
    await age(2);
    const answers = await Promise.all(
      processes.flatMap(({ url, call }) => {
        const headers = { cookie: cookieAt(url, cookie()), 'sec-fetch-site': 'same-origin' };
        return Array.from({ length: 5 }, () => call('GET', '/v1/agents', { key: null, headers }));
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const cookies = answers.flatMap(({ headers }) => headers.getSetCookie());
    expect(cookies).toEqual([
      expect.stringMatching(/^parley_session_\d+=[\w-]{40}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    const next = cookieAt(api.url, cookies[0]!.split(';')[0]!);
    const headers = { cookie: next, 'sec-fetch-site': 'same-origin' };
    const after = await api.call('GET', '/v1/me', { key: null, headers });
    expect(after.body.session).toEqual({
      ...before.body.session,
      idle_expires_at: expect.any(Number),
    });
    expect(after.body.session.expires_at).toBe(before.body.session.expires_at);
  });

  test('is good while nobody has seen the next one, whose answer may be lost', async () => {
    const { cookie } = await signIn();
    const first = cookie();
    await age(2);
    const lost = await replaced(first);
    await age(2);
    const next = await replaced(first);
    expect(next).not.toBe(lost);
    expect(await statusAt(api, first)).toBe(200);
    expect(await statusAt(api, next)).toBe(200);
    // For what is on its way; that which was lost included.
    expect(await statusAt(api, first)).toBe(200);
    expect(await statusAt(api, lost)).toBe(200);
    expect(await statusAt(api, next)).toBe(200);
  });

  test('that comes when its successor has been seen for a minute was stolen: all is over', async () => {
    const other = await anotherProcess();
    const { cookie, id } = await signIn();
    const first = cookie();
    await age(2);
    const next = await replaced(first);
    expect(await statusAt(api, next)).toBe(200);
    expect(await isGoodForAMinute(id)).toBe(true);
    const stream = await follow(other, next);
    await api.engine.pool.query(
      `update session_tokens set good_until = clock_timestamp() where good_until is not null`,
    );
    await time.advance(REMEMBERED_MS);
    expect(await statusAt(other, next)).toBe(200); // Remembered there from now on.
    expect(await statusAt(api, first)).toBe(401);
    expect(await statusAt(api, next)).toBe(401);
    await refused(other, next);
    await stream.ended();
    const { body } = await api.call('GET', '/v1/audit_log?action=session.ended', { key: root });
    expect(body.data[0]).toMatchObject({
      target: id,
      session_id: id,
      actor: 'session:Ada',
      detail: { reason: 'token_reused' },
    });
    expect(body.data[0].address).toBe('127.0.0.1');
  });

  /** Whether the one replaced token of a session is good for a minute from when its successor was seen. */
  async function isGoodForAMinute(id: string): Promise<boolean> {
    const { rows } = await api.engine.pool.query<{ is: boolean }>(
      `select good_until between clock_timestamp() + interval '30 seconds'
                             and clock_timestamp() + interval '60 seconds' as is
         from session_tokens where good_until is not null and session_id = $1`,
      [toUuid('ses', id)],
    );
    expect(rows).toHaveLength(1);
    return rows[0]!.is;
  }

  test('that never was one ends nothing', async () => {
    const { cookie } = await signIn();
    const forged = cookie().replace(/=.*/, `=${'A'.repeat(40)}`);
    expect(await statusAt(api, forged)).toBe(401);
    expect(await statusAt(api, cookie())).toBe(200);
  });
});

test('a session that has ended makes no key, where a process still takes it', async () => {
  const { id, ask } = await signIn();
  expect((await ask('GET', '/v1/agents')).status).toBe(200);
  // Nobody tells the process.
  await set('Ada', 'ended_at = clock_timestamp()');
  const made = await ask('POST', '/v1/api_keys', { json: { name: 'heir', scopes: ['read'] } });
  expect(made).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  const { body } = await api.call('GET', '/v1/api_keys', { key: root });
  expect(body.data).toHaveLength(1);
  expect(id).toMatch(/^ses_/);
});
