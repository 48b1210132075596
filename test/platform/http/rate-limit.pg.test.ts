import { afterEach, describe, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** `RateLimit` headers and 429 (contract/limits.md#rate). */

let api: Api;
afterEach(() => api.stop());

const get = (key?: string | null): Promise<Reply> =>
  api.call('GET', '/v1/agents', key === undefined ? {} : { key });

const left = ({ headers }: Reply): number =>
  Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** A number of seconds. */
const WITHIN_A_MINUTE = /^([1-9]|[1-5]\d|60)$/;

describe('with a limit', () => {
  test('every answer to a key says what it has left, refusals too', async () => {
    api = await startApi({ operator: false, rateLimit: 10 });
    const replies = [
      await get(),
      await api.call('GET', '/v1/agents?no=1'),
      await api.call('POST', '/v1/agents', { json: {} }),
      await api.call('GET', '/v1/agents/x'),
      await get(await api.newKey('default', ['write'])),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 400, 422, 404, 403]);
    for (const { headers } of replies) {
      expect(headers.get('ratelimit-policy')).toBe('"default";q=10;w=60');
      expect(headers.get('ratelimit')).toMatch(/;t=([1-9]|[1-5]\d|60)$/);
    }
    expect(replies.map(left)).toEqual([9, 8, 7, 6, 9]);
  });

  test('one too many is 429, says when to come back, and does nothing', async () => {
    api = await startApi({ rateLimit: 3 });
    for (let i = 0; i < 3; i += 1) expect((await get()).status).toBe(200);
    const over = await api.call('POST', '/v1/agents', { json: { prompt: 'x' } });
    expect([over.status, over.body.code]).toEqual([429, 'rate_limited']);
    expect(over.headers.get('retry-after')).toMatch(WITHIN_A_MINUTE);
    expect(left(over)).toBe(0);
    const other = await get(await api.newKey('default'));
    expect([other.status, other.body.data]).toEqual([200, []]);
  });

  test('after twenty refusals at once the next one is answered a second later', async () => {
    api = await startApi({ operator: false, rateLimit: 1 });
    const time = holdTime();
    await get();
    for (let i = 0; i < 20; i += 1) expect((await get()).status).toBe(429);
    const late = get();
    await time.armed(1_000);
    await time.advance(1_000);
    expect((await late).status).toBe(429);
    time.release();
  });

  test('429 is not kept for an Idempotency-Key', async () => {
    api = await startApi({ rateLimit: 1 });
    const headers = { 'idempotency-key': 'mine' };
    const json = { prompt: 'x' };
    await get();
    expect((await api.call('POST', '/v1/agents', { headers, json })).status).toBe(429);
    const { rows } = await api.engine.pool.query('select 1 from idempotency_marks');
    expect(rows).toEqual([]);
  });

  test('wrong keys from one address become 429, and stop no valid one', async () => {
    api = await startApi({ operator: false, rateLimit: 5 });
    for (let i = 0; i < 5; i += 1) {
      const wrong = await get(i % 2 === 0 ? 'parley_wrong' : null);
      expect(wrong.status).toBe(401);
      expect(wrong.headers.get('ratelimit')).toBeNull();
    }
    const over = await get('parley_wrong');
    expect([over.status, over.body.code]).toEqual([429, 'rate_limited']);
    expect(over.headers.get('retry-after')).toMatch(WITHIN_A_MINUTE);
    expect((await get()).status).toBe(200);
  });

  test('what needs no key is not counted', async () => {
    api = await startApi({ operator: false, rateLimit: 1 });
    for (let i = 0; i < 3; i += 1) {
      const { status, headers } = await api.call('GET', '/v1/openapi.json');
      expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    }
  });
});

test('with 0 there is no limit and no header', async () => {
  api = await startApi({ operator: false, rateLimit: 0 });
  const replies = await Promise.all(Array.from({ length: 150 }, () => get('parley_wrong')));
  expect(replies.every(({ status }) => status === 401)).toBe(true);
  const { status, headers } = await get();
  expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([
    200,
    null,
    null,
  ]);
});
