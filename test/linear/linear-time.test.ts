import { describe, expect, test } from 'vitest';
import { FAMILIES } from './families.ts';
import { superlinearGrowth } from './growth.ts';
import { REGISTER } from './register.ts';

/** Text that somebody else wrote takes time in proportion to its length, whatever it is. */

describe.each(Object.entries(REGISTER))('%s', (_, run) => {
  test('take time in proportion to the text', () => {
    const slow: Record<string, number> = {};
    for (const [name, family] of FAMILIES) {
      const growth = superlinearGrowth(run, family);
      if (growth !== undefined) slow[name] = Math.round(10 * growth) / 10;
    }
    expect(slow).toEqual({});
  });
});
