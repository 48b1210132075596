import { describe, expect, test } from '@jest/globals';
import { parseManifests, readManifest } from '../../../src/resources/manifest.ts';
import { createValidator } from '../../../src/resources/validate.ts';
import type { Validator } from '../../../src/resources/validate.ts';
import { readCorpus } from '../../support/corpus.ts';

/** That the verdicts are those of kube-apiserver is tested in test/integration/crds.test.ts. */

const validator = createValidator();
const metadata = { name: 'desk', namespace: 'default' };

function errorsOf(kind: string, spec: unknown, meta = metadata) {
  const result = validator.validate(kind, spec, meta);
  return 'errors' in result ? result.errors : [];
}

function specOf(result: ReturnType<Validator['validate']>) {
  if ('errors' in result) throw new Error(JSON.stringify(result.errors));
  return result.spec;
}

describe('the validator', () => {
  test.each(readCorpus('good'))('accepts $name', ({ document }) => {
    expect(readManifest(document, { validator, namespace: 'default' })).toHaveProperty('applied');
  });

  test.each(readCorpus('bad'))('refuses $name and points at the mistake', (entry) => {
    expect(entry.expected).not.toBe('');
    const read = readManifest(entry.document, { validator, namespace: 'default' });
    const pointers = 'errors' in read ? read.errors.map(({ pointer }) => pointer) : [];
    expect(pointers).toContain(entry.expected);
  });

  test('fills in defaults and leaves its input alone', () => {
    const spec = Object.freeze({ prompt: 'Hello.', voice: Object.freeze({ speed: null }) });
    expect(specOf(validator.validate('Agent', spec, metadata))).toEqual({
      prompt: 'Hello.',
      voice: {},
      publishPolicy: 'Automatic',
      revisionHistoryLimit: 10,
      suspend: false,
      deletionPolicy: 'Retain',
    });
    expect(spec).toEqual({ prompt: 'Hello.', voice: { speed: null } });
  });

  test('tells what was declared apart from what is stored', () => {
    const result = validator.validate('Agent', { prompt: 'Hello.', suspend: null }, metadata);
    expect('declared' in result && result.declared).toEqual({ prompt: 'Hello.' });
  });

  test('names the value and what is allowed', () => {
    expect(errorsOf('Agent', { prompt: 'x', voice: { speed: 9 }, publishPolicy: 'auto' })).toEqual([
      { pointer: '/spec/voice/speed', code: 'too_large', detail: '9 may be at most 4' },
      {
        pointer: '/spec/publishPolicy',
        code: 'not_allowed',
        detail: '"auto" must be one of Automatic, Manual',
      },
    ]);
  });

  test('names an unknown field and the one that was meant', () => {
    expect(errorsOf('Agent', { prompt: 'x', first_message: 'Hi', voice: { sped: 1 } })).toEqual([
      {
        pointer: '/spec/first_message',
        code: 'unknown_field',
        detail: 'there is no field first_message; did you mean firstMessage?',
      },
      {
        pointer: '/spec/voice/sped',
        code: 'unknown_field',
        detail: 'there is no field sped; did you mean speed?',
      },
    ]);
  });

  test('escapes slashes in pointers', () => {
    const pointers = errorsOf('Agent', { prompt: 'x', 'a/b~c': 1 }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/spec/a~1b~0c']);
  });

  test('does not repeat a long text in its message', () => {
    const [error] = errorsOf('Agent', { prompt: 'x', displayName: 'n'.repeat(129) });
    expect(error?.detail).toBe('a text of 129 characters may have at most 128 characters');
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
    const stored = specOf(validator.validate('Agent', spec, metadata));
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

  test.each([undefined, null, [], 'text', 5])('a spec must be an object, not %p', (spec) => {
    expect(errorsOf('Agent', spec)).toMatchObject([{ pointer: '/spec' }]);
  });
});

function read(text: string) {
  return readManifest(parseManifests(text)[0], { validator, namespace: 'default' });
}

describe('a manifest', () => {
  test('declares what its author wrote, without defaults, in the namespace of the folder', () => {
    const text = `{apiVersion: parley.dev/v1alpha1, kind: Agent, metadata: {name: a}, spec: {prompt: x}}`;
    expect(read(text)).toEqual({
      applied: {
        kind: 'Agent',
        name: 'a',
        namespace: 'default',
        labels: {},
        annotations: {},
        spec: { prompt: 'x' },
      },
    });
  });

  test('is read as YAML 1.1, as kubectl reads it', () => {
    expect(parseManifests('a: no\nb: "no"\n---\n---\nc: 010\n')).toEqual([
      { a: false, b: 'no' },
      { c: 8 },
    ]);
    expect(() => parseManifests('a: [1')).toThrow();
    expect(() => parseManifests('a: 1\na: 2')).toThrow(/unique/);
  });

  test.each(['just text', '- a', 'kind: Agent', 'kind: [Agent]', 'kind: constructor'])(
    'is not %p',
    (text) => {
      expect(read(text)).toHaveProperty('errors');
    },
  );

  test('of a Secret gives decoded data, stringData first', () => {
    const text = `
apiVersion: v1
kind: Secret
metadata: {name: hooks.v1, labels: {parley.dev/allow: "true"}}
type: Opaque
data: {a: aGVsbG8=, b: "d29y\\nbGQ="}
stringData: {b: plain}
`;
    expect(read(text)).toMatchObject({
      applied: { kind: 'Secret', name: 'hooks.v1', spec: { data: { a: 'hello', b: 'plain' } } },
    });
  });

  test('of a ConfigMap gives its data', () => {
    const text = `{apiVersion: v1, kind: ConfigMap, metadata: {name: p}, data: {k: v}}`;
    expect(read(text)).toMatchObject({ applied: { spec: { data: { k: 'v' } } } });
  });

  test.each([
    ['/data/a', `kind: Secret, data: {a: "%%%"}`],
    ['/data/a', `kind: Secret, data: {a: 1}`],
    ['/data', `kind: Secret, data: [a]`],
    ['/type', `kind: Secret, type: 1`],
    ['/spec', `kind: Secret, spec: {}`],
    ['/stringData', `kind: ConfigMap, stringData: {a: b}`],
    ['/binaryData', `kind: ConfigMap, binaryData: {a: aGVsbG8=}`],
    ['/data/a~1b', `kind: ConfigMap, data: {a/b: c}`],
    ['/data/__proto__', `kind: ConfigMap, data: {__proto__: c}`],
    ['/immutable', `kind: ConfigMap, immutable: "yes"`],
    ['/data', `kind: ConfigMap, data: {a: ${'x'.repeat(1024 * 1024 + 1)}}`],
  ])('of a Secret or ConfigMap is refused at %s', (pointer, fields) => {
    const result = read(`{apiVersion: v1, metadata: {name: a}, ${fields}}`);
    const errors = 'errors' in result ? result.errors : [];
    expect(errors.map((error) => error.pointer)).toEqual([pointer]);
    expect(JSON.stringify(errors)).not.toContain('%%%');
  });
});
