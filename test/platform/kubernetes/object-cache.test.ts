import { beforeEach, describe, expect, test } from 'vitest';
import {
  createObjectCache,
  type ObjectCache,
} from '../../../src/platform/kubernetes/object-cache.ts';

type Item = {
  metadata: { namespace: string; name: string; uid: string; resourceVersion: string };
  tags: string[];
};
const item = (name: string, resourceVersion: string, uid = `uid-${name}`): Item => ({
  metadata: { namespace: 'default', name, uid, resourceVersion },
  tags: [],
});
const A = { namespace: 'default', name: 'a' };

let cache: ObjectCache<Item>;
let reported: string[];
beforeEach(() => {
  reported = [];
  const text = (one: Item | undefined): string =>
    one ? `${one.metadata.uid}@${one.metadata.resourceVersion}` : '-';
  cache = createObjectCache<Item>({
    onChange: ({ key, before, after }) =>
      reported.push(`${key.name}: ${text(before)} > ${text(after)}`),
  });
  cache.replace([item('a', '9'), item('b', '2')]);
});
const forget = (): void => void reported.splice(0);

test('a list reports what is gone, new and changed, and nothing of what is the same', () => {
  expect(reported).toEqual(['a: - > uid-a@9', 'b: - > uid-b@2']);
  forget();
  cache.replace([item('a', '10'), item('c', '3')]);
  expect(reported).toEqual(['b: uid-b@2 > -', 'a: uid-a@9 > uid-a@10', 'c: - > uid-c@3']);
  forget();
  cache.replace([item('a', '10'), item('c', '3')]);
  expect(reported).toEqual([]);
  expect(cache.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
});

test.each([
  ['a list', () => cache.replace([item('a', '20', 'other'), item('b', '2')])],
  ['an event', () => cache.upsert(item('a', '20', 'other'))],
])('another object of the same name, by %s, is a deletion and an addition', (_, act) => {
  forget();
  act();
  expect(reported).toEqual(['a: uid-a@9 > -', 'a: - > other@20']);
});

test('the deletion of an earlier object of the same name takes nothing away', () => {
  cache.upsert(item('a', '20', 'other'));
  forget();
  cache.remove(item('a', '19'));
  cache.remove(item('nobody', '19'));
  expect(reported).toEqual([]);
  expect(cache.get(A)?.metadata.uid).toBe('other');
  cache.remove(item('a', '21', 'other'));
  expect(reported).toEqual(['a: other@20 > -']);
  expect(cache.get(A)).toBeUndefined();
});

describe('a write of our own', () => {
  test('is read at once, reported to nobody, and not undone by events from before it', () => {
    forget();
    cache.wrote(item('a', '100'));
    cache.upsert(item('a', '10')); // Longer than '9', but earlier than '100'.
    cache.upsert(item('a', '99'));
    cache.upsert(item('a', '100'));
    expect(cache.get(A)?.metadata.resourceVersion).toBe('100');
    expect(reported).toEqual([]);
    cache.upsert(item('a', '101'));
    expect(reported).toEqual(['a: uid-a@100 > uid-a@101']);
  });

  test('that the watch has overtaken, or whose object is gone or another one, is ignored', () => {
    forget();
    cache.wrote(item('a', '8'));
    cache.wrote(item('a', '10', 'other'));
    cache.wrote(item('gone', '10'));
    expect(cache.get(A)?.metadata).toMatchObject({ uid: 'uid-a', resourceVersion: '9' });
    expect(cache.get({ ...A, name: 'gone' })).toBeUndefined();
    expect(reported).toEqual([]);
  });
});

test('objects are found by their namespace', () => {
  const elsewhere = item('a', '5', 'elsewhere');
  elsewhere.metadata.namespace = 'other';
  cache.upsert(elsewhere);
  expect(cache.get({ namespace: 'other', name: 'a' })?.metadata.uid).toBe('elsewhere');
  expect(cache.list('other')).toHaveLength(1);
  expect(cache.list('default')).toHaveLength(2);
  expect(cache.list('nowhere')).toEqual([]);
  expect(cache.list()).toHaveLength(3);
});

test('nobody can change what somebody else reads', () => {
  cache.wrote(item('b', '3'));
  for (const { metadata, tags } of cache.list()) {
    expect(() => (metadata.name = 'x')).toThrow(TypeError);
    expect(() => tags.push('x')).toThrow(TypeError);
  }
});
