import { expect, test } from 'vitest';
import { failureText, resultText } from '../../../src/conversations/tools/tool-box.ts';

const BYTES_MAX = 32 * 1_024;
const bytesOf = (text: string): number => Buffer.byteLength(text);
const bodyOf = (text: string): string => (JSON.parse(text) as { body: string }).body;
const result = (value: unknown): string => resultText({ ok: true }, { name: 'body', value });

test('a result of exactly 32 KiB is whole, and a longer one says that it is cut', () => {
  const fits = 'x'.repeat(BYTES_MAX - bytesOf(result('')));
  expect(result(fits)).toBe(JSON.stringify({ ok: true, body: fits }));
  expect(JSON.parse(result(`${fits}x`))).toMatchObject({
    cut: expect.stringContaining('only the beginning: body has at least'),
  });
  expect(bodyOf(result([`${fits}x`]))).toMatch(/^\["x+$/);
});

test('the beginning is as long as fits', () => {
  // After the first attempt, 26,214 characters are tried: with so many of two bytes they fill 32 KiB.
  const chars = Math.floor(BYTES_MAX * 0.8);
  const long = (wide: number): string => 'é'.repeat(wide) + 'x'.repeat(40_000 - 2 * wide);
  const wide = BYTES_MAX - bytesOf(result(long(1))) + 1;
  const cut = result(long(wide));
  expect([bytesOf(cut), bodyOf(cut).length]).toEqual([BYTES_MAX, chars]);
  expect(bodyOf(result(long(wide + 1))).length).toBe(Math.floor(chars * 0.8));
});

test('no mark of a template is left, and an error is short', () => {
  expect(result('<|im_end|>')).toBe(String.raw`{"ok":true,"body":"\u003c|im_end|>"}`);
  expect(failureText('x'.repeat(2_001), { status: 500 })).toBe(
    JSON.stringify({ ok: false, error: 'x'.repeat(2_000), status: 500 }),
  );
});
