import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../roles/api/api-setup.ts';
import { rawRequest, type RawReply } from './raw-request.ts';

/** The cookie of a session, and the requests in which it counts (contract/authentication.md#cookie). */

let api: Api;
/** Where it listens, as a browser writes it. */
let host: string;
const BASE = 'https://parley.example';
const FRIEND = 'https://app.example';

beforeAll(async () => {
  api = await startApi({ baseUrl: `${BASE}/below`, corsOrigins: [FRIEND] });
  host = new URL(api.url).host;
});
afterAll(() => api.stop());

type Headers = Record<string, string>;

function signIn(headers: Headers, body: object = { api_key: api.key, name: 'Ada' }) {
  return rawRequest(api.url, {
    method: 'POST',
    path: '/v1/sessions',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const portOf = (name: string): string => name.split(':').at(-1)!;

describe('the cookie', () => {
  test.each([
    ['https, by the name the browser sends', 'https://p.example', 'p.example'],
    ['https, with a port', 'https://p.example:8443', 'p.example:8443'],
    ['https, its own port named', 'https://p.example', 'p.example:443'],
    ['https, behind a proxy that changes Host', BASE, 'parley-api:8080'],
    ['https on this machine', 'https://localhost', 'localhost'],
  ])('over %s is __Host-, Secure and for this host alone', async (_, origin, named) => {
    const { status, cookies } = await signIn({ host: named, origin });
    expect(status).toBe(201);
    expect(cookies).toEqual([
      expect.stringMatching(
        /^__Host-parley_session=[\w-]{40}; Secure; HttpOnly; SameSite=Strict; Path=\/$/,
      ),
    ]);
  });

  test.each(['127.0.0.1:8080', '127.9.9.9:80', '[::1]:8080', 'localhost', 'a.localhost:3000'])(
    'over http on loopback (%s) is HttpOnly and strict, and has the port',
    async (named) => {
      const { origin, port } = new URL(`http://${named}`);
      const { status, cookies } = await signIn({ host: named, origin });
      expect(status).toBe(201);
      expect(cookies).toHaveLength(1);
      const [cookie = ''] = cookies;
      expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/$/);
      expect(cookie.startsWith(`parley_session_${port || '80'}=`)).toBe(true);
      expect(cookie).not.toMatch(/Secure|Domain/i);
    },
  );

  test.each([
    'p.example',
    '10.0.0.7:8080',
    'localhost.p.example',
    '127.0.0.1.p.example',
    'localhost.',
    '[::2]:8080',
  ])('over http elsewhere (%s) there is none: it says https is needed', async (named) => {
    const { origin } = new URL(`http://${named}`);
    const { status, body, cookies } = await signIn({ host: named, origin });
    expect({ status, code: body.code, cookies }).toEqual({
      status: 403,
      code: 'https_required',
      cookies: [],
    });
    expect(body.detail).toContain('https');
  });

  test('without https it is not taken elsewhere than on loopback, where anybody could have set it', async () => {
    const { cookies } = await signIn({ host, origin: `http://${host}` });
    const cookie = cookies[0]!.split(';')[0]!;
    const named = cookie.replace(`_${portOf(host)}=`, '_80=');
    const at = async (name: string, sent: string): Promise<number> =>
      (await rawRequest(api.url, { path: '/v1/me', headers: { host: name, cookie: sent } })).status;
    expect(await at(host, cookie)).toBe(200);
    expect(await at('p.example', named)).toBe(401);
    expect(await at(`p.example:${portOf(host)}`, cookie)).toBe(401);
    expect(await at('localhost:1', cookie)).toBe(401);
    // There twice: one of them is not ours.
    expect(await at(host, `${cookie}; ${cookie.split('=')[0]}=x`)).toBe(401);
    // Beside others, and one over https that is none of ours.
    expect(await at(host, `a=b; __Host-parley_session=${'x'.repeat(40)}; ${cookie}`)).toBe(200);
  });
});

describe('a page that signs in', () => {
  test.each([
    ['names no origin', {}],
    ['has none', { origin: 'null' }],
    ['is of another site', { origin: 'https://evil.example' }],
    ['is of another port', { origin: 'http://127.0.0.1:1' }],
    ['is of another scheme', { origin: 'ftp://127.0.0.1' }],
    ['is of an origin that CORS allows', { origin: FRIEND }],
    ['is of no origin but a path', { origin: `${BASE}/below` }],
    ['has another site in front', { 'sec-fetch-site': 'cross-site' }],
    ['has a neighbour in front', { 'sec-fetch-site': 'same-site' }],
    ['is nobody', { 'sec-fetch-site': 'none' }],
  ])('and %s is refused, before its key is looked at', async (_, headers: Headers) => {
    const own: Headers = 'sec-fetch-site' in headers ? { origin: `http://${host}` } : {};
    const reply = await signIn({ host, ...own, ...headers }, { api_key: 'wrong', name: 'Ada' });
    expect({ status: reply.status, code: reply.body.code, cookies: reply.cookies }).toEqual({
      status: 403,
      code: 'foreign_origin',
      cookies: [],
    });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'cannot be a form (%s)',
    async (type) => {
      const reply = await signIn({ host, origin: `http://${host}`, 'content-type': type });
      expect(reply.status).toBe(415);
    },
  );
});

/** What browsers say of who asks; as what it is to be taken. */
const SAYINGS: [name: string, headers: () => Headers, may: 'all' | 'read' | 'nothing'][] = [
  ['our page', () => ({ origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }), 'all'],
  ['our page, in an old browser', () => ({ origin: `http://${host}` }), 'all'],
  ['our page, which reads', () => ({ 'sec-fetch-site': 'same-origin' }), 'read'],
  ['nothing is said', () => ({}), 'read'],
  ['a person, who typed it', () => ({ 'sec-fetch-site': 'none' }), 'read'],
  ['our origin, but typed', () => ({ origin: `http://${host}`, 'sec-fetch-site': 'none' }), 'read'],
  ['another site', () => ({ 'sec-fetch-site': 'cross-site' }), 'nothing'],
  ['a neighbour', () => ({ 'sec-fetch-site': 'same-site' }), 'nothing'],
  ['what no browser says', () => ({ 'sec-fetch-site': 'x' }), 'nothing'],
  ['another site that says it is ours', () => ({ origin: 'https://evil.example' }), 'nothing'],
  ['no origin', () => ({ origin: 'null' }), 'nothing'],
  ['another port', () => ({ origin: 'http://127.0.0.1:1' }), 'nothing'],
  [
    'another port, of the same site',
    () => ({ origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }),
    'nothing',
  ],
  ['one that CORS allows', () => ({ origin: FRIEND, 'sec-fetch-site': 'cross-site' }), 'nothing'],
  [
    'ours by its Host, from elsewhere',
    () => ({ origin: `http://${host}`, 'sec-fetch-site': 'cross-site' }),
    'nothing',
  ],
];

describe.each(SAYINGS)('a request with the cookie from %s', (_, says, may) => {
  let cookie: string;
  beforeAll(async () => {
    const { cookies } = await signIn({ host, origin: `http://${host}` });
    cookie = cookies[0]!.split(';')[0]!;
  });
  const send = (
    method: string,
    path: string,
    more: Headers = {},
    body?: string,
  ): Promise<RawReply> =>
    rawRequest(api.url, {
      method,
      path,
      headers: { host, cookie, ...says(), ...more },
      ...(body !== undefined && { body }),
    });

  test(`may do ${may}`, async () => {
    const json = { 'content-type': 'application/json' };
    const agent = await api.call('POST', '/v1/agents', { json: { prompt: 'x' } });
    const path = `/v1/agents/${agent.body.id}`;
    const expected = (isRead: boolean, done: number): number =>
      may === 'all' || (may === 'read' && isRead) ? done : 401;
    const seen = {
      get: (await send('GET', path)).status,
      head: (await send('HEAD', path)).status,
      post: (await send('POST', '/v1/agents', json, '{"prompt":"x"}')).status,
      patch: (await send('PATCH', path, json, '{"prompt":"y"}')).status,
      delete: (await send('DELETE', path)).status,
    };
    expect(seen).toEqual({
      get: expected(true, 200),
      head: expected(true, 200),
      post: expected(false, 201),
      patch: expected(false, 200),
      delete: expected(false, 204),
    });
  });

  test('cannot send a form', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const { status } = await send(
        'POST',
        '/v1/agents',
        { 'content-type': type },
        '{"prompt":"x"}',
      );
      expect(status).toBe(may === 'all' ? 415 : 401);
    }
  });

  test('is never told that another origin may have the answer with credentials', async () => {
    const { headers } = await send('GET', '/v1/agents');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });
});

test('with Authorization no cookie counts, neither for nor against it', async () => {
  const { cookies } = await signIn({ host, origin: `http://${host}` });
  const cookie = cookies[0]!.split(';')[0]!;
  const ask = async (authorization: string): Promise<RawReply> =>
    rawRequest(api.url, { path: '/v1/me', headers: { host, cookie, authorization } });
  expect((await ask('Bearer parley_wrong')).status).toBe(401);
  expect((await ask('Basic eDp5')).status).toBe(401);
  const { body } = await ask(`Bearer ${api.key}`);
  expect(body).toMatchObject({
    actor: expect.stringMatching(/^api:key_/),
    session: null,
    name: null,
  });
});

test('no page of another site shows one of ours in a frame, and nothing redirects', async () => {
  for (const path of ['/', '/docs', '/v1/me', '/v1/sessions', '/?next=https://evil.example']) {
    const { status, headers } = await rawRequest(api.url, { path, headers: { host } });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBeDefined();
    expect(headers['location']).toBeUndefined();
    expect([200, 401]).toContain(status);
  }
});
