import { describe, expect, test } from 'vitest';
import { readCoreSpec } from '../../../../src/platform/resources/schema/core-kinds.ts';
import {
  freeValueProblem,
  shapeProblem,
} from '../../../../src/platform/resources/schema/free-value.ts';
import { checkMeta } from '../../../../src/platform/resources/schema/object-meta.ts';

/** Values exactly at a limit are accepted; values one beyond it are refused. */

describe('a free value', () => {
  const nested = (levels: number): unknown =>
    Array.from({ length: levels }).reduce((inner) => [inner], 0);

  test.each<[string, unknown, unknown, string]>([
    ['64 KiB', 'x'.repeat(64 * 1_024 - 2), 'x'.repeat(64 * 1_024 - 1), 'not be larger than 64 KiB'],
    [
      '2,000 members',
      Array(2_000).fill(0),
      { list: Array(2_000).fill(0) },
      'have at most 2000 members',
    ],
    ['64 levels', nested(64), nested(65), 'be nested at most 64 levels'],
  ])('has at most %s', (_, most, more, limit) => {
    expect(freeValueProblem(most)).toBeUndefined();
    expect(freeValueProblem(more)).toContain(`must ${limit}`);
  });

  test('may have null and nothing in it', () => {
    const bounds = { depthMax: 2, membersMax: 3 };
    expect(shapeProblem({ a: null, b: {}, c: 'text' }, bounds)).toBeUndefined();
    expect(shapeProblem(null, bounds)).toBeUndefined();
  });
});

describe('metadata of an object', () => {
  const places = (over: object, name: 'label' | 'subdomain' = 'label'): string[] =>
    checkMeta({ name: 'n', namespace: 'ns', ...over }, name).map(({ pointer }) => pointer);
  const subdomain = (chars: number): string => `${'a.'.repeat(100)}${'a'.repeat(chars - 200)}`;

  test.each<[string, object, object]>([
    ['a label', { labels: { k: 'v'.repeat(63) } }, { labels: { k: 'v'.repeat(64) } }],
    ['a label of its form', { labels: { k: '' } }, { labels: { k: '-' } }],
    ['a label of text', { labels: { k: 'v' } }, { labels: { k: 1 } }],
    [
      'the name in a key',
      { labels: { ['k'.repeat(63)]: '' } },
      { labels: { ['k'.repeat(64)]: '' } },
    ],
    ['the name in a key of its form', { labels: { k_k: '' } }, { labels: { k_: '' } }],
    ['a prefix in a key', { labels: { 'a.b/k': '' } }, { labels: { 'A/k': '' } }],
    ['one prefix in a key', { labels: { 'a/k': '' } }, { labels: { 'a/b/k': '' } }],
    [
      'a prefix of 253 characters',
      { labels: { [`${subdomain(253)}/k`]: '' } },
      { labels: { [`${subdomain(254)}/k`]: '' } },
    ],
    [
      'annotations of 256 KiB together',
      { annotations: { k: 'ü'.repeat(128 * 1_024 - 1), l: '' } },
      { annotations: { k: 'ü'.repeat(128 * 1_024 - 1), lm: '' } },
    ],
    ['an annotation of text', { annotations: { K: 'v' } }, { annotations: { K: 1 } }],
    ['the key of an annotation', { annotations: { 'a/K': '' } }, { annotations: { '/K': '' } }],
  ])('has %s', (_, right, wrong) => {
    expect(places(right)).toEqual([]);
    expect(places(wrong)).toHaveLength(1);
  });

  test('has a name that is a label, or a subdomain where that is allowed', () => {
    expect(places({ name: 'a.b' })).toEqual(['/metadata/name']);
    expect(places({ name: 'a.b' }, 'subdomain')).toEqual([]);
    expect(places({ name: subdomain(253) }, 'subdomain')).toEqual([]);
    expect(places({ name: subdomain(254) }, 'subdomain')).toEqual(['/metadata/name']);
    expect(places({ name: 1 }, 'subdomain')).toEqual(['/metadata/name']);
    expect(places({ namespace: 'a.b' })).toEqual(['/metadata/namespace']);
  });
});

test('the values of a ConfigMap have 1 MiB together', () => {
  const half = 'x'.repeat(512 * 1_024);
  expect(readCoreSpec('ConfigMap', { data: { a: half, b: half } })).toEqual({
    spec: { data: { a: half, b: half } },
  });
  expect(readCoreSpec('ConfigMap', { data: { a: half, b: half, c: 'x' } })).toMatchObject({
    errors: [{ pointer: '/data', code: 'too_long' }],
  });
});
