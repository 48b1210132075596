import { expect, test } from '@jest/globals';
import { refuseUnstorable } from '../../../src/platform/reconcile/unstorable.ts';

test.each([
  [{ prompt: 'a\u0000b' }, 'spec.prompt'],
  [{ tools: [{ name: 'a' }, { headers: { x: '\ud800' } }] }, 'spec.tools[1].headers.x'],
  [{ metadata: { 'a\u0000': 'b' } }, 'spec.metadata'],
])('%j is refused, and where', (spec, place) => {
  expect(refuseUnstorable(spec)).toMatchObject({
    reason: 'InvalidCharacter',
    message: expect.stringContaining(`${place} has`),
  });
});

test('whatever else people write is not', () => {
  const spec = { prompt: '命 😀\n\t\u0007', tools: [null, 1, true, {}], metadata: { 'ü ü': '' } };
  expect(refuseUnstorable(spec)).toBeUndefined();
});
