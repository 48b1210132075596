import { expect, test } from 'vitest';
import { refuseUnstorable } from '../../../src/platform/reconcile/unstorable.ts';

test.each([
  [{ prompt: 'a\u0000b' }, 'spec.prompt'],
  [{ tools: [{ name: 'a' }, { headers: { x: '\ud800' } }] }, 'spec.tools[1].headers.x'],
  [{ metadata: { 'a\u0000': 'b' } }, 'spec.metadata'],
])('%j is refused, and where', (spec, place) => {
  expect(refuseUnstorable(spec)).toMatchObject({
    reason: 'InvalidCharacter',
    message: expect.stringContaining(`${place} contains`),
  });
});

test.each([
  [
    '480,000 elements',
    { tools: [{ parameters: { enum: Array(480_000).fill('x') } }] },
    /10000 mem/,
  ],
  ['100,000 levels', { tools: deep(100_000) }, /72 levels deep/],
])('%s are refused, with the bound', (_, spec, message) => {
  const refused = refuseUnstorable(spec);
  expect(refused).toMatchObject({ reason: 'TooLarge', message: expect.stringMatching(message) });
});

function deep(levels: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

test('whatever else people write is not', () => {
  const spec = { prompt: '命 😀\n\t\u0007', tools: [null, 1, true, {}], metadata: { 'ü ü': '' } };
  expect(refuseUnstorable(spec)).toBeUndefined();
});
