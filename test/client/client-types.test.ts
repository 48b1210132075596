import { describe, expect, test } from 'vitest';
import { clientTypes } from '../../src/platform/http/openapi/client-types.ts';

const documentOf = (schema: object) => ({
  paths: {},
  webhooks: {},
  components: { schemas: { Thing: schema } },
});
const typeOf = (schema: object): string =>
  /Thing: ([^]*?);\n {2}\};/.exec(clientTypes(documentOf(schema)))![1]!;

describe('the types of the client', () => {
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
