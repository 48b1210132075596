import { describe, expect, test } from 'vitest';
import { readCoreSpec } from '../../../../src/platform/resources/schema/core-kinds.ts';
import {
  createValidator,
  type Verdict,
} from '../../../../src/platform/resources/schema/validate.ts';
import { readCorpus, readText } from './corpus.ts';
import { KINDS } from '../../../../src/roles/kinds.ts';

/** test/platform/resources/schema/crds.kube.test.ts compares the verdicts with those of kube-apiserver. */

const validate = createValidator(KINDS);
const metadata = { name: 'desk', namespace: 'default' };

function errorsOf(kind: string, spec: unknown, meta = metadata) {
  const result = validate(kind, spec, meta);
  return 'errors' in result ? result.errors : [];
}

function specOf(result: Verdict) {
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.spec;
}

describe('the validator', () => {
  test.each(readCorpus('good'))('accepts $name', ({ text }) => {
    expect(readText(text)).toHaveProperty('applied');
  });

  test.each(readCorpus('bad'))('refuses $name and points at the mistake', ({ text, expected }) => {
    const read = readText(text);
    expect('fields' in read && read.fields).toContain(expected);
    expect(text.startsWith('# expect: /')).toBe(true);
  });

  test('fills in defaults and leaves its input alone', () => {
    const spec = Object.freeze({ prompt: 'Hello.', voice: Object.freeze({ speed: null }) });
    expect(specOf(validate('Agent', spec, metadata))).toEqual({
      prompt: 'Hello.',
      voice: {},
      publishPolicy: 'Automatic',
      revisionHistoryLimit: 10,
      suspend: false,
      deletionPolicy: 'Retain',
    });
    expect(spec).toEqual({ prompt: 'Hello.', voice: { speed: null } });
  });

  test('keeps what was declared apart from what is stored', () => {
    const result = validate('Agent', { prompt: 'Hello.', suspend: null }, metadata);
    expect('declared' in result && result.declared).toEqual({ prompt: 'Hello.' });
  });

  test('names the value and what is allowed', () => {
    expect(errorsOf('Agent', { prompt: 'x', voice: { speed: 9 }, publishPolicy: 'auto' })).toEqual([
      { pointer: '/spec/voice/speed', code: 'too_large', detail: '9 must be at most 4' },
      {
        pointer: '/spec/publishPolicy',
        code: 'not_allowed',
        detail: '"auto" must be one of Automatic, Manual, Progressive',
      },
    ]);
  });

  test('names an unknown field and the one that was meant', () => {
    expect(errorsOf('Agent', { prompt: 'x', first_message: 'Hi', voice: { sped: 1 } })).toEqual([
      {
        pointer: '/spec/first_message',
        code: 'unknown_field',
        detail: 'unknown field first_message; did you mean firstMessage?',
      },
      {
        pointer: '/spec/voice/sped',
        code: 'unknown_field',
        detail: 'unknown field sped; did you mean speed?',
      },
    ]);
  });

  test('escapes slashes in pointers', () => {
    const pointers = errorsOf('Agent', { prompt: 'x', 'a/b~c': 1 }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/spec/a~1b~0c']);
  });

  test('does not repeat a long text in its message', () => {
    const [error] = errorsOf('Agent', { prompt: 'x', displayName: 'n'.repeat(129) });
    expect(error?.detail).toBe('a string of 129 characters must have at most 128 characters');
    const shown = (chars: number) =>
      errorsOf('Agent', { prompt: 'x', publishPolicy: 'n'.repeat(chars) })[0]?.detail;
    expect(shown(64)).toMatch(/^"n{64}" must be one of/);
    expect(shown(65)).toMatch(/^a string of 65 characters must be one of/);
  });

  test('does not take an inherited member for a field', () => {
    const spec: unknown = JSON.parse('{"prompt":"x","__proto__":{"suspend":true}}');
    expect(errorsOf('Agent', spec)).toMatchObject([{ pointer: '/spec/__proto__' }]);
    expect(errorsOf('WebhookEndpoint', {})).toMatchObject([{ pointer: '/spec/url' }]);
  });

  test('keeps a key __proto__ of tool parameters a key', () => {
    const spec: unknown = JSON.parse(
      '{"prompt":"x","tools":[{"type":"end_call","name":"a","parameters":{"__proto__":{"a":1}}}]}',
    );
    const stored = specOf(validate('Agent', spec, metadata));
    expect(JSON.stringify(stored['tools'])).toContain('"__proto__":{"a":1}');
  });

  test('reports at most fifty mistakes', () => {
    const spec = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i]));
    expect(errorsOf('Agent', { prompt: 'x', ...spec })).toHaveLength(50);
  });

  test('knows only the kinds there are', () => {
    expect(errorsOf('Pod', {})).toMatchObject([{ pointer: '/kind', code: 'not_allowed' }]);
    expect(errorsOf('__proto__', {})).toMatchObject([{ pointer: '/kind' }]);
  });

  test.each([
    [undefined, 'required'],
    [null, 'required'],
    [[], 'invalid_type'],
    ['text', 'invalid_type'],
    [5, 'invalid_type'],
  ])('a spec must be an object, not %j: %s', (spec, code) => {
    expect(errorsOf('Agent', spec)).toMatchObject([{ pointer: '/spec', code }]);
  });
});

describe('Secret and ConfigMap', () => {
  test('a Secret gives decoded data, stringData first', () => {
    const read = readCoreSpec('Secret', {
      type: 'Opaque',
      data: { a: 'aGVsbG8=', b: 'd29y\nbGQ=' },
      stringData: { b: 'plain' },
    });
    expect(read).toEqual({ spec: { data: { a: 'hello', b: 'plain' } } });
  });

  test('a ConfigMap gives its data', () => {
    expect(readCoreSpec('ConfigMap', { data: { k: 'v' } })).toEqual({ spec: { data: { k: 'v' } } });
    expect(readCoreSpec('ConfigMap', {})).toEqual({ spec: { data: {} } });
  });

  test.each([
    ['Secret', '/data/a', { data: { a: '%%%' } }],
    ['Secret', '/data/a', { data: { a: 'aGVsbG8' } }],
    ['Secret', '/data/a', { data: { a: 1 } }],
    ['Secret', '/data', { data: ['a'] }],
    ['Secret', '/type', { type: 1 }],
    ['Secret', '/spec', { spec: {} }],
    ['ConfigMap', '/stringData', { stringData: { a: 'b' } }],
    ['ConfigMap', '/binaryData', { binaryData: { a: 'aGVsbG8=' } }],
    ['ConfigMap', '/data/a~1b', { data: { 'a/b': 'c' } }],
    ['ConfigMap', '/data/..', { data: { '..': 'c' } }],
    ['ConfigMap', '/data/__proto__', { data: JSON.parse('{"__proto__":"c"}') }],
    ['ConfigMap', '/immutable', { immutable: 'yes' }],
    ['ConfigMap', '/data', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }],
  ] as const)('a %s is refused at %s', (kind, pointer, fields) => {
    const result = readCoreSpec(kind, fields);
    const errors = 'errors' in result ? result.errors : [];
    expect(errors.map((error) => error.pointer)).toEqual([pointer]);
    expect(JSON.stringify(errors)).not.toContain('%%%');
  });

  test('are valid as a store keeps them, decoded and under a subdomain', () => {
    const spec = { data: { token: 'not base64!' } };
    const name = { name: 'hooks.v1', namespace: 'default' };
    expect(validate('Secret', spec, name)).toEqual({ spec, declared: spec });
    expect(errorsOf('Secret', { data: { 'a/b': 'c' } })).toMatchObject([{ pointer: '/data/a~1b' }]);
    expect(errorsOf('Secret', spec, { ...name, name: 'A' })).toMatchObject([
      { pointer: '/metadata/name' },
    ]);
  });
});
