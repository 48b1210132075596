import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type Api } from '../roles/api/api-setup.ts';

/** What route-matrix.pg.test.ts, which asks every route with every kind of key, does not say. */
let api: Api;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.stop());

describe('who asks', () => {
  test.each([
    ['another scheme', { authorization: 'Basic cGFybGV5Og==' }],
    ['a scheme alone', { authorization: 'Bearer' }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['two keys', { authorization: 'Bearer parley_a parley_b' }],
    ['a key of 5,000 characters', { authorization: `Bearer ${'x'.repeat(5_000)}` }],
    ['a key in another header', { 'x-api-key': 'parley_a' }],
  ])('%s is 401', async (_, headers) => {
    const reply = await api.call('GET', '/v1/agents', { key: null, headers });
    expect(reply).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(reply.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('a key is never taken from the query', async () => {
    for (const name of ['key', 'api_key', 'access_token']) {
      const { status } = await api.call('GET', `/v1/agents?${name}=${api.key}`, { key: null });
      expect({ name, status }).toEqual({ name, status: 401 });
    }
  });
});

test('what a body names in another namespace is not there', async () => {
  const foreignKey = await api.newKey('other');
  const endpoint = await api.call('POST', '/v1/webhooks', {
    key: foreignKey,
    json: { url: 'https://example.com/' },
  });
  const mine = await api.call('POST', '/v1/webhooks', { json: { url: 'https://example.com/' } });
  const sent = await api.call('POST', `${mine.headers.get('location')}/test`);
  const json = { endpoint_id: endpoint.body.id };
  const replay = await api.call('POST', `/v1/events/${sent.body.event_id}/replay`, { json });
  expect(replay.status).toBe(404);

  const agent = await api.call('POST', '/v1/agents', { key: foreignKey, json: { prompt: 'x' } });
  const agent_id = agent.body.id;
  for (const [path, more] of [
    ['/v1/conversations', {}],
    ['/v1/calls', { to: '+442071838750' }],
  ] as const) {
    const { status, body } = await api.call('POST', path, { json: { agent_id, ...more } });
    const missing = await api.call('POST', path, {
      json: { agent_id: 'agt_01jdn0wzave008001tbgfjpkbe', ...more },
    });
    expect({ path, status, errors: body.errors }).toEqual({
      path,
      status: 422,
      errors: missing.body.errors,
    });
  }
  const query = `agent_id=${agent_id}`;
  for (const path of ['/v1/events', '/v1/conversations', '/v1/calls', '/v1/escalations']) {
    const { status, body } = await api.call('GET', `${path}?${query}`);
    expect({ path, status, data: body.data }).toEqual({ path, status: 200, data: [] });
  }
});
