import { expect, test } from 'vitest';
import { isOfInputMethod } from '../../../packages/widget/src/text/input-method.ts';

test.each([
  ['while a word is composed', { isComposing: true, keyCode: 13 }, true],
  ['behind the end of a composition in Safari', { isComposing: false, keyCode: 229 }, true],
  ['by itself', { isComposing: false, keyCode: 13 }, false],
])('Enter %s', (_, event, isOfIt) => {
  expect(isOfInputMethod(event)).toBe(isOfIt);
});
