import { describe, expect, test } from 'vitest';
import { compileParameters, SlowSchemaError } from '../../../src/agents/tools/tool-parameters.ts';

const problemsOf = (
  schema: Record<string, unknown>,
  value: unknown,
  limits: { checkMs?: number } = {},
): readonly string[] => {
  const compiled = compileParameters(schema, limits);
  if ('problem' in compiled) throw new Error(JSON.stringify(compiled.problem));
  return compiled.check(value);
};
const refusalOf = (schema: Record<string, unknown>): unknown => {
  const compiled = compileParameters(schema);
  return 'problem' in compiled ? compiled.problem : undefined;
};
/** A tenth of the usual limit, because these schemas use all of it. */
const SOON = { checkMs: 25 };
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

describe('arguments are checked', () => {
  const order = {
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^A-[0-9]+$' },
      count: { type: 'integer' },
      by: { enum: ['van', 'post'] },
    },
    required: ['id'],
    additionalProperties: false,
  };

  test.each([
    [{ id: 'A-1' }, []],
    [{ id: 'B' }, ['/id must match pattern "^A-[0-9]+$"']],
    [{ id: 'A-1', by: 'ship' }, ['/by must be one of "van", "post"']],
    [{ count: 1 }, ["the arguments must have required property 'id'"]],
    [{ id: 'A-1', more: 1 }, ['the arguments must NOT have additional properties (more)']],
  ])('%j: %j', (value, problems) => {
    expect(problemsOf(order, value)).toEqual(problems);
  });

  test('at most five lines are said, each once', () => {
    const properties = { a: { items: { type: 'string' } } };
    const lines = problemsOf({ properties }, { a: Array.from({ length: 500 }, (_, i) => i) });
    expect(lines).toHaveLength(5);
  });

  test('by the words of draft 2020-12, or of draft-07 where it is named', () => {
    const list = { properties: { a: { items: [{ type: 'string' }] } } };
    expect(problemsOf({ $schema: DRAFT_07, ...list }, { a: [1] })).toEqual(['/a/0 must be string']);
    const prefix = { properties: { a: { prefixItems: [{ type: 'string' }] } } };
    expect(problemsOf(prefix, { a: [1] })).toEqual(['/a/0 must be string']);
    expect(problemsOf({ $schema: DRAFT_2020, ...prefix }, { a: [1] })).toHaveLength(1);
  });

  test('`format` and words that nobody knows are notes', () => {
    const schema = { properties: { a: { type: 'string', format: 'email', 'x-note': 1 } } };
    expect(problemsOf(schema, { a: 'nobody' })).toEqual([]);
  });

  test('one schema knows nothing of another, whatever it is called', () => {
    const $id = 'https://example.com/schema';
    expect(problemsOf({ $id, required: ['a'] }, {})).toHaveLength(1);
    expect(problemsOf({ $id, required: ['b'] }, { b: 1 })).toEqual([]);
  });
});

describe('a schema that cannot be used is refused, at its place:', () => {
  test.each([
    [{ type: 'array' }, '/type'],
    [{ properties: { a: { type: 'strin' } } }, '/properties/a/type'],
    [{ properties: { a: { items: [] } } }, '/properties/a/items'],
    [{ properties: { a: { pattern: '(' } } }, ''],
    [{ $ref: 'https://example.com/elsewhere.json' }, ''],
    [{ $schema: DRAFT_07, properties: { a: { $ref: 'other.json#/x' } } }, ''],
    [{ $schema: 'http://json-schema.org/draft-04/schema#' }, '/$schema'],
    [{ $schema: 7 }, '/$schema'],
    // Its answer would be a promise, which is true whatever comes of it.
    [{ $async: true, required: ['a'] }, '/$async'],
  ])('%j', (schema, pointer) => {
    expect(refusalOf(schema)).toEqual({ pointer, detail: expect.any(String) });
  });

  test('with the values that would be right', () => {
    const { detail } = refusalOf({ properties: { a: { type: 'strin' } } }) as { detail: string };
    expect(detail).toMatch(/^must be one of .*"string"/);
  });
});

test('a reference to its own place is refused without words about the program', () => {
  expect(refusalOf({ properties: { a: { $ref: '#/properties/a' } } })).toEqual({
    pointer: '',
    detail: 'the schema cannot be compiled: a `$ref` leads back to itself, so it describes nothing',
  });
});

describe('a schema that finds no end is stopped:', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, i): [string, unknown] => {
      const next = { $ref: `#/$defs/d${i + 1}` };
      return [`d${i}`, { allOf: [next, next] }];
    }),
  );
  const elements = Array.from({ length: 9_000 }, (_, i) => ({ i }));

  test.each<[string, Record<string, unknown>, unknown]>([
    ['each element with each', { properties: { a: { uniqueItems: true } } }, { a: elements }],
    [
      'references that double',
      { $ref: '#/$defs/d0', $defs: { ...doubling, d40: { type: 'object' } } },
      {},
    ],
    ['a reference to itself', { $ref: '#' }, {}],
  ])('%s', (_, schema, value) => {
    expect(() => problemsOf(schema, value, SOON)).toThrow(SlowSchemaError);
  });

  test('a pattern that tries everything, which is not taken for a busy machine', () => {
    const schema = { properties: { a: { pattern: '^(a+)+$' } } };
    // With the limit of the product: in 25 ms, a test among many others may indeed get no CPU.
    expect(starvedBy(schema, { a: `${'a'.repeat(60)}!` }, {})).toBe(false);
  });
});

describe('on a machine that is busy', () => {
  const waiting = new Int32Array(new SharedArrayBuffer(4));
  /** A value that takes time and computes nothing, so many times. */
  const valueOf = (times: number): unknown => ({
    get a() {
      if ((times -= 1) >= 0) Atomics.wait(waiting, 0, 0, 2_000);
      return 1;
    },
  });
  const schema = { properties: { a: { type: 'integer' } } };

  test('what was kept waiting is checked once more', () => {
    expect(problemsOf(schema, valueOf(1), SOON)).toEqual([]);
  });

  test('and is told apart from a schema that computes', () => {
    expect(starvedBy(schema, valueOf(9))).toBe(true);
  });
});

function starvedBy(
  schema: Record<string, unknown>,
  value: unknown,
  limits: { checkMs?: number } = SOON,
): boolean | undefined {
  try {
    problemsOf(schema, value, limits);
    return undefined;
  } catch (error) {
    return error instanceof SlowSchemaError ? error.isStarved : undefined;
  }
}
