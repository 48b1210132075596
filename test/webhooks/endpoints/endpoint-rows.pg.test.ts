import { expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import {
  adoptRestHeaders,
  deleteUndeclared,
  insertUndeclared,
  listNotCopied,
  lockSealedEndpoint,
  updateRestHeaders,
} from '../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { minutesAgo, useRows, type Columns } from '../../platform/postgres/rows.ts';

/** Each statement about the secrets of endpoints, with rows that differ in one part from the row that it is for. */

const stored = useRows('webhook_endpoints');

const bytes = (value: number): Buffer => Buffer.alloc(1, value);
const [OLD, NEW] = [bytes(1), bytes(2)];

async function addEndpoint(columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const key = { id, namespace: 'default', name: `e-${id}`, uid: id, generation: 1 };
  const spec = { managed_by: 'api', url: 'https://example.com/', event_types: [], metadata: {} };
  const row = { ...key, ...spec, description: '', enabled: true, headers: {}, ...columns };
  await stored.add('webhook_endpoints', row);
  return id;
}

const endpointOf = async (id: string): Promise<Columns> =>
  (await stored.rowOf('webhook_endpoints', id))!;

test('headers that were found elsewhere are adopted where there are none, by that endpoint alone', async () => {
  const [empty, own, other] = [
    await addEndpoint(),
    await addEndpoint({ rest_headers: OLD }),
    await addEndpoint(),
  ];
  for (const id of [empty, own]) {
    await adoptRestHeaders(stored.pool, { id, sealed: NEW, names: ['x-key'] });
  }
  expect(await endpointOf(empty)).toMatchObject({
    rest_headers: NEW,
    rest_header_names: ['x-key'],
  });
  expect(await endpointOf(own)).toMatchObject({ rest_headers: OLD });
  expect(await endpointOf(other)).toMatchObject({ rest_headers: null });
});

test('headers change only from the revision that was read, while the endpoint is there', async () => {
  const id = await addEndpoint({ header_revision: 3 });
  const gone = await addEndpoint({ header_revision: 3, deleted_at: minutesAgo(1) });
  const change = (of: string, headerRevision: number): Promise<boolean> =>
    updateRestHeaders(stored.pool, { id: of, headerRevision, sealed: NEW, names: ['x-key'] });
  expect([await change(id, 2), await change(gone, 3), await change(newUuid(), 3)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(await change(id, 3)).toBe(true);
  expect(await endpointOf(id)).toMatchObject({ rest_headers: NEW, header_revision: 4 });
  expect(await change(id, 3)).toBe(false);
});

test('an endpoint is locked by its namespace and id, until it is deleted', async () => {
  const id = await addEndpoint({ secret: OLD });
  const gone = await addEndpoint({ deleted_at: minutesAgo(1) });
  const lock = (namespace: string, of: string) =>
    lockSealedEndpoint(stored.pool, { namespace, id: of });
  expect(await lock('default', id)).toMatchObject({ secrets: { secret: OLD, next: null } });
  expect([await lock('other', id), await lock('default', gone)]).toEqual([undefined, undefined]);
});

test('what was never declared is deleted, and nothing else of that name or near it', async () => {
  const undeclared = { generation: 0, deleted_at: minutesAgo(1) };
  const kept = [
    await addEndpoint({ name: 'a', generation: 0, deleted_at: null, namespace: 'third' }),
    await addEndpoint({ ...undeclared, name: 'a', namespace: 'other' }),
    await addEndpoint({ ...undeclared, name: 'b' }),
    await addEndpoint({ ...undeclared, name: 'a', generation: 1 }),
  ];
  await addEndpoint({ ...undeclared, name: 'a' });
  await deleteUndeclared(stored.pool, { namespace: 'default', name: 'a' });
  await deleteUndeclared(stored.pool, { namespace: 'third', name: 'a' });
  expect((await stored.read('webhook_endpoints')).map(({ id }) => id)).toEqual(kept.toSorted());
});

test('a second try to declare keeps the secret of the first', async () => {
  const id = newUuid();
  const key = { namespace: 'default', name: 'a', id, url: 'https://example.com/' };
  const headers = { sealed: null, names: [] };
  await insertUndeclared(stored.pool, { ...key, secret: OLD, headers });
  await insertUndeclared(stored.pool, { ...key, secret: NEW, headers });
  expect(await endpointOf(id)).toMatchObject({ secret: OLD, generation: 0 });
});

test('what no Secret has yet is listed, until it is copied or deleted', async () => {
  const revised = { secret_revision: 2, copied_revision: 1 };
  await addEndpoint({ ...revised, name: 'due', namespace: 'other' });
  await addEndpoint({ secret_revision: 2, copied_revision: 2 });
  await addEndpoint({ ...revised, deleted_at: minutesAgo(1) });
  expect(await listNotCopied(stored.pool)).toEqual([{ namespace: 'other', name: 'due' }]);
});
