import { expect, test } from 'vitest';
import { changesBetween, differing, toldOf } from '../../src/audit/changes.ts';

/** What a line of the audit log says of a change. */

test('the values of some fields are told, of others only that they changed', () => {
  const before = { name: 'a', prompt: 'secret', same: { deep: [1] } };
  const after = { name: 'b', prompt: 'other secret', same: { deep: [1] }, url: 'u' };
  expect(changesBetween(before, after, ['name', 'same', 'url'])).toEqual({
    before: { name: 'a', url: null },
    after: { name: 'b', url: 'u' },
    detail: { changed: ['name', 'prompt', 'url'] },
  });
});

test('of metadata the keys that changed are named', () => {
  const metadata = { kept: '1', changed: '2', gone: '3' };
  const next = { kept: '1', changed: '4', made: '5' };
  expect(changesBetween({ metadata }, { metadata: next }, []).detail).toEqual({
    changed: ['metadata.changed', 'metadata.gone', 'metadata.made'],
  });
  expect(changesBetween({}, { metadata }, []).detail['changed']).toHaveLength(3);
  expect(changesBetween({ metadata }, {}, []).detail['changed']).toHaveLength(3);
});

test('of what is new the fields that are set are told', () => {
  expect(toldOf({ name: 'a', url: null, prompt: 'secret' }, ['name', 'url', 'model'])).toEqual({
    name: 'a',
    url: null,
  });
});

test('fields differ if one of the two does not have them', () => {
  expect(differing({ a: 1, b: 1 }, { b: 1, c: 1 })).toEqual(['a', 'c']);
});
