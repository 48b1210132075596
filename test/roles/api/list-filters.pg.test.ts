import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { startApi, type Api } from './api-setup.ts';

/**
 * Lists have filters that are named after fields, and pages with the newest entry first (contract/pagination.md#lists).
 */

let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());

/** Returns the names on all pages, with one item per page. */
async function names(path: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const separator = path.includes('?') ? '&' : '?';
    const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { status, body } = await api.call('GET', `${path}${separator}limit=1${at}`);
    expect(status).toBe(200);
    found.push(...body.data.map((item: { name: string }) => item.name));
    cursor = body.next_cursor;
  }
  return found;
}

describe('agents', () => {
  beforeAll(async () => {
    const { engine, call } = api;
    for (const name of ['mine-1', 'mine-2']) {
      await call('POST', '/v1/agents', { json: { name, prompt: 'x' } });
    }
    await engine.declareAgent('theirs', { prompt: 'x' });
    await engine.declareAgent('lost', {
      promptFrom: { configMapKeyRef: { name: 'nowhere', key: 'x' } },
    });
    for (const name of ['theirs', 'lost']) await engine.settled('Agent', name);
    const key = await api.newKey('elsewhere');
    for (const name of ['p', 'q']) {
      const json = { name, base_url: 'http://127.0.0.1:1/v1' };
      expect((await call('POST', '/v1/model_providers', { key, json })).status).toBe(201);
    }
    const declared: [string, Record<string, unknown>][] = [
      ['by-model', { model: { provider: 'p', name: 'other' } }],
      ['by-fallback', { model: { provider: 'q', fallback: [{ name: 'm' }, { provider: 'p' }] } }],
      ['by-judgement', { judgement: { by: 'model', model: { provider: 'p' } } }],
      ['by-voice', { voice: { provider: 'p' } }],
      ['by-transcriber', { transcriber: { fallback: [{ provider: 'p' }] } }],
      ['by-metadata', { metadata: { provider: 'p' }, model: { provider: 'q', name: 'p' } }],
    ];
    for (const [name, spec] of declared) {
      const made = await call('POST', '/v1/agents', { key, json: { name, prompt: 'x', ...spec } });
      expect(made.status).toBe(201);
    }
  });

  test.each([
    ['p', ['by-fallback', 'by-judgement', 'by-model', 'by-transcriber', 'by-voice']],
    ['q', ['by-fallback', 'by-metadata']],
    ['other', []],
  ])('?model_provider=%s', async (provider, expected) => {
    const key = await api.newKey('elsewhere');
    const path = `/v1/agents?model_provider=${provider}`;
    const { body } = await api.call('GET', path, { key });
    expect(body.data.map(({ name }: { name: string }) => name).toSorted()).toEqual(expected);
    expect((await api.call('GET', path)).body.data).toEqual([]);
  });

  test.each([
    ['', ['lost', 'mine-1', 'mine-2', 'theirs']],
    ['?name=mine-1', ['mine-1']],
    ['?name=nobody', []],
    ['?managed_by=api', ['mine-1', 'mine-2']],
    ['?managed_by=kubernetes', ['lost', 'theirs']],
    ['?managed_by=file', []],
    ['?ready=true', ['mine-1', 'mine-2', 'theirs']],
    ['?ready=false', ['lost']],
    ['?ready=true&managed_by=kubernetes', ['theirs']],
  ])('%s', async (query, expected) => {
    expect((await names(`/v1/agents${query}`)).toSorted()).toEqual(expected);
  });

  test('newest first, filtered or not', async () => {
    expect(await names('/v1/agents?managed_by=api')).toEqual(['mine-2', 'mine-1']);
  });

  test.each(['?ready=yes', '?ready=', '?managed_by=me', '?name=a&name=b', '?prompt=x'])(
    '%s is 400',
    async (query) => {
      expect((await api.call('GET', `/v1/agents${query}`)).status).toBe(400);
    },
  );
});

describe('webhook endpoints', () => {
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    for (const [what, enabled] of [
      ['fresh', true],
      ['fine', true],
      ['failing', true],
      ['off', false],
      ['off-failing', false],
    ] as const) {
      const json = { url: `https://example.com/${what}`, enabled };
      ids[(await api.call('POST', '/v1/webhooks', { json })).body.name] = what;
    }
    await api.engine.pool.query(
      `insert into endpoint_health (endpoint_id, last_success_at, last_failure_at, last_failure)
       select id, case when url like '%/fine' then now() end,
              now() - interval '1 minute', $1
         from webhook_endpoints where url not like '%/fresh' and url not like '%/off'
       on conflict (endpoint_id) do nothing`,
      [{ delivery_id: newUuid(), status_code: 500, error_class: 'http_status' }],
    );
  });

  test.each([
    ['', ['failing', 'fine', 'fresh', 'off', 'off-failing']],
    ['?status=healthy', ['fine', 'fresh']],
    ['?status=failing', ['failing']],
    ['?status=disabled', ['off', 'off-failing']],
    ['?enabled=true', ['failing', 'fine', 'fresh']],
    ['?enabled=false', ['off', 'off-failing']],
    ['?enabled=false&status=failing', []],
  ])('%s', async (query, expected) => {
    const found = await names(`/v1/webhooks${query}`);
    expect(found.map((name) => String(ids[name])).toSorted()).toEqual(expected);
  });

  test('what the filter says is what the endpoints say', async () => {
    for (const status of ['healthy', 'failing', 'disabled']) {
      const { data } = (await api.call('GET', `/v1/webhooks?status=${status}`)).body;
      expect(data.length).toBeGreaterThan(0);
      for (const endpoint of data) expect(endpoint.status).toBe(status);
    }
  });

  test.each(['?status=sick', '?enabled=1'])('%s is 400', async (query) => {
    expect((await api.call('GET', `/v1/webhooks${query}`)).status).toBe(400);
  });
});

describe('browsers of other sites', () => {
  const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };

  test.each([
    ['OPTIONS', '/v1/agents', 405],
    ['GET', '/v1/agents', 200],
    ['GET', '/v1/openapi.json', 200],
  ])('%s %s allows them nothing', async (method, path, status) => {
    const reply = await api.call(method, path, { headers });
    expect(reply.status).toBe(status);
    const allowing = [...reply.headers.keys()].filter((name) => name.startsWith('access-control'));
    expect(allowing).toEqual([]);
  });
});

test('HEAD has the headers of GET, the tag and the limit among them', async () => {
  const limited = await startApi({ rateLimit: 100 });
  const made = await limited.call('POST', '/v1/agents', { json: { prompt: 'x' } });
  const path = made.headers.get('location')!;
  const get = await limited.call('GET', path);
  const head = await limited.call('HEAD', path);
  expect([head.status, head.text]).toEqual([200, '']);
  for (const name of ['etag', 'content-type', 'content-length', 'ratelimit-policy']) {
    expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  }
  expect(head.headers.get('ratelimit')).toMatch(/^"default";r=97;/);
  await limited.stop();
});
