import { describe, expect, test } from 'vitest';
import { jsonProblem } from '../../packages/dashboard/src/form/json-shape.ts';
import { cleaned } from '../../packages/dashboard/src/form/merge.ts';
import { SHAPES, type Tool } from '../../packages/dashboard/src/pages/agents/agent-shapes.ts';
import {
  argumentsOf,
  NO_SAMPLES,
} from '../../packages/dashboard/src/pages/agents/tools/sample-arguments.ts';
import {
  draftOf,
  editedTool,
  hasRows,
  NEW_PARAMETER,
  NEW_TOOL,
  toolOf,
  type ToolDraft,
} from '../../packages/dashboard/src/pages/agents/tools/tool-draft.ts';
import { problemsOf } from '../../packages/dashboard/src/pages/agents/tools/tool-problems.ts';

/** A tool as its form edits it, and the tool that the form writes. */

const parameters = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Number.', pattern: '^A' },
    size: { type: 'string', enum: ['s', 'm'] },
    lines: { type: 'array', items: { type: 'number' } },
  },
  required: ['size', 'id'],
  additionalProperties: false,
};

const TOOL: Tool = {
  type: 'webhook',
  name: 'look_up',
  description: 'Looks up.',
  url: 'https://shop.example.com/',
  method: 'GET',
  headers: { 'x-shop': 'a' },
  secret_ref: { name: 'shop', key: 'token' },
  signing_secret_ref: { name: 'shop', key: 'signing' },
  timeout_ms: 500,
  parameters,
};

const rowsOf = ({ parameters: shown }: ToolDraft) => (typeof shown === 'string' ? [] : shown.rows);

test('a tool that nobody changed is written as it was, to the order of its required parameters', () => {
  expect(editedTool(TOOL, draftOf(TOOL))).toBe(TOOL);
  const changed = editedTool(TOOL, { ...draftOf(TOOL), name: 'find' });
  expect(changed).toEqual({
    ...TOOL,
    name: 'find',
    parameters: { ...parameters, required: ['id', 'size'] },
  });
});

test('parameters are rows, and keywords without a field are kept', () => {
  expect(rowsOf(draftOf(TOOL))).toEqual([
    { ...NEW_PARAMETER, name: 'id', description: 'Number.', rest: { pattern: '^A' } },
    { ...NEW_PARAMETER, name: 'size', choices: 's\nm' },
    {
      ...NEW_PARAMETER,
      name: 'lines',
      type: 'array',
      isRequired: false,
      rest: { items: { type: 'number' } },
    },
  ]);
});

test.each([
  ['a parameter of several types', { properties: { a: { type: ['string', 'null'] } } }],
  ['a parameter without a type', { properties: { a: { anyOf: [] } } }],
  ['a parameter that is true', { properties: { a: true } }],
  ['a required parameter that is not described', { properties: {}, required: ['a'] }],
  ['a requirement that is no list', { properties: {}, required: true }],
  ['properties that are no object', { properties: [] }],
])('a schema with %s is shown as JSON, and written as it was', (_, schema) => {
  const tool = { ...TOOL, parameters: schema };
  const draft = draftOf(tool);
  expect(draft.parameters).toBe(JSON.stringify(schema, null, 2));
  expect(hasRows(JSON.stringify(schema))).toBe(false);
  expect(toolOf(draft)).toEqual(tool);
});

test('JSON that is unfinished, or that rows can show, may become rows', () => {
  for (const text of ['{', '', JSON.stringify(parameters)]) expect(hasRows(text)).toBe(true);
});

test('a new tool has no parameters until a row has a name, and takes no others then', () => {
  const draft = draftOf(NEW_TOOL);
  expect(toolOf({ ...draft, name: ' a ' })).toEqual({ type: 'webhook', name: 'a' });
  const rows = [NEW_PARAMETER, { ...NEW_PARAMETER, name: ' id ', isRequired: false }];
  const rest = { additionalProperties: false };
  expect(toolOf({ ...draft, parameters: { rows, rest } }).parameters).toEqual({
    type: 'object',
    properties: { id: { type: 'string' } },
    additionalProperties: false,
  });
});

test('a tool has only what its type needs, and nothing of what was emptied', () => {
  const draft = { ...draftOf(TOOL), agent: 'billing', version: 2 };
  expect(toolOf({ ...draft, type: 'handoff' })).toEqual({
    type: 'handoff',
    name: 'look_up',
    description: 'Looks up.',
    parameters: { ...parameters, required: ['id', 'size'] },
    agent: 'billing',
    version: 2,
  });
  const none = { name: '', key: '' };
  const emptied = {
    description: ' ',
    timeout_ms: null,
    secret_ref: none,
    signing_secret_ref: none,
  };
  const headers = [{ name: ' ', value: 'x' }];
  const { type, name, url, method } = TOOL;
  expect(toolOf({ ...draftOf({ type, name, url: url! }), ...emptied, headers, method })).toEqual({
    type,
    name,
    url,
    method,
  });
});

test.each([
  ['a name with a space', { name: 'look up' }, 'name'],
  ['a name that another tool has', { name: 'other' }, 'name'],
  ['no URL', { url: ' ' }, 'url'],
  ['half a Secret', { secret_ref: { name: 'shop', key: '' } }, 'secret_ref'],
  ['half a signing Secret', { signing_secret_ref: { name: '', key: 'k' } }, 'signing_secret_ref'],
  ['a handoff to nobody', { type: 'handoff' as const }, 'agent'],
  ['a schema that is a list', { parameters: '[]' }, 'parameters'],
  ['a parameter without a name', { parameters: { rows: [NEW_PARAMETER], rest: {} } }, 'parameters'],
  [
    'two parameters of one name',
    {
      parameters: {
        rows: [
          { ...NEW_PARAMETER, name: 'a' },
          { ...NEW_PARAMETER, name: 'a ' },
        ],
        rest: {},
      },
    },
    'parameters',
  ],
])('%s is a problem of that field', (_, change: Partial<ToolDraft>, field) => {
  expect(problemsOf(draftOf(TOOL), ['other'])).toEqual({});
  expect(Object.keys(problemsOf({ ...draftOf(TOOL), ...change }, ['other']))).toEqual([field]);
});

describe('sample arguments', () => {
  const row = (name: string, type: keyof typeof SAMPLES) => ({ ...NEW_PARAMETER, name, type });
  const SAMPLES = {
    string: ['a "b"', 'a "b"'],
    number: ['1.5', 1.5],
    integer: ['2', 2],
    boolean: ['true', true],
    array: ['["a"]', ['a']],
    object: ['{"a":1}', { a: 1 }],
  } as const;

  test('have the type of their parameter, and an empty one is left out', () => {
    const types = Object.keys(SAMPLES) as (keyof typeof SAMPLES)[];
    const rows = [...types.map((type) => row(type, type)), row('empty', 'string'), NEW_PARAMETER];
    const byName = Object.fromEntries(types.map((type) => [type, SAMPLES[type][0]]));
    const value = Object.fromEntries(types.map((type) => [type, SAMPLES[type][1]]));
    expect(argumentsOf({ rows, rest: {} }, { ...NO_SAMPLES, byName })).toEqual({ value });
  });

  test.each([
    ['number', 'x', 'size: must be a number'],
    ['boolean', 'yes', 'size: must be true or false'],
    ['array', '[', 'size: must be a list in JSON, such as ["a", "b"]'],
  ] as const)('of the type %s cannot be %j', (type, text, problem) => {
    const samples = { ...NO_SAMPLES, byName: { size: text } };
    expect(argumentsOf({ rows: [row('size', type)], rest: {} }, samples)).toEqual({ problem });
  });

  test('are one JSON object for a schema that is shown as JSON', () => {
    expect(argumentsOf('{}', { ...NO_SAMPLES, json: '{"a":1}' })).toEqual({ value: { a: 1 } });
    expect(argumentsOf('{}', { ...NO_SAMPLES, json: ' ' })).toEqual({ value: {} });
    for (const json of ['[1]', '{', 'null']) {
      expect(argumentsOf('{}', { ...NO_SAMPLES, json })).toHaveProperty('problem');
    }
  });
});

test.each([
  ['[{"type":"webhook","name":"a","timeout_ms":5}]', 'tools', undefined],
  [' ', 'tools', undefined],
  ['{}', 'tools', 'must be a list'],
  ['[{"type":"phone"}]', 'tools', '0/type: must be one of webhook, knowledge_search'],
  ['[{"secret_ref":{"nam":"a"}}]', 'tools', '0/secret_ref/nam: is not a known field'],
  ['[{"parameters":[]}]', 'tools', '0/parameters: must be an object'],
  ['[{"type":"webhook"}]', 'tools', '0/name: is required'],
  [
    '[{"type":"webhook","name":"a","secret_ref":{"name":"a"}}]',
    'tools',
    '0/secret_ref/key: is required',
  ],
  ['{"time_zone":"UTC","open":[{"days":[],"from":""}]}', 'hours', 'open/0/to: is required'],
  ['{"open":[]}', 'hours', 'time_zone: is required'],
  ['{"speed":"1"}', 'voice', 'speed: must be a number'],
  ['{"fallback":[{"provider":1}]}', 'voice', 'fallback/0/provider: must be a string'],
  [
    '{"retranscribe_interrupted":1}',
    'transcriber',
    'retranscribe_interrupted: must be true or false',
  ],
  ['{"open":[{"days":["mo"]}]}', 'hours', 'open/0/days/0: must be one of mon'],
  ['[', 'fallback', 'must be valid JSON'],
] as const)('the JSON %s of %s is checked as it is typed', (text, part, problem) => {
  const found = jsonProblem(text, SHAPES[part]);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test('empty members and blank items are left out, and other values stay', () => {
  const value = { a: '', b: [], c: { d: null }, e: [' x ', ' '], f: false, g: 0 };
  expect(cleaned(value)).toEqual({ e: ['x'], f: false, g: 0 });
  expect(cleaned({ a: { b: '' } })).toBeUndefined();
});

test('a given secret replaces the reference to an earlier one, and an empty one leaves it', () => {
  const secret_ref = { name: 'shop', key: 'token' };
  const before: Tool = { type: 'webhook', name: 'a', url: 'https://a.example', secret_ref };
  const draft = draftOf(before);
  expect(toolOf({ ...draft, secret: 'tok' })).toMatchObject({ secret: 'tok' });
  expect(toolOf({ ...draft, secret: 'tok' })).not.toHaveProperty('secret_ref');
  expect(toolOf({ ...draft, secret: '' })).toEqual(before);
  expect(toolOf({ ...draft, secret_ref: null })).not.toHaveProperty('secret_ref');
});
