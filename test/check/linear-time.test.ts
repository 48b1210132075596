import { describe, expect, test } from 'vitest';
import { compileParameters } from '../../src/agents/tools/tool-parameters.ts';
import { FAMILIES } from '../linear/families.ts';
import { superlinearGrowth } from '../linear/growth.ts';
import { REGISTER } from '../linear/register.ts';

/** Text that somebody else wrote takes time in proportion to its length, whatever it is. */

describe.each(Object.entries(REGISTER))('%s', (_, run) => {
  test('take time in proportion to the text', async () => {
    const slow: Record<string, number> = {};
    for (const [name, family] of FAMILIES) {
      const growth = await superlinearGrowth(run, family);
      if (growth !== undefined) slow[name] = Math.round(10 * growth) / 10;
    }
    expect(slow).toEqual({});
  });
});

test('the JSON Schema of a tool takes time in proportion to its references', async () => {
  const compile = (text: string): void => void compileParameters(JSON.parse(text));
  expect(await superlinearGrowth(compile, chainOfReferences)).toBeUndefined();
});

function chainOfReferences(chars: number): string {
  const names = Array.from({ length: chars / 20 }, (_, at) => `d${at}`);
  const defs = names.map((name, at) => {
    const next = { $ref: `#/$defs/d${Math.min(at + 1, names.length - 1)}` };
    return [name, { type: ['object', 'null'], properties: { a: next, b: next } }];
  });
  const properties = { a: { $ref: '#/$defs/d0' } };
  return JSON.stringify({ type: 'object', properties, $defs: Object.fromEntries(defs) });
}
