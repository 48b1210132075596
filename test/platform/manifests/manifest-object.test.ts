import { describe, expect, test } from 'vitest';
import { readManifest } from '../../../src/platform/manifests/object.ts';
import {
  createManifestReporter,
  formatPointer,
  type ManifestReport,
} from '../../../src/platform/manifests/report.ts';
import { parseYaml } from '../../../src/platform/manifests/yaml.ts';
import { agent, validate } from './manifest-rules.ts';

/** Returns the declarations of a file and the messages for people. */
function read(text: string) {
  const parsed = parseYaml('a.yaml', text);
  const manifests = parsed.documents.map((document) => readManifest(document, validate));
  const lines: ManifestReport[] = [];
  createManifestReporter((line) => lines.push(line)).problems([
    ...parsed.problems,
    ...manifests.flatMap(({ problems }) => problems),
  ]);
  return {
    texts: lines.map(({ text }) => text),
    ids: manifests.flatMap(({ objects }) => objects.map(({ id }) => id)),
    applied: manifests.flatMap(({ objects }) => objects.flatMap(({ applied }) => applied ?? [])),
    unknownIdentity: manifests.some(({ unknownIdentity }) => unknownIdentity),
  };
}

const never = { file: '', line: 0, column: 0 };

const HEAD = 'apiVersion: parley.dev/v1alpha1\nkind: Agent\n';

describe('a manifest', () => {
  test('declares an object as it is written, without defaults, in namespace default', () => {
    const text = `${HEAD}metadata:\n  name: a\n  labels: {team: sales}\n  annotations: {note: "1"}\nspec: {prompt: p}\n`;
    expect(read(text)).toEqual({
      texts: [],
      ids: ['Agent default/a'],
      applied: [
        {
          kind: 'Agent',
          namespace: 'default',
          name: 'a',
          labels: { team: 'sales' },
          annotations: { note: '1' },
          spec: { prompt: 'p' },
        },
      ],
      unknownIdentity: false,
    });
  });

  test('may hold several documents, comments, empty ones, directives and Windows line ends', () => {
    const text = `%YAML 1.2\n---\n# none\n---\n${agent('a')}---\n---\n${agent('b')}...\n`;
    for (const written of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`]) {
      expect(read(written)).toMatchObject({
        texts: [],
        ids: ['Agent default/a', 'Agent default/b'],
      });
    }
  });

  test.each(['null', '~', '# only a comment'])('declares nothing by %s', (nothing) => {
    expect(read(`---\n${nothing}\n---\n${agent('a')}`)).toMatchObject({
      texts: [],
      ids: ['Agent default/a'],
    });
  });

  test('has a name of at most 253 characters', () => {
    const named = (length: number): string => `a.${'b.'.repeat(200)}`.slice(0, length - 1) + 'c';
    expect(read(agent(named(253)))).toMatchObject({
      texts: [],
      ids: [`Agent default/${named(253)}`],
    });
    expect(read(agent(named(254))).texts.join()).toContain('use lower-case letters');
  });

  test('may be JSON, indented with tabs', () => {
    const object = { apiVersion: 'parley.dev/v1alpha1', kind: 'Agent', metadata: { name: 'j' } };
    const text = JSON.stringify({ ...object, spec: { prompt: 'p' } }, undefined, '\t');
    expect(read(text)).toMatchObject({ texts: [], ids: ['Agent default/j'] });
  });

  test('may be a List, whose items keep their own places', () => {
    const items = '- apiVersion: parley.dev/v1alpha1\n  kind: Agent\n  metadata: {name: a}\n';
    const text = `apiVersion: v1\nkind: List\nitems:\n${items}  spec:\n    prompt: p\n    speed: 9\n- 7\n`;
    const result = read(text);
    expect(result.texts).toEqual([
      'a.yaml:9:5 spec.speed: must be at most 4',
      'a.yaml:10:3 a manifest must be a map with apiVersion, kind, metadata and spec',
    ]);
    expect(result.ids).toEqual(['Agent default/a']);
  });

  test('is a List only with that kind and a list of items', () => {
    const [problem] = read('apiVersion: v1\nkind: List\nitems: {}\n').texts;
    expect(problem).toMatch(/^a\.yaml:/);
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n';
    expect(read(config).ids).toEqual(['ConfigMap default/c']);
    const items = agent('a')
      .replaceAll(/^(?=.)/gm, '  ')
      .replace('  ', '- ');
    expect(read(`${config}items:\n${items}`).ids).toEqual(['ConfigMap default/c']);
  });

  test('may say null where it has no labels or annotations', () => {
    const text = `${HEAD}metadata: {name: a, labels: null, annotations: null, namespace: null}\nspec: {prompt: p}\n`;
    expect(read(text)).toMatchObject({ texts: [], ids: ['Agent default/a'] });
  });

  test('of an unknown kind may be a misspelt one of ours only in our groups', () => {
    const isUnknown = (apiVersion: string): boolean =>
      read(`apiVersion: ${apiVersion}\nkind: Thing\nmetadata: {name: a}\n`).unknownIdentity;
    expect(isUnknown('v1')).toBe(true);
    expect(isUnknown('parley.dev/v1')).toBe(true);
    expect(isUnknown('7')).toBe(true);
    expect(isUnknown('apps/v1')).toBe(false);
  });

  test('uses anchors and merge keys', () => {
    const spec = `x: &base {prompt: shared}\n  z:\n    <<: *base\n    more: 1\n  prompt: p`;
    expect(read(agent('a', spec)).applied[0]?.spec).toMatchObject({
      z: { prompt: 'shared', more: 1 },
    });
  });

  test('means what it means to kubectl: no is false, a date and a time of day are text', () => {
    const spec = 'prompt: p\n  loud: no\n  date: 2026-01-02\n  at: 22:00\n  big: 0o17';
    expect(read(agent('a', spec)).applied[0]?.spec).toEqual({
      prompt: 'p',
      loud: false,
      date: '2026-01-02',
      at: '22:00',
      big: '0o17',
    });
  });

  test('declares what the rules say was written, where they say it', () => {
    const verdict = { spec: { a: 1, b: 2 }, declared: { a: 1 } };
    const declared = Object.assign(() => verdict, { kinds: ['Agent'] });
    const [document] = parseYaml('a.yaml', agent('a')).documents;
    const { objects } = readManifest(document ?? { value: null, placeOf: () => never }, declared);
    expect(objects[0]?.applied?.spec).toEqual({ a: 1 });
  });

  test('declares a Secret or a ConfigMap through its own rules', () => {
    const text = 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {k: v}\n';
    expect(read(text).applied).toMatchObject([{ kind: 'Secret', spec: { data: { k: 'v' } } }]);
    expect(read(text.replace('{k: v}', '7')).texts).toEqual([
      'a.yaml:4:1 stringData: must be a map of strings',
    ]);
  });

  test('ignores what kubectl get writes along: status and the fields of the server', () => {
    const metadata = 'metadata: {name: a, uid: u, resourceVersion: "1", generation: 3}\n';
    const text = `${HEAD}${metadata}spec: {prompt: p}\nstatus: {ready: true}\n`;
    expect(read(text)).toMatchObject({ texts: [], applied: [{ spec: { prompt: 'p' } }] });
  });
});

describe('a mistake is reported with its place and what to change', () => {
  test.each([
    [
      'an unknown kind',
      agent('a').replace('Agent', 'Agnet'),
      /^a\.yaml:2:1 kind: "Agnet" is not a known kind; use one of Agent, WebhookEndpoint, KnowledgeSource, ModelProvider, TelephonyProvider, Secret, ConfigMap$/,
    ],
    ['no kind', 'apiVersion: v1\n', /^a\.yaml:1:1 kind: use one of Agent/],
    [
      'another apiVersion',
      agent('a').replace('v1alpha1', 'v2'),
      /^a\.yaml:1:1 apiVersion: must be parley\.dev\/v1alpha1 for kind Agent$/,
    ],
    ['no metadata', `${HEAD}spec: {prompt: p}\n`, /^a\.yaml:1:1 metadata: must be a map/],
    ['no name', `${HEAD}metadata: {}\n`, /^a\.yaml:3:1 metadata\.name: is missing/],
    [
      'a wrong name',
      agent('Upper_Case'),
      /^a\.yaml:4:3 metadata\.name: is "Upper_Case"; use lower-case/,
    ],
    ['a name of digits', agent('123'), /^a\.yaml:4:3 metadata\.name: is 123; .* quotes around/],
    [
      'a wrong namespace',
      `${HEAD}metadata:\n  name: a\n  namespace: A b\nspec: {prompt: p}\n`,
      /^a\.yaml:5:3 metadata\.namespace: must have/,
    ],
    [
      'an unknown metadata field',
      `${HEAD}metadata:\n  name: a\n  label: {}\nspec: {prompt: p}\n`,
      /^a\.yaml:5:3 metadata\.label: is not supported/,
    ],
    [
      'a label that is no string',
      `${HEAD}metadata:\n  name: a\n  labels:\n    a/b: 1\nspec: {prompt: p}\n`,
      /^a\.yaml:6:5 metadata\.labels\["a\/b"\]: must be a string/,
    ],
    [
      'a field beside spec',
      `${agent('a')}prompt: p\n`,
      /^a\.yaml:7:1 prompt: is not a known field; did you mean to put it inside spec\?$/,
    ],
    [
      'a spec that is no map',
      `${HEAD}metadata: {name: a}\nspec: text\n`,
      /^a\.yaml:4:1 spec: must be a map$/,
    ],
    [
      'a missing field, at what should hold it',
      `${HEAD}metadata: {name: a}\nspec:\n  x: 1\n`,
      /^a\.yaml:4:1 spec\.prompt: is required$/,
    ],
    [
      'an unknown field',
      agent('a', 'prompt: p\n  promt: q'),
      /^a\.yaml:7:3 spec\.promt: is unknown/,
    ],
    [
      'a wrong value deep inside',
      agent('a', 'prompt: p\n  tools:\n    - url: ok\n    - url: bad'),
      /^a\.yaml:9:7 spec\.tools\[1\]\.url: must be a URL$/,
    ],
    [
      'a wrong value behind an alias',
      agent('a', 'prompt: p\n  x: &t {url: bad}\n  tools: [*t]'),
      /^a\.yaml:7:10 spec\.tools\[0\]\.url: must be a URL$/,
    ],
    ['a list', '- 1\n', /^a\.yaml:1:1 a manifest must be a map/],
    [
      'a key that stands twice',
      agent('a', 'prompt: p\n  prompt: q'),
      /^a\.yaml:7:3 this key appears twice: remove one of them$/,
    ],
    ['wrong YAML', agent('a', 'prompt: [1'), /^a\.yaml:\d+:\d+ .*\]/],
    [
      'an alias to nothing',
      agent('a', 'prompt: *none'),
      /^a\.yaml:6:11 an alias cannot be resolved/,
    ],
    ['an unknown tag', agent('a', 'prompt: !env X'), /^a\.yaml:6:11 .*!env/],
    ['brackets without end', '['.repeat(20_000), /^a\.yaml:1:\d+ /], // Too deep for any stack.
  ])('%s', (_what, text, expected) => {
    const { texts, applied } = read(text);
    expect(texts[0]).toMatch(expected);
    expect(texts.length).toBeLessThanOrEqual(3);
    expect(applied).toEqual([]);
  });

  test('a flood of aliases is refused', () => {
    const lines = ['l0: &l0 [x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 9; n += 1)
      lines.push(
        `l${n}: &l${n} [${Array(9)
          .fill(`*l${n - 1}`)
          .join()}]`,
      );
    expect(read(lines.join('\n')).texts[0]).toContain('alias');
  });

  test('and stops no other document, not even after an open quote', () => {
    const text = `${agent('a', 'prompt: "open')}---\n${agent('b')}---\n${agent('c', 'prompt: p\n  speed: 9')}`;
    const { ids, applied, texts } = read(text);
    expect(ids).toEqual(['Agent default/b', 'Agent default/c']);
    expect(applied.map(({ name }) => name)).toEqual(['b']);
    expect(texts.at(-1)).toBe('a.yaml:21:3 spec.speed: must be at most 4');
  });

  test('leaves open what is meant only when it may be one of ours', () => {
    expect(read(agent('a').replace('Agent', 'Agnet')).unknownIdentity).toBe(true);
    expect(read(agent('a').replace('name: a', 'nam: a')).unknownIdentity).toBe(true);
    expect(read('apiVersion: apps/v1\nkind: Deployment\n').unknownIdentity).toBe(false);
    expect(read(agent('a').replace('v1alpha1', 'v2'))).toMatchObject({
      ids: ['Agent default/a'],
      unknownIdentity: false,
    });
  });
});

describe('the reporter', () => {
  test('reports a problem once, and again after it had gone away', () => {
    const texts: string[] = [];
    const reporter = createManifestReporter(({ text }) => texts.push(text));
    const problem = { field: 'spec.x', detail: 'is wrong' };
    for (const problems of [[problem, problem], [problem], [], [problem]]) {
      reporter.problems(problems);
    }
    expect(texts).toEqual(['spec.x: is wrong', 'spec.x: is wrong']);
  });

  test('writes a pointer as a person would', () => {
    expect(formatPointer('/spec/tools/0/a~1b/c')).toBe('spec.tools[0]["a/b"].c');
    expect(formatPointer('')).toBe('');
  });
});
