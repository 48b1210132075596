import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeRoutes } from '../../src/roles/describe-routes.ts';
import { clientTypes } from '../../src/platform/http/openapi/client-types.ts';

const documentOf = (schema: object) => ({
  paths: {},
  webhooks: {},
  components: { schemas: { Thing: schema } },
});
const typeOf = (schema: object): string =>
  /Thing: ([^]*?);\n {2}\};/.exec(clientTypes(documentOf(schema)))![1]!;

describe('the types of the client', () => {
  test('are those of the routes; `npm run generate -- client` writes them', () => {
    const file = new URL('../../packages/client/src/api.ts', import.meta.url);
    const committed = readFileSync(file, 'utf8').split('\n');
    const lines = clientTypes(describeRoutes()).split('\n');
    // Only the first different line: the difference of two such texts is longer than anybody reads.
    const at = lines.findIndex((line, i) => line !== committed[i]);
    expect({ at, line: lines[at], count: lines.length }).toEqual({
      at: -1,
      line: committed[at],
      count: committed.length,
    });
  });

  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, '(string | null)'],
    [{ type: 'integer', minimum: 1 }, 'number'],
    [{ enum: ['a', "b'c", 'd"e', null] }, String.raw`('a' | 'b\'c' | 'd"e' | null)`],
    [{ const: 7 }, '7'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
    [{ $ref: '#/components/schemas/Other' }, "components['schemas']['Other']"],
    [{ anyOf: [{ type: 'string' }, { type: 'string' }] }, 'string'],
    [{ allOf: [{ type: 'string' }, {}] }, '(string & unknown)'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, '{ [name: string]: string }'],
    [{ type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
    [{}, 'unknown'],
  ])('%j is %s', (schema, expected) => {
    expect(typeOf(schema)).toBe(expected);
  });

  test('name what is required, what may be left out, and say what it is', () => {
    const properties = { a: { type: 'string', description: 'Of */ two' }, 'b-c': {} };
    expect(typeOf({ type: 'object', properties, required: ['a'] })).toBe(
      "{\n      /** Of *\\/ two */\n      a: string;\n      'b-c'?: unknown;\n    }",
    );
  });

  test('are not made of what the generator does not know', () => {
    expect(() => typeOf({ type: 'file' })).toThrow('"file"');
  });
});
