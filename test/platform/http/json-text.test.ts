import { describe, expect, test, vi } from 'vitest';
import * as fc from 'fast-check';
import { parseJsonBody } from '../../../src/platform/http/json-text.ts';
import { ApiError } from '../../../src/errors.ts';

function refusal(text: string | Buffer): { code: string; pointers: string[]; detail: string } {
  try {
    parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return {
      code: error.code,
      pointers: error.errors.map((e) => e.pointer),
      detail: error.message,
    };
  }
  throw new Error('it was taken');
}

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const members = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i])));

describe('what is taken', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(
          !text.includes('__proto__') && !text.includes('\\u0000') && !/\\ud[89a-f]/.test(text),
        );
        expect(parseJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('brackets and colons in texts do not count', () => {
    const text = `${'[{:'.repeat(20_000)}\\"`;
    const body = JSON.stringify({ [text]: text });
    expect(parseJsonBody(Buffer.from(body))).toEqual({ [text]: text });
  });

  test('elements of lists count as members do', () => {
    const list = (count: number): string => JSON.stringify(Array(count).fill(0));
    expect(parseJsonBody(Buffer.from(list(10_000)))).toHaveLength(10_000);
    expect(refusal(list(10_001)).code).toBe('malformed_request');
    // An empty object or list has no members, however it is written. The outermost value is not a member.
    const empty = (count: number): string => `[${Array(count).fill(' { \n} ').join(',\t')}]`;
    expect(parseJsonBody(Buffer.from(empty(10_000)))).toHaveLength(10_000);
    expect(refusal(empty(10_001)).code).toBe('malformed_request');
    const pairs = (count: number): string => `[${Array(count).fill('{"a":[1]}').join()}]`;
    expect(parseJsonBody(Buffer.from(pairs(3_333)))).toHaveLength(3_333);
    expect(refusal(pairs(3_334)).code).toBe('malformed_request');
  });

  test('the members of any value are counted as they are', () => {
    const count = (value: unknown): number =>
      typeof value === 'object' && value !== null
        ? Object.values(value).reduce((sum: number, inner) => sum + 1 + count(inner), 0)
        : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1), (value, more) => {
        const text = JSON.stringify([value, ...Array(10_000 - 1 - count(value) + more).fill(0)]);
        fc.pre(!text.includes('__proto__') && !/\\u0000|\\ud[89a-f]/.test(text));
        if (more === 0) expect(parseJsonBody(Buffer.from(text))).toBeDefined();
        else expect(refusal(text).code).toBe('malformed_request');
      }),
    );
  });

  test('32 levels and 10,000 members are, one more is not', () => {
    expect(parseJsonBody(Buffer.from(nested(32)))).toBeDefined();
    expect(refusal(nested(33)).code).toBe('malformed_request');
    expect(parseJsonBody(Buffer.from(members(10_000)))).toBeDefined();
    expect(refusal(members(10_001)).code).toBe('malformed_request');
  });
});

describe('what is refused', () => {
  test('is refused whatever it is, and never by anything but a mistake of the caller', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parseJsonBody(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
        }
      }),
    );
  });

  test('a million levels are refused without a stack overflow', () => {
    expect(refusal('['.repeat(1_000_000)).code).toBe('malformed_request');
  });

  test('half a million elements are refused before they are made', () => {
    const text = JSON.stringify({ prompt: 'x', tools: Array(500_000).fill(0) });
    const parse = vi.spyOn(JSON, 'parse');
    expect(refusal(text).detail).toContain('10000 members');
    expect(parse).not.toHaveBeenCalled();
  });

  test('a parser error names the place and quotes nothing', () => {
    const { code, detail } = refusal('{"secret": "whsec_canary" x}');
    expect(code).toBe('malformed_json');
    expect(detail).toContain('position 26');
    expect(detail).not.toContain('canary');
  });

  test('__proto__, NUL, half surrogates and endless numbers, each with its pointer', () => {
    const body =
      '{"a":[{"__proto__":1}],"b/c":"\\u0000","d~":["\\ud83d"],"e":-1e999,"f":{"\\u0000":1},"g":"😀"}';
    expect(refusal(body)).toMatchObject({
      code: 'invalid_body',
      pointers: ['/a/0/__proto__', '/b~1c', '/d~0/0', '/e', '/f'],
    });
  });

  test('a byte order mark is dropped, other encodings are not guessed', () => {
    expect(parseJsonBody(Buffer.from('\ufeff{}'))).toEqual({});
    expect(refusal(Buffer.from('{}', 'utf16le')).code).toBe('malformed_json');
    expect(refusal(Buffer.from([0xc0, 0x80])).code).toBe('malformed_json');
  });
});
