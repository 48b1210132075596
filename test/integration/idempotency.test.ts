import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApi, type Api } from './api-setup.ts';

let api: Api;
beforeAll(async () => { api = await startApi(); });
afterAll(() => api.stop());

test('works', async () => {
  const go = () => api.call('POST', '/v1/agents', { json: { prompt: 'x' }, headers: { 'idempotency-key': 'a' } });
  const one = await go();
  const two = await go();
  expect(two.text).toBe(one.text);
  expect(two.headers.get('idempotency-replayed')).toBe('true');
});
