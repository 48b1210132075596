import { describe, expect, test } from 'vitest';
import { newUuid } from '../../src/ids.ts';
import type { ModelProviderSpec } from '../../src/models/model-provider.ts';
import { secretPlace, type Active, type KindProjection } from '../../src/kinds/kind-rows.sql.ts';
import { MODEL_PROVIDER_KIND } from '../../src/models/model-provider.kind.ts';
import { itemsThatFit, PAGE_DOCUMENTS_BYTES } from '../../src/platform/postgres/list-filters.ts';
import { useRows, type Columns } from '../platform/postgres/rows.ts';

/**
 * Each statement about the table of a kind, on rows that differ from the one it is for in one part alone. Model providers stand for
 * all kinds that `defineKind` defines.
 */

const { rows } = MODEL_PROVIDER_KIND;

const stored = useRows('model_providers');

const GONE = { deleted_at: new Date(0) };
const SPEC = { baseUrl: 'https://models.example/v1' } as ModelProviderSpec;
const KEY = Buffer.from('sealed');
/** A quarter of a page. */
const QUARTER = PAGE_DOCUMENTS_BYTES / 4;

/** Stores a provider that requests go by; returns its id. */
async function add(columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', name: id, uid: newUuid(), generation: 1, spec: SPEC };
  const active = { in_force: SPEC, api_key: KEY };
  await stored.add('model_providers', { ...row, managed_by: 'api', ...active, ...columns });
  return id;
}
const rowOf = async (id: string): Promise<Columns> => (await stored.rowOf('model_providers', id))!;

test('a provider is read by its id and namespace until it is deleted', async () => {
  const id = await add();
  await add();
  const gone = await add(GONE);
  const read = async (namespace: string, of: string) =>
    (await rows.read(stored.pool, { namespace, id: of }))?.id;
  expect(await read('default', id)).toBe(id);
  expect(await read('other', id)).toBeUndefined();
  expect(await read('default', gone)).toBeUndefined();
  expect(await read('default', newUuid())).toBeUndefined();
});

test('providers are listed by each filter, newest first', async () => {
  const first = await add({ name: 'first', ready: true });
  const second = await add({ managed_by: 'kubernetes' });
  await add({ namespace: 'other' });
  await add(GONE);
  const list = async (over: object = {}): Promise<string[]> =>
    (await rows.list(stored.pool, { namespace: 'default', limit: 9, ...over })).map(({ id }) => id);
  const newest = [first, second].toSorted().toReversed();
  expect(await list()).toEqual(newest);
  expect(await list({ limit: 1 })).toEqual(newest.slice(0, 1));
  expect(await list({ before: newest[0] })).toEqual(newest.slice(1));
  expect(await list({ name: 'first' })).toEqual([first]);
  expect(await list({ managedBy: 'kubernetes' })).toEqual([second]);
  expect(await list({ ready: true })).toEqual([first]);
});

describe('a page of large declarations', () => {
  const addOf = (bytes: number): Promise<string> => {
    const note = 'x'.repeat(bytes - JSON.stringify({ ...SPEC, note: '' }, null, 1).length + 4);
    return add({ spec: { ...SPEC, note } });
  };
  const listed = async () => {
    const found = await rows.list(stored.pool, { namespace: 'default', limit: 9 });
    return { ids: found.map(({ id }) => id), items: itemsThatFit(found, 8) };
  };

  test('has the last one that fits exactly, and the query returns one more', async () => {
    const ids = [];
    for (const bytes of [QUARTER, QUARTER, QUARTER, QUARTER + 1, QUARTER, QUARTER, QUARTER - 1])
      ids.push(await addOf(bytes));
    expect(await listed()).toEqual({ ids: ids.toReversed().slice(0, 5), items: 4 });
  });

  test('has one that is too large alone', async () => {
    const ids = [
      await addOf(QUARTER),
      await addOf(QUARTER),
      await addOf(PAGE_DOCUMENTS_BYTES + QUARTER),
    ];
    expect(await listed()).toEqual({ ids: ids.toReversed().slice(0, 2), items: 1 });
  });

  test('has all small ones', async () => {
    const ids = [await add(), await add()];
    expect(await listed()).toEqual({ ids: ids.toReversed(), items: 8 });
  });
});

test('what is in force is found by namespace and name, and by the id', async () => {
  const id = await add({ name: 'east' });
  await add();
  await add({ name: 'east', ...GONE });
  const other = await add({ name: 'east', namespace: 'other' });
  const waiting = await add({ name: 'west', in_force: null });
  const gone = await add({ name: 'north', ...GONE });
  const find = async (name: string, namespace = 'default') =>
    (await rows.findActive(stored.pool, { namespace, name }))?.id;
  expect(await find('east')).toBe(id);
  expect(await find('east', 'other')).toBe(other);
  expect(await find('west')).toBeUndefined();
  expect(await find('north')).toBeUndefined();
  expect(await rows.readActive(stored.pool, id)).toEqual({ spec: SPEC, secret: KEY });
  for (const one of [waiting, gone, newUuid()])
    expect(await rows.readActive(stored.pool, one)).toBeNull();
});

test('a declaration that cannot be used leaves address and key as they were', async () => {
  const updated_at = new Date(0);
  const uid = newUuid();
  const id = await add({ uid, name: 'east', updated_at });
  const declared: KindProjection<ModelProviderSpec> = {
    id,
    namespace: 'default',
    name: 'east',
    uid,
    generation: 1,
    managedBy: 'api',
    spec: SPEC,
    ready: true,
    reason: 'Ready',
    message: '',
  };
  const put = (
    over: Partial<KindProjection<ModelProviderSpec>> = {},
    active: Active<ModelProviderSpec> | null = null,
  ) => rows.upsert(stored.pool, { ...declared, ...over }, active);
  await put();
  expect(await rowOf(id)).toMatchObject({ in_force: SPEC, api_key: KEY, updated_at: 0 });
  await put({ message: 'other' });
  expect(await rowOf(id)).toMatchObject({ message: 'other', updated_at: 0 });
  await put({ generation: 2 });
  expect((await rowOf(id))['updated_at']).toBeGreaterThan(0);
  const next = { baseUrl: 'https://other.example/v1' } as ModelProviderSpec;
  await put({}, { spec: next, secret: null });
  expect(await rowOf(id)).toMatchObject({ in_force: next, api_key: null });
  await stored.pool.query('update model_providers set updated_at = $1', [updated_at]);
  await put({ generation: 1, uid: newUuid() });
  expect((await rowOf(id))['updated_at']).toBeGreaterThan(0);
});

test('a provider is deleted by its name once, with its key, unless it is the one to keep', async () => {
  const id = await add({ name: 'east' });
  const others = [await add({ name: 'east', namespace: 'other' }), await add()];
  const before = await Promise.all(others.map(rowOf));
  const key = { namespace: 'default', name: 'east' };
  expect(await rows.markDeleted(stored.pool, key, id)).toBeUndefined();
  expect((await rows.markDeleted(stored.pool, key, newUuid()))?.id).toBe(id);
  expect(await rowOf(id)).toMatchObject({ ready: false, in_force: null, api_key: null });
  expect(await rows.markDeleted(stored.pool, key)).toBeUndefined();
  const again = await add({ name: 'east' });
  expect((await rows.markDeleted(stored.pool, key))?.id).toBe(again);
  expect(await Promise.all(others.map(rowOf))).toEqual(before);
});

test('a secret has a place of its own in each kind, namespace and object', () => {
  const places = [
    secretPlace(MODEL_PROVIDER_KIND, { namespace: 'a', id: 'x' }),
    secretPlace(MODEL_PROVIDER_KIND, { namespace: 'b', id: 'x' }),
    secretPlace(MODEL_PROVIDER_KIND, { namespace: 'a', id: 'y' }),
    secretPlace({ auditNoun: 'other' }, { namespace: 'a', id: 'x' }),
  ];
  expect(new Set(places).size).toBe(4);
});
