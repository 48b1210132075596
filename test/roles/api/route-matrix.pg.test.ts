import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { ERROR_CATALOGUE } from '../../../src/errors.ts';
import { newId, toUuid } from '../../../src/ids.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { SCOPES, type NeededScope, type Scope } from '../../../src/platform/http/authorize.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { ROWS, type Row } from './route-rows.ts';
import { UNENDING, type RouteFixture } from './route-scene.ts';
import { codeIn, ROUTES, startApi, withoutRequestId, type Api, type Reply } from './api-setup.ts';

/**
 * Requests every route with every kind of key (OWASP API Security Top 10 2023: API1, 2, 3, 5, 8, 9). The expectations
 * derive from the route table; test/roles/api/route-rows.ts only adds the path of an existing resource. If one part of
 * the program makes a check for all routes, the short run distributes the cases among the routes (`inTurn`).
 */
let api: Api;
let fixture: RouteFixture;
/** One key for each single scope, and some invalid keys. */
const keys = {} as Record<Scope | 'foreign' | 'revoked' | 'expired', string>;
/** Strings that no read may return: keys and signing secrets. */
const secrets = new Set<string>();

beforeAll(async () => {
  // No delivery role runs, so no replay job ever ends.
  api = await startApi({ fetchers: UNENDING, limits: { ...DEFAULT_LIMITS, replayJobs: null } });
  for (const scope of SCOPES) keys[scope] = await api.newKey('default', [scope]);
  keys.foreign = await api.newKey('foreign');
  keys.revoked = await api.newKey('default');
  keys.expired = await api.newKey('default');
  await change(keys.revoked, 'revoked_at = clock_timestamp()');
  await change(keys.expired, `expires_at = clock_timestamp() - interval '1 second'`);
  for (const key of [api.key, ...Object.values(keys)]) secrets.add(key);
  fixture = {
    call: async (method, path, json) => {
      const reply = await api.call(method, path, json === undefined ? {} : { json });
      for (const name of ['secret', 'key', 'next_secret']) {
        const shown: unknown = reply.body?.[name];
        if (typeof shown === 'string') secrets.add(shown);
      }
      return reply;
    },
    eventually: (check) => api.engine.eventually(check),
  };
});

afterAll(() => api.stop());

/** Ends replay jobs. Without a delivery role, they would check forever, several times a second. */
const endReplays = () =>
  api.engine.pool.query(
    `update jobs set status = 'stopped', finished_at = clock_timestamp() where status = 'running'`,
  );

/** Changes the row of a key. The row is found by the key's prefix, because the stored hash does not allow a search. */
async function change(key: string, assignment: string): Promise<void> {
  const { rowCount } = await api.engine.pool.query(
    `update api_keys set ${assignment} where prefix = $1`,
    [key.slice(0, 15)],
  );
  expect(rowCount).toBe(1);
}

type Case = [name: string, route: Route, row: Row];
const cases = ROUTES.flatMap((route): Case[] => {
  const row = ROWS[route.operationId];
  return row ? [[`${route.method.toUpperCase()} ${route.path}`, route, row]] : [];
});
const withKey = cases.filter(([, { scope }]) => scope !== null);

/** Returns operations without a row, and rows without an operation. */
function differences(routes: readonly Pick<Route, 'operationId'>[]): string[] {
  const ids = routes.map(({ operationId }) => operationId);
  return [
    ...ids.filter((id) => !Object.hasOwn(ROWS, id)).map((id) => `no row: ${id}`),
    ...Object.keys(ROWS)
      .filter((id) => !ids.includes(id))
      .map((id) => `no route: ${id}`),
  ];
}

describe('the matrix', () => {
  test('has a row for every route, and no row for what is none', () => {
    expect(differences(ROUTES)).toEqual([]);
  });

  test('would be red for a route without a row', () => {
    expect(differences([...ROUTES, { operationId: 'inventSomething' }])).toContain(
      'no row: inventSomething',
    );
  });

  test('has the same operations as the document that is served', async () => {
    const { body } = await api.call('GET', '/v1/openapi.json', { key: null });
    type Paths = Record<string, Record<string, { operationId: string }>>;
    const served = Object.values(body.paths as Paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(served.toSorted()).toEqual(Object.keys(ROWS).toSorted());
  });

  test('needs read to read, publish to go live, replay to send again, keys for keys', () => {
    for (const { path, method, scope, operationId } of ROUTES) {
      expect({ operationId, scope }).toEqual({ operationId, scope: scopeOf(path, method) });
    }
  });
});

/** Derives the scope from the method and path alone, as a second opinion on each route's own scope. */
function scopeOf(path: string, method: string): NeededScope | null {
  if (path === '/v1/openapi.json') return null;
  if (path.startsWith('/v1/telephony/')) return null; // Carriers sign their requests.
  if (path.startsWith('/v1/widget/')) return null; // The origin of the page decides.
  if (path === '/v1/sessions') return method === 'post' ? null : 'keys';
  if (path === '/v1/me' || path.startsWith('/v1/sessions/')) return 'any';
  if (path.startsWith('/v1/api_keys')) return 'keys';
  if (path.startsWith('/v1/audit')) return 'keys';
  if (method === 'get') return 'read';
  if (path.endsWith('/reconcile')) return 'read'; // A read with a long list in its body.
  if (/\/(publish|rollback)$/.test(path)) return 'publish';
  if (path.includes('/rollout/') || path.endsWith('/recalls')) return 'publish';
  return /\/(replay|retry)$/.test(path) || path.startsWith('/v1/jobs') ? 'replay' : 'write';
}

/** Returns whether errors have OpenAI's format. OpenAI's clients expect 400, and send fields unknown to Parley. */
const isOpenAi = ({ errorShape }: Pick<Route, 'errorShape'>): boolean => errorShape === 'openai';

/** Paths of resources that were created for a route and have not been changed yet, by operationId. */
const unused = new Map<string, string>();

/** Returns the path that all rejected requests of a route share. The successful request then takes it from `unused`. */
async function unusedPath({ operationId }: Route, row: Row): Promise<string> {
  const path = unused.get(operationId) ?? (await row.path(fixture));
  unused.set(operationId, path);
  return path;
}

/** Takes the path that the rejected requests shared. */
async function takePath(route: Route, row: Row): Promise<string> {
  const path = await unusedPath(route, row);
  unused.delete(route.operationId);
  return path;
}

/** Body that the rejected requests of a route share. */
type Json = Record<string, unknown> | undefined;
const unusedJson = new Map<string, Json>();
async function sharedJson({ operationId }: Route, row: Row): Promise<Json> {
  if (typeof row.json !== 'function') return row.json;
  if (!unusedJson.has(operationId)) unusedJson.set(operationId, await row.json(fixture));
  return unusedJson.get(operationId);
}

/** Keys of `default`, one for each set of scopes. */
const keyOf = new Map<string, string>();
async function keyWith(scopes: readonly Scope[]): Promise<string> {
  const name = scopes.join();
  const key = keyOf.get(name) ?? (await api.newKey('default', scopes));
  keyOf.set(name, key);
  return key;
}

type Ask = { key?: string | null; path?: string; json?: Row['json'] };

/** Sends the request of a row with a valid body. */
async function ask(
  route: Route,
  row: Row,
  { key = api.key, path, json: body = row.json }: Ask,
): Promise<Reply> {
  const address = path ?? (await row.path(fixture));
  const method = route.method.toUpperCase();
  if (row.isStream) return begin(address, key);
  const json = typeof body === 'function' ? await body(fixture) : body;
  const reply = await api.call(method, address, {
    key,
    ...(json !== undefined && { json }),
    ...(row.raw && { body: row.raw.body, headers: { 'content-type': row.raw.type } }),
  });
  return reply;
}

/** Reads the head of an endless response. An error response is read completely. */
async function begin(path: string, key: string | null): Promise<Reply> {
  const gone = new AbortController();
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(api.url + path, { headers, signal: gone.signal });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? '' : await response.text();
  gone.abort();
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, body };
}

/**
 * Returns the values that a route tries: all of them at night, and otherwise one, in turn. Used for requests that one
 * part of the program rejects for all routes.
 */
function inTurn<T>({ operationId }: Route, all: readonly T[]): T[] {
  const turn = ROUTES.findIndex((route) => route.operationId === operationId);
  return all.filter((_, i) => IS_NIGHTLY || i === turn % all.length);
}

const takesJson = (route: Route, row: Row) => route.body !== undefined && row.raw === undefined;

/** Routes that can reject a request. Rejections run first and share a path and a body, which a later test uses. */
const tried = cases.filter(([, route, row]) => route.scope !== null || takesJson(route, row));

describe.each(tried)('%s', (_, route, row) => {
  afterAll(endReplays);
  if (route.path.includes('{id}')) testId(route, row);
  if (takesJson(route, row)) describe('its body', () => testBody(route, row));
  if (route.scope !== null) testKeys(route, row);
});

function testId(route: Route, row: Row): void {
  test('answers a foreign id, one that names nothing and what is none alike', async () => {
    const path = await unusedPath(route, row);
    const json = await sharedJson(route, row);
    const id = /\/([a-z]+_[0-9a-z]{26})(?=\/|$)/.exec(path)![1]!;
    const prefix = id.split('_')[0] as 'agt';
    expect(toUuid(prefix, id)).not.toBeNull();
    const foreign = await ask(route, row, { key: keys.foreign, path, json });
    expect({ status: foreign.status, code: foreign.body.code }).toEqual({
      status: 404,
      code: 'not_found',
    });
    const none = [newId('req' as 'agt'), 'x', `${prefix}_`, '%01', '..%2f'];
    const others = [newId(prefix), ...inTurn(route, none)];
    const asked = others.flatMap((other) =>
      [api.key, keys.foreign].map((key) => ({ key, json, path: path.replace(id, other) })),
    );
    for (const missing of await Promise.all(asked.map((one) => ask(route, row, one))))
      expect(withoutRequestId(missing)).toEqual(withoutRequestId(foreign));
  });
}

/** Fields that only the server may set. */
const FORGED = ['id', 'created', 'updated', 'namespace', 'status', 'ready', 'managed_by'];
const OTHERS = ['secret', 'active_version', 'version', 'key', 'scopes', 'reason', 'toString'];
const PROTOTYPE = ['__proto__', 'constructor', 'prototype'];

function testBody(route: Route, row: Row): void {
  const post = async (path: string, body: string): Promise<Reply> =>
    api.call(route.method.toUpperCase(), path, {
      body,
      headers: { 'content-type': 'application/json' },
    });

  test('may have no field that it does not know, nor one that changes what objects are', async () => {
    if (isOpenAi(route)) return; // These routes ignore such fields (test/conversations/completions).
    const path = await unusedPath(route, row);
    const known = (await sharedJson(route, row)) ?? {};
    const names =
      'shape' in route.body!.schema ? Object.keys(route.body!.schema.shape as object) : [];
    const forged = [...FORGED, ...OTHERS, ...PROTOTYPE].filter((name) => !names.includes(name));
    expect(forged.length).toBeGreaterThan(10);
    // Names that change prototypes are rejected before other fields are checked, so each one has its own body.
    const groups = [
      forged.filter((name) => !PROTOTYPE.includes(name)),
      ...PROTOTYPE.map((name) => [name]),
    ];
    const replies = groups.map(async (group) => {
      const polluted = group.map((name) => [name, { polluted: true }] as const);
      const members = Object.fromEntries([...Object.entries<unknown>(known), ...polluted]);
      const { status, body } = await post(path, JSON.stringify(members));
      const errors = (body.errors ?? []) as { pointer: string; code: string }[];
      const unknown = errors.filter(({ code }) => code === 'unknown_field');
      return { status, unknown: unknown.map(({ pointer }) => pointer).toSorted() };
    });
    expect(await Promise.all(replies)).toEqual(
      groups.map((group) => ({ status: 422, unknown: group.map((name) => `/${name}`).toSorted() })),
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    if (route.scope !== null) return; // A test below requests the same path with a key.
    expect((await ask(route, row, { path: await takePath(route, row) })).status).toBe(row.status);
  });

  test('is an object, and JSON', async () => {
    const path = await unusedPath(route, row);
    const wrong = isOpenAi(route) ? 400 : 422;
    const statusesOf = (texts: string[]) =>
      Promise.all(texts.map(async (text) => (await post(path, text)).status));
    const noObjects = inTurn(route, ['null', '[]', '[{}]', '"x"', '7', 'true']);
    expect(await statusesOf(noObjects)).toEqual(noObjects.map(() => wrong));
    const deep = `${'['.repeat(99)}${']'.repeat(99)}`;
    const noJson = inTurn(route, ['{', '{"a":1,}', '{"a":NaN}', deep]);
    expect(await statusesOf(noJson)).toEqual(noJson.map(() => 400));
    const typed = (type: string) =>
      api.call(route.method.toUpperCase(), path, { body: '{}', headers: { 'content-type': type } });
    for (const type of inTurn(route, ['text/plain', 'application/x-www-form-urlencoded']))
      expect((await typed(type)).status).toBe(415);
  });
}

function testKeys(route: Route, row: Row): void {
  test('is 401 without a key, and with one that is unknown, revoked or past its time', async () => {
    const path = await unusedPath(route, row);
    const json = await sharedJson(route, row);
    const bad = [null, ...inTurn(route, ['parley_unknown', keys.revoked, keys.expired])];
    for (const reply of await Promise.all(bad.map((key) => ask(route, row, { key, path, json })))) {
      const { status, headers } = reply;
      const code = isOpenAi(route) ? 'invalid_api_key' : 'unauthorized';
      expect({ status, code: codeIn(reply) }).toEqual({ status: 401, code });
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  test('is 403 for a key that lacks its scope and has all others, and names it', async () => {
    if (route.scope === 'any') return; // The session's owner decides (test/access/sessions.pg.test.ts).
    const others = SCOPES.filter((scope) => scope !== route.scope);
    const key = await keyWith(others);
    const path = await unusedPath(route, row);
    const json = await sharedJson(route, row);
    const alone = inTurn(route, others);
    const [reply, ...repliesToAlone] = await Promise.all(
      [key, ...alone.map((scope) => keys[scope])].map((one) =>
        ask(route, row, { key: one, path, json }),
      ),
    );
    const { status, body } = reply!;
    expect({ status, code: codeIn(reply!) }).toEqual({ status: 403, code: 'missing_scope' });
    expect(body.detail ?? body.error.message).toContain(`\`${String(route.scope)}\` scope`);
    // A key with only one other scope is rejected too.
    expect(repliesToAlone.map((one) => one.status)).toEqual(alone.map(() => 403));
  });

  test('works with a key of its scope alone', async () => {
    const scope = route.scope === 'any' ? 'keys' : route.scope!;
    // The requests that were rejected because of their ID, body or key have not changed the resource.
    const path = await takePath(route, row);
    expect((await ask(route, row, { key: keys[scope], path })).status).toBe(row.status);
  });

  test('works with a key of all scopes, as the table says', async () => {
    const refusals: number[] = route.errors.map((code) => ERROR_CATALOGUE[code].status);
    expect([...Object.keys(route.answers).map(Number), ...refusals]).toContain(row.status);
    // All routes check scopes in the same way, so the short run requests only one in four routes on a new resource.
    const isAsked = inTurn(route, [true, false, false, false]).includes(true);
    if (isAsked) expect((await ask(route, row, {})).status).toBe(row.status);
  });
}

const lists = cases.filter(([, { method, path }]) => method === 'get' && !path.includes('{'));

test.each(lists)('%s lists nothing of another namespace', async (_, route, row) => {
  if (row.isStream || route.scope === null) return;
  const { body } = await ask(route, row, { key: keys.foreign });
  const found = (body as { data?: { id: string }[] }).data;
  // The other namespace contains nothing except its own key.
  if (route.operationId === 'listApiKeys') expect(found).toHaveLength(1);
  else if (found !== undefined) expect(found).toEqual([]);
});

const withoutBody = withKey.filter(
  ([, { body, method }]) => body === undefined && method !== 'get',
);

describe.each(withoutBody)('%s, which reads no body', (_, route, row) => {
  test('refuses one that says something, and does nothing', async () => {
    const path = await row.path(fixture);
    const method = route.method.toUpperCase();
    const refused = await api.call(method, path, { json: { reason: 'busy' } });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'invalid_body', errors: [{ pointer: '/reason', code: 'unknown_field' }] },
    });
    expect((await api.call(method, path, { json: [1] })).status).toBe(422);
    const text = { body: 'busy', headers: { 'content-type': 'text/plain' } };
    expect((await api.call(method, path, text)).status).toBe(415);
    expect((await api.call(method, path, { json: {} })).status).toBe(row.status);
  });
});

describe('secrets', () => {
  test('are in no read, whatever is read', async () => {
    await fixture.call('POST', '/v1/webhooks', { url: 'https://example.com/secret' });
    const reads = cases.filter(([, { method }, { isStream }]) => method === 'get' && !isStream);
    expect(secrets.size).toBeGreaterThan(5);
    for (const [name, route, row] of reads) {
      const { text, headers } = await ask(route, row, {});
      const all = text + JSON.stringify([...headers]);
      const found = [...secrets].filter((secret) => all.includes(secret));
      expect({ name, found }).toEqual({ name, found: [] });
      const looksLikeOne = /whsec_[A-Za-z0-9+/]{32}|parley_[A-Za-z0-9_-]{30}/.test(all);
      expect({ name, looksLikeOne }).toEqual({ name, looksLikeOne: false });
      expect(all).not.toContain(Buffer.alloc(32, 1).toString('base64')); // test/roles/engine.ts
    }
  });
});
