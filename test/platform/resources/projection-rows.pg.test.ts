import { expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { projectionsIn } from '../../../src/platform/resources/projections.sql.ts';
import { minutesAgo, useRows, type Columns } from '../postgres/rows.ts';

/** The statements that all kinds share, tried on rows that differ from a matching row in one part alone. */

const stored = useRows();

const NOBODY = newUuid();
const DELETED = { deleted_at: minutesAgo(1) };

async function add(columns: Columns = {}): Promise<string> {
  const id = newUuid();
  const row = { id, namespace: 'default', name: id, uid: newUuid(), generation: 1 };
  await stored.add('model_providers', { ...row, managed_by: 'api', spec: {}, ...columns });
  return id;
}

test('a declared thing continues the live row of its name, else the one removed last', async () => {
  const projections = projectionsIn(stored.pool, 'model_providers');
  const key = { namespace: 'default', name: 'a' };
  await add({ name: 'b' });
  await add({ name: 'a', namespace: 'other' });
  expect(await projections.findIdByName(key)).toBeUndefined();
  const removed = await add({ name: 'a', ...DELETED, updated_at: minutesAgo(5) });
  await add({ name: 'a', ...DELETED, updated_at: minutesAgo(6) });
  expect(await projections.findIdByName(key)).toBe(removed);
  const live = await add({ name: 'a', updated_at: minutesAgo(8) });
  expect(await projections.findIdByName(key)).toBe(live);
  expect(await projections.placeOfId(removed)).toEqual(key);
  expect(await projections.placeOfId(NOBODY)).toBeUndefined();
  expect(await projections.countIfNew({ ...key, id: live })).toBeUndefined();
  for (const [object, others] of [
    [{ namespace: 'other', name: 'a', id: live }, 0],
    [{ namespace: 'default', name: 'a', id: removed }, 1],
    [{ namespace: 'default', name: 'c', id: NOBODY }, 2],
  ] as const) {
    expect(await projections.countIfNew(object)).toBe(others);
  }
  expect(
    (await projections.listKeys()).map(({ namespace, name }) => `${namespace}/${name}`).toSorted(),
  ).toEqual(['default/a', 'default/b', 'other/a']);
  expect(await projections.count('default')).toBe(2);
  expect(await projections.count('default', { besides: 'a' })).toBe(1);
  expect(await projections.count('default', { besides: 'c' })).toBe(2);
});
