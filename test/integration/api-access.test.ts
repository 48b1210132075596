import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newId } from '../../src/events/ids.ts';
import type { Scope } from '../../src/api/route.ts';
import { ROUTES, startApi, withoutRequestId, type Api } from './api-setup.ts';

let api: Api;
/** Paths of things in `default`, and the key of somebody else. */
let agent: string;
let webhook: string;
let event: string;
let delivery: string;
let foreignKey: string;

beforeAll(async () => {
  api = await startApi();
  foreignKey = await api.newKey('other');
  const json = { prompt: 'one' };
  agent = (await api.call('POST', '/v1/agents', { json })).headers.get('location')!;
  const made = await api.call('POST', '/v1/webhooks', { json: { url: 'https://example.com/' } });
  webhook = made.headers.get('location')!;
  const sent = await api.call('POST', `${webhook}/test`);
  event = `/v1/events/${sent.body.event_id}`;
  delivery = `/v1/deliveries/${sent.body.delivery_id}`;
});

afterAll(() => api.stop());

const withKey = ROUTES.filter(({ scope }) => scope !== null);
const cases = withKey.map(
  (route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const,
);

/** A route's path with ids of things that are there, in `default`. */
function existing(path: string): string {
  const things = { agents: agent, webhooks: webhook, events: event, deliveries: delivery };
  const [, kind] = /^\/v1\/(\w+)\/\{id\}/.exec(path) ?? [];
  const base = Object.entries(things).find(([name]) => name === kind)?.[1];
  return (base === undefined ? path : path.replace(/^\/v1\/\w+\/\{id\}/, base)).replaceAll(
    /\{\w+\}/g,
    '1',
  );
}

/** The least body a route takes. */
function bodyFor(path: string, method: string): { json?: unknown } {
  if (method === 'patch') return { json: {} };
  if (method !== 'post') return {};
  if (path === '/v1/agents') return { json: { prompt: 'x' } };
  return path === '/v1/webhooks' ? { json: { url: 'https://example.com' } } : {};
}

describe('who asks', () => {
  test.each(cases)(
    '%s without a key, with a wrong one or another scheme is 401',
    async (_, route) => {
      const path = existing(route.path);
      const method = route.method.toUpperCase();
      const headers = { authorization: 'Basic cGFybGV5Og==' };
      const replies = [
        await api.call(method, path, { key: null }),
        await api.call(method, path, { key: 'parley_wrong' }),
        await api.call(method, path, { key: 'x'.repeat(5_000) }),
        await api.call(method, path, { key: null, headers }),
      ];
      for (const { status, body, headers } of replies) {
        expect(status).toBe(401);
        expect(headers.get('www-authenticate')).toBe('Bearer');
        expect(body.code).toBe('unauthorized');
      }
    },
  );

  test.each(cases)('%s needs its scope and says which', async (_, route) => {
    const all: Scope[] = ['read', 'write', 'publish', 'replay', 'keys'];
    const others = all.filter((scope) => scope !== route.scope);
    const method = route.method.toUpperCase();
    const key = await api.newKey('default', others);
    const { status, body } = await api.call(method, existing(route.path), { key });
    expect(status).toBe(403);
    expect(body).toMatchObject({
      code: 'missing_scope',
      detail: expect.stringContaining(route.scope!),
    });
  });

  test('reading needs read, writing write, going live publish, sending again replay', () => {
    const scopes = Object.fromEntries(withKey.map((r) => [`${r.method} ${r.path}`, r.scope]));
    for (const [name, scope] of Object.entries(scopes)) {
      const expected = name.startsWith('get')
        ? 'read'
        : /\/(publish|rollback)$/.test(name)
          ? 'publish'
          : name.endsWith('/replay')
            ? 'replay'
            : 'write';
      expect([name, scope]).toEqual([name, expected]);
    }
  });

  test('a revoked key stops within about a second', async () => {
    const key = await api.newKey('revoked');
    expect((await api.call('GET', '/v1/agents', { key })).status).toBe(200);
    await api.engine.pool.query(
      `update api_keys set revoked_at = now() where namespace = 'revoked'`,
    );
    const gone = await api.engine.eventually(async () => {
      const { status } = await api.call('GET', '/v1/agents', { key });
      return status === 401;
    });
    expect(gone).toBe(true);
  });
});

describe('namespaces', () => {
  const inOne = cases.filter(([, { path }]) => path.includes('{id}'));

  test.each(inOne)(
    '%s answers the same 404 for a foreign id, an unknown one and what is none',
    async (_, route) => {
      const method = route.method.toUpperCase();
      const path = existing(route.path);
      const [, id = ''] = /\/v1\/\w+\/([^/]+)/.exec(path) ?? [];
      const [prefix] = id.split('_');
      const options = { key: foreignKey, ...bodyFor(route.path, route.method) };
      const foreign = await api.call(method, path, options);
      expect(foreign.status).toBe(404);
      // No id of the kind, of another kind, or not of this alphabet.
      for (const other of [
        newId(prefix as 'agt'),
        newId('job'),
        'x',
        `${prefix}_${'u'.repeat(26)}`,
        '%00',
      ]) {
        const reply = await api.call(method, path.replace(id, other), options);
        expect(withoutRequestId(reply)).toEqual(withoutRequestId(foreign));
      }
      const mine = await api.call('GET', path.split('/').slice(0, 4).join('/'));
      expect(mine.status).toBe(200);
    },
  );

  test.each(['/v1/agents', '/v1/webhooks', '/v1/events'])(
    '%s lists nothing of others',
    async (path) => {
      expect((await api.call('GET', path, { key: foreignKey })).body.data).toEqual([]);
      expect((await api.call('GET', path)).body.data.length).toBeGreaterThan(0);
    },
  );

  test('a replay cannot reach an endpoint of another namespace', async () => {
    const mine = await api.call('POST', '/v1/webhooks', {
      key: foreignKey,
      json: { url: 'https://example.com/' },
    });
    const json = { endpoint_id: mine.body.id };
    const { status } = await api.call('POST', `${event}/replay`, { json });
    expect(status).toBe(404);
  });
});
