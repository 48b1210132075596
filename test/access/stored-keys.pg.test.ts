import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import { startApi, type Api } from '../roles/api/api-setup.ts';

/** Only a hash of a key is stored (contract/authentication.md#keys), and an act is stored with its audit line. */
let api: Api;
beforeAll(async () => {
  api = await startApi({ operator: false });
});
afterAll(() => api.stop());

async function rowsOf(table: string): Promise<string[]> {
  const { rows } = await api.engine.pool.query<{ row: string }>(
    `select t::text as row from ${table} t order by 1`,
  );
  return rows.map(({ row }) => row);
}

test('of a key only its hash is stored, wherever one looks', async () => {
  const json = { name: 'secret', scopes: ['read'] };
  const headers = { 'idempotency-key': 'once' };
  const made = (await api.call('POST', '/v1/api_keys', { json, headers })).body;
  const rotated = (await api.call('POST', `/v1/api_keys/${made.id}/rotate`)).body;
  const { rows: tables } = await api.engine.pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['api_keys', 'audit_log']));
  for (const { name } of tables) {
    const all = (await rowsOf(name)).join('\n');
    for (const text of [made.key, rotated.key] as string[]) {
      const random = text.slice('parley_'.length + 8); // The first eight are shown, to know it by.
      const forms = [
        random,
        ...(['hex', 'base64'] as const).map((as) => Buffer.from(text).toString(as)),
      ];
      expect({ name, found: forms.filter((form) => all.includes(form)) }).toEqual({
        name,
        found: [],
      });
    }
  }
  const { rows } = await api.engine.pool.query('select hash from api_keys where id = $1', [
    toUuid('key', made.id),
  ]);
  expect(rows).toEqual([{ hash: createHash('sha256').update(made.key).digest() }]);
});

test('an act whose audit line cannot be written does not happen', async () => {
  const json = { name: 'x', scopes: ['read'] };
  const { body: key } = await api.call('POST', '/v1/api_keys', { json });
  const before = await rowsOf('api_keys');
  await api.engine.pool.query(
    `alter table audit_log add constraint refused check (action not like 'api_key.%') not valid`,
  );
  for (const [method, path, body] of [
    ['POST', '', json],
    ['POST', `/${key.id}/rotate`, {}],
    ['DELETE', `/${key.id}`, undefined],
  ] as const) {
    const options = body ? { json: body } : {};
    expect((await api.call(method, `/v1/api_keys${path}`, options)).status).toBe(500);
  }
  const used = (row: string): string => row.replaceAll(/"[^"]*"/g, ''); // Its times of use.
  expect((await rowsOf('api_keys')).map(used)).toEqual(before.map(used));
  await api.engine.pool.query('alter table audit_log drop constraint refused');
  expect((await api.call('DELETE', `/v1/api_keys/${key.id}`)).status).toBe(204);
});
