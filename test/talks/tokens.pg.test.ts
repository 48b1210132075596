import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { epochMs } from '../../src/clock.ts';
import { openTalkToken } from '../../src/talks/talk-token.ts';
import { holdTime } from '../clock.ts';
import { ORIGIN, startTalkFixture, type TalkFixture } from './talk-setup.ts';

/** Who is given a token, and what is in it. */

let talks: TalkFixture;
beforeAll(async () => {
  talks = await startTalkFixture();
});
afterAll(() => talks?.stop());

const inside = (token: string) => openTalkToken(talks.api.engine.sealer, token);

async function newAgent(more: object): Promise<string> {
  const made = await talks.api.call('POST', '/v1/agents', { json: { prompt: 'Sell.', ...more } });
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  return made.body.id;
}

describe('a page', () => {
  test('of an allowed origin is given one, for that origin and no user', async () => {
    const { body } = await talks.widgetToken();
    expect(inside(body.token)).toMatchObject({
      by: 'widget',
      namespace: 'default',
      origin: ORIGIN,
      userId: null,
      test: false,
      version: null,
    });
  });

  test('that embeds it on another site is given none', async () => {
    const refused = await talks.widgetToken({ origin: 'https://evil.example.com' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
  });

  test.each([
    ['the same host by http', 'http://shop.example.com'],
    ['the same host with a port', 'https://shop.example.com:8443'],
    ['a host that begins so', 'https://shop.example.com.evil.example'],
    ['a file', 'null'],
    ['no browser', null],
  ])('of %s is refused', async (_, origin) => {
    const refused = await talks.widgetToken({ origin });
    expect(refused).toMatchObject({ status: 403, body: { code: 'origin_not_allowed' } });
    // Whoever embeds it reads why.
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('nobody finds out which agents there are', async () => {
    const silent = await newAgent({ name: 'silent' });
    const gone = await newAgent({ name: 'gone', widget: { allowed_origins: [ORIGIN] } });
    await talks.api.call('DELETE', `/v1/agents/${gone}`);
    await talks.api.engine.eventually(async () => {
      return (await talks.api.call('GET', `/v1/agents/${gone}`)).status === 404;
    });
    const never = 'agt_01jdn0wzave008001tbgfjpkbe';
    const answers = await Promise.all(
      [silent, gone, never].map(async (agentId) => {
        const { status, body } = await talks.widgetToken({ agentId });
        return { status, ...body, request_id: '' };
      }),
    );
    expect(answers[0]).toMatchObject({ status: 403, code: 'origin_not_allowed' });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('of an agent of which nothing is live is told so', async () => {
    const agentId = await newAgent({
      publish_policy: 'manual',
      widget: { allowed_origins: [ORIGIN] },
    });
    expect(await talks.widgetToken({ agentId })).toMatchObject({
      status: 409,
      body: { code: 'not_published' },
    });
  });

  test('asks before it calls, and may, whatever the CORS setting says', async () => {
    const asked = await talks.api.call('OPTIONS', '/v1/widget/tokens', {
      key: null,
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(asked.headers.get('access-control-allow-methods')).toBe('POST');
    expect(asked.headers.get('access-control-allow-headers')).toBe('Content-Type');
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    expect(asked.headers.get('vary')).toMatch(/origin/i);
    const other = await talks.api.call('OPTIONS', '/v1/agents', {
      key: null,
      headers: { origin: ORIGIN, 'access-control-request-method': 'POST' },
    });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('that asks too often is told to wait, and others are not', async () => {
    const agentId = await newAgent({ widget: { allowed_origins: [ORIGIN], max_concurrent: 3 } });
    const ask = async () => (await talks.widgetToken({ agentId })).status;
    expect([await ask(), await ask(), await ask()]).toEqual([201, 201, 201]);
    const late = await talks.widgetToken({ agentId });
    expect(late).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(late.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await talks.widgetToken()).status).toBe(201);
  });
});

test('a provider that is missing is named by the agent, and its page has no voice', async () => {
  const spoken = { voice: { provider: 'speech' }, transcriber: { provider: 'nosuch' } };
  const id = await newAgent({ name: 'lost-voice', ...spoken });
  const why = 'ModelProvider "nosuch" does not exist in this namespace';
  const read = await talks.read(`/v1/agents/${id}`);
  const [listed] = (await talks.read('/v1/agents?name=lost-voice')).data;
  const json = { display_name: 'Lost' };
  const patched = (await talks.api.call('PATCH', `/v1/agents/${id}`, { json })).body;
  for (const agent of [read, listed, patched]) expect(agent.status_message).toContain(why);
  const tokens = `/v1/agents/${id}/talk_tokens`;
  const { body } = await talks.api.call('POST', tokens, { json: {} });
  expect(body.modes).toEqual(['chat']);
});

describe('a server', () => {
  test('says who the visitor is, and for how long', async () => {
    holdTime();
    const { status, body } = await talks.talkToken({
      user_id: 'u_7',
      variables: { name: 'Ana' },
      metadata: { plan: 'gold' },
      origin: 'http://localhost:3000',
      ttl_sec: 60,
    });
    expect(status).toBe(201);
    expect(inside(body.token)).toMatchObject({
      by: 'server',
      origin: 'http://localhost:3000',
      userId: 'u_7',
      variables: { name: 'Ana' },
      metadata: { plan: 'gold' },
    });
    expect(body.expires_at).toBe(Math.floor(epochMs() / 1_000) + 60);
  });

  test('needs to say nothing', async () => {
    const { status, body } = await talks.talkToken();
    expect(status).toBe(201);
    expect(inside(body.token)).toMatchObject({ by: 'server', origin: null, userId: null });
  });

  test.each([
    ['no origin', { origin: 'https://shop.example.com/path' }, '/origin'],
    ['too short', { ttl_sec: 59 }, '/ttl_sec'],
    ['too long', { ttl_sec: 3_601 }, '/ttl_sec'],
    ['unknown', { users: 1 }, '/users'],
    ['too much for a token', { variables: { all: 'x'.repeat(40_000) } }, '/variables'],
  ])('is told what is wrong: %s', async (_, json, pointer) => {
    const { status, body } = await talks.talkToken(json);
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  test('tries out what was never live in tests alone', async () => {
    const path = `/v1/agents/${talks.agentId}`;
    await talks.api.call('PATCH', path, { json: { publish_policy: 'manual' } });
    await talks.api.call('PATCH', path, { json: { prompt: 'Sell more.' } });
    expect(await talks.talkToken({ version: 2 })).toMatchObject({
      status: 422,
      body: { code: 'unknown_version' },
    });
    expect(await talks.talkToken({ version: 2, test: true })).toMatchObject({ status: 201 });
    expect(await talks.talkToken({ version: 99, test: true })).toMatchObject({ status: 422 });
    await talks.api.call('PATCH', path, { json: { publish_policy: 'automatic' } });
  });

  test('of another namespace has no such agent', async () => {
    const key = await talks.api.newKey('other');
    expect(await talks.talkToken({}, { key })).toMatchObject({ status: 404 });
    const reader = await talks.api.newKey('default', ['read']);
    expect(await talks.talkToken({}, { key: reader })).toMatchObject({ status: 403 });
  });
});

test('widget is no content: allowing an origin makes no version', async () => {
  const path = `/v1/agents/${talks.agentId}`;
  const before = await talks.read(path);
  expect(before.widget).toEqual({ allowed_origins: [ORIGIN] });
  const widget = { allowed_origins: [ORIGIN, 'http://localhost:5173'], max_concurrent: 7 };
  const { body } = await talks.api.call('PATCH', path, { json: { widget } });
  expect(body).toMatchObject({ widget, latest_version: before.latest_version });
  await talks.api.call('PATCH', path, { json: { widget: { max_concurrent: null } } });
});

test.each([
  'http://shop.example.com',
  'https://shop.example.com/',
  'https://Shop.example.com',
  'https://*',
  'https://*.com',
  'https://*.168.1.10',
  'https://shop.*.example.com',
  'https://a*.example.com',
  'http://*.example.com',
  'capacitor://*',
  'capacitor://localhost/',
  'capacitor:localhost',
  'chrome-extension://',
  'https://shop.example.com:0',
  '*',
  'null',
])('%s is no origin to allow', async (origin) => {
  const { status, body } = await talks.api.call('PATCH', `/v1/agents/${talks.agentId}`, {
    json: { widget: { allowed_origins: [origin] } },
  });
  expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/widget/allowed_origins/0']);
});

test('pages of apps, extensions and previews get a token where their origin is allowed', async () => {
  const allowed = [
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'http://tauri.localhost',
    'app://-',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'safari-web-extension://E1B2C3D4-0000-4000-8000-00000000ABCD',
    'https://[2001:db8::1]:8443',
    'https://*.preview.example.com:8443',
  ];
  const agentId = await newAgent({ name: 'in-apps', widget: { allowed_origins: allowed } });
  const asked = async (origin: string): Promise<number> =>
    (await talks.widgetToken({ agentId, origin })).status;
  for (const origin of allowed.slice(0, -1))
    expect([origin, await asked(origin)]).toEqual([origin, 201]);
  expect(await asked('https://pr-7.preview.example.com:8443')).toBe(201);
  expect(await asked('https://a.b.preview.example.com:8443')).toBe(403);
  expect(await asked('null')).toBe(403);
});

test('a token of a server is bound to one origin, never to a star', async () => {
  const starred = await talks.talkToken({ origin: 'https://*.preview.example.com' });
  expect([starred.status, starred.body.errors?.[0]?.pointer]).toEqual([422, '/origin']);
  expect((await talks.talkToken({ origin: 'capacitor://localhost' })).status).toBe(201);
});

test('no call is placed by it, and the reason is told', async () => {
  const json = { agent_id: talks.agentId, provider: 'web_voice', to: '+442071838750' };
  const { status, body } = await talks.api.call('POST', '/v1/calls', { json });
  expect(status).toBe(422);
  expect(body.errors.map(({ detail }: { detail: string }) => detail).join()).toContain(
    'only a visitor to a web page can start such a call',
  );
});
