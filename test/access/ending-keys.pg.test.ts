import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseEnd } from '../../src/commands/keys.ts';
import { holdTime } from '../clock.ts';
import { shiftTime } from '../platform/postgres/postgres.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';

/** Keys with an expiry (contract/api-keys.md#ending). */

let api: Api;
beforeAll(async () => {
  api = await startApi({ operator: false });
});
afterAll(() => api.stop());

const nowSec = (): number => Math.floor(Date.now() / 1_000);
const create = (json: object, key = api.key): Promise<Reply> =>
  api.call('POST', '/v1/api_keys', { key, json: { name: 'job', scopes: ['read'], ...json } });

test('it shows its end, in lists too, and works until then', async () => {
  const at = nowSec() + 3_600;
  const { status, body } = await create({ expires_at: at });
  expect([status, body.expires_at]).toEqual([201, at]);
  expect((await api.call('GET', '/v1/agents', { key: body.key })).status).toBe(200);
  const { data } = (await api.call('GET', '/v1/api_keys?limit=100')).body;
  expect(data).toContainEqual(expect.objectContaining({ id: body.id, expires_at: at }));
  const { data: lines } = (await api.call('GET', `/v1/audit_log?target=${body.id}`)).body;
  expect(lines[0].after).toMatchObject({ expires_at: at });
});

test('it is refused after its end, though it was in use', async () => {
  const time = holdTime();
  const { body } = await create({ expires_at: nowSec() + 3_600 });
  const status = async (): Promise<number> =>
    (await api.call('GET', '/v1/jobs', { key: body.key })).status;
  expect(await status()).toBe(200);
  await shiftTime(api.engine.pool, 3_590_000);
  await time.advance(500); // A key is remembered for half a second, or to its end (live-keys.pg.test.ts).
  expect(await status()).toBe(200);
  await shiftTime(api.engine.pool, 3_601_000);
  await time.advance(500);
  expect(await status()).toBe(401);
  await shiftTime(api.engine.pool, 0);
});

test.each([[0], [nowSec() - 1], [1.5], [253_402_300_800], ['2027-01-01'], [null]])(
  'an end of %j is 422, and there is no key',
  async (at) => {
    const { status, body } = await create({ name: 'wrong', expires_at: at });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ pointer: '/expires_at' }]);
    const { rows } = await api.engine.pool.query(`select 1 from api_keys where name = 'wrong'`);
    expect(rows).toEqual([]);
  },
);

test('it is no last key that stays: the one that has no end cannot be deleted beside it', async () => {
  const root = await api.newKey('ending');
  const { body } = await create({ scopes: ['keys'], expires_at: nowSec() + 60 }, root);
  const { data } = (await api.call('GET', '/v1/api_keys', { key: root })).body;
  const mine = data.find(({ id }: { id: string }) => id !== body.id);
  const refused = await api.call('DELETE', `/v1/api_keys/${mine.id}`, { key: root });
  expect(refused).toMatchObject({ status: 409, body: { code: 'last_key' } });
  expect((await api.call('DELETE', `/v1/api_keys/${body.id}`, { key: root })).status).toBe(204);
});

test('it is not rotated: that would be another end', async () => {
  const { body } = await create({ expires_at: nowSec() + 60 });
  const rotated = await api.call('POST', `/v1/api_keys/${body.id}/rotate`, { json: {} });
  expect(rotated).toMatchObject({ status: 409, body: { code: 'rotation_in_progress' } });
});

test('it makes no key that outlives it, by none of the ways', async () => {
  const root = await api.newKey('outliving');
  const at = nowSec() + 600;
  const own = (await create({ scopes: ['read', 'keys'], expires_at: at }, root)).body;
  const refused = {
    status: 422,
    body: { errors: [{ pointer: '/expires_at', detail: expect.stringContaining(String(at)) }] },
  };
  expect(await create({}, own.key)).toMatchObject(refused);
  expect(await create({ expires_at: at + 1 }, own.key)).toMatchObject(refused);
  const short = await create({ expires_at: at }, own.key);
  expect([short.status, short.body.expires_at]).toEqual([201, at]);
  // A rotation makes one without an end.
  const lasting = (await create({}, root)).body;
  const path = `/v1/api_keys/${lasting.id}`;
  const rotated = await api.call('POST', `${path}/rotate`, { key: own.key, json: {} });
  expect(rotated).toMatchObject({ status: 403, body: { code: 'missing_scope' } });
  expect((await api.call('GET', path, { key: root })).body.expires_at).toBeNull();
});

test('on the command line an end is a time from now, or a date', () => {
  const now = Date.UTC(2026, 10, 22);
  expect(parseEnd(undefined, now)).toBeNull();
  expect(parseEnd('90d', now)).toBe(now + 90 * 86_400_000);
  expect(parseEnd('12h', now)).toBe(now + 43_200_000);
  expect(parseEnd('2027-01-31', now)).toBe(Date.UTC(2027, 0, 31));
  expect(parseEnd('2027-01-31T12:00:00Z', now)).toBe(Date.UTC(2027, 0, 31, 12));
  for (const text of ['90', '0d', 'tomorrow', '2027-02-40', '2026-11-21', '-1d', '']) {
    expect(() => parseEnd(text, now)).toThrow('--expires');
  }
});
