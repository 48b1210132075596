import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type Api } from '../roles/api/api-setup.ts';

/** The actor that moved the live version, in the list and in the agent itself (contract/agents.md#activations). */
let api: Api;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api?.stop());

test('an agent says what made its version live: the last activation, and null before the first', async () => {
  const { call } = api;
  const post = async (path: string, json: object) => (await call('POST', path, { json })).body;
  const waiting = await post('/v1/agents', { prompt: 'Hi.', publish_policy: 'manual' });
  expect(waiting).toMatchObject({ active_version: null, activation: null });
  const made = await post('/v1/agents', { prompt: 'One.' });
  const path = `/v1/agents/${made.id}`;
  expect(made.activation).toEqual({
    action: 'published',
    from_version: null,
    actor: expect.stringMatching(/^api:key_/),
    reason: null,
    at: expect.any(Number),
  });
  await call('PATCH', path, { json: { prompt: 'Two.' } });
  expect((await call('GET', path)).body.activation).toMatchObject({
    action: 'published',
    from_version: 1,
  });
  const back = await post(`${path}/rollback`, { reason: 'It was rude.' });
  expect(back).toMatchObject({
    active_version: 1,
    activation: { action: 'rolled_back', from_version: 2, reason: 'It was rude.' },
  });
  const { body: log } = await call('GET', `${path}/activations?limit=1`);
  expect(log.data[0]).toMatchObject(back.activation);
  const { body: list } = await call('GET', '/v1/agents');
  expect(list.data.map(({ activation }: { activation: unknown }) => activation)).toEqual([
    back.activation,
    null,
  ]);
});
