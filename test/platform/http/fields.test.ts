import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  metadata,
  metadataFilter,
  metadataPatch,
  requireFewMembers,
  timeBound,
  variables,
  versionFilter,
  versionParam,
} from '../../../src/platform/http/fields.ts';
import { pageLimit } from '../../../src/platform/http/cursor.ts';

const members = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

describe('a field takes its limit and refuses one beyond it', () => {
  test.each<[string, z.ZodType, unknown, unknown]>([
    ['the number of a version', versionParam, '2147483647', '2147483648'],
    ['the first version', versionParam, '1', '0'],
    ['a filter by version', versionFilter, '2147483647', '2147483648'],
    ['a bound in time', timeBound('x'), '253402300799', '253402300800'],
    ['members of metadata', metadata, members(50), members(51)],
    ['members of a patch', metadataPatch, members(100), members(101)],
    ['pairs of a filter', metadataFilter, members(10), members(11)],
    ['a value of metadata', metadata, { k: 'v'.repeat(1_024) }, { k: 'v'.repeat(1_025) }],
    ['a name of metadata', metadata, { ['k'.repeat(128)]: '' }, { ['k'.repeat(129)]: '' }],
    ['variables of 64 KiB', variables, { k: 'v'.repeat(65_528) }, { k: 'v'.repeat(65_529) }],
    ['members of variables', variables, { k: Array(1_999) }, { k: Array(2_000) }],
    ['the items of a page', pageLimit, '100', '101'],
    ['the least items of a page', pageLimit, '1', '0'],
  ])('%s', (_, field, most, more) => {
    expect(field.safeParse(most).success).toBe(true);
    expect(field.safeParse(more).success).toBe(false);
  });

  test('metadata that was patched', () => {
    expect(() => requireFewMembers(members(50))).not.toThrow();
    expect(() => requireFewMembers(members(51))).toThrow('more than 50 members');
  });
});
