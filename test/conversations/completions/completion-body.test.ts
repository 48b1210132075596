import { describe, expect, test } from 'vitest';
import { CompletionBody } from '../../../src/conversations/completions/completion.view.ts';

/** What a body of a chat completion may have, in each field and at each limit. */

const BODY = { model: 'agt_x', messages: [{ role: 'user', content: 'Hello' }] };
const parse = (over: object) => CompletionBody.safeParse({ ...BODY, ...over });
const saying = (message: object) => parse({ messages: [{ role: 'user', ...message }] });

test.each<[object]>([
  [{ tools: [] }],
  [{ tools: {} }],
  [{ tools: null }],
  [{ tools: 'none' }],
  [{ functions: [] }],
  [{ audio: {} }],
  [{ tool_choice: 'auto' }],
  [{ tool_choice: 'none' }],
  [{ tool_choice: '' }],
  [{ tool_choice: { type: 'auto' } }],
  [{ tool_choice: { type: 'none' } }],
  [{ tool_choice: {} }],
  [{ tool_choice: ['x'] }],
  [{ function_call: null }],
  [{ response_format: 'text' }],
  [{ response_format: '' }],
  [{ response_format: null }],
  [{ response_format: { type: 'text' } }],
  [{ response_format: { type: '' } }],
  [{ response_format: { type: 1 } }],
  [{ modalities: ['text'] }],
  [{ modalities: 'text' }],
  [{ modalities: ['', null, 1] }],
  [{ modalities: null }],
  [{ n: 1 }],
  [{ n: '1' }],
  [{ n: null }],
  [{ user: 'x'.repeat(256) }],
])('%j is accepted', (over) => {
  expect(parse(over).success).toBe(true);
});

test.each<[object, (string | number)[]]>([
  [{ tools: [{}] }, ['tools']],
  [{ tools: { a: 1 } }, ['tools']],
  [{ functions: [1] }, ['functions']],
  [{ audio: { voice: 'a' } }, ['audio']],
  [{ tool_choice: 'required' }, ['tool_choice']],
  [{ tool_choice: { type: 'function' } }, ['tool_choice']],
  [{ tool_choice: { function: 'a' } }, ['tool_choice']],
  [{ function_call: { name: 'a' } }, ['function_call']],
  [{ response_format: 'json' }, ['response_format']],
  [{ response_format: { type: 'json_object' } }, ['response_format', 'type']],
  [{ modalities: ['text', 'audio'] }, ['modalities', 1]],
  [{ modalities: 'audio' }, ['modalities']],
  [{ n: 2 }, ['n']],
  [{ n: '1.5' }, ['n']],
  [{ user: 'x'.repeat(257) }, ['user']],
  [{ messages: [{ role: 'user', content: 12 }] }, ['messages', 0, 'content']],
  [{ messages: [{ role: 'user', tool_calls: [{}] }] }, ['messages', 0, 'tool_calls']],
  [{ messages: [{ role: 'tool', content: 'x' }] }, ['messages', 0, 'role']],
])('%j is refused', (over, path) => {
  expect(parse(over).error?.issues[0]?.path).toEqual(path);
});

describe('a message', () => {
  test.each([
    ['x', 'x'],
    [null, ''],
    [undefined, undefined],
    [[{ type: 'text', text: 'a' }, { type: 'refusal', refusal: 'b' }, { type: 'text' }], 'a\nb\n'],
  ])('of %j says %j', (content, text) => {
    expect(saying({ content }).data?.messages[0]?.content).toBe(text);
  });

  test('has at most 1,000 parts', () => {
    const of = (count: number): boolean =>
      saying({ content: Array.from({ length: count }, () => ({ type: 'text', text: 'a' })) })
        .success;
    expect([of(1_000), of(1_001)]).toEqual([true, false]);
  });
});

test.each([
  ['a', 'a'],
  ['', null],
  [null, null],
  [undefined, undefined],
  [12, '12'],
  [{ id: 1 }, '{"id":1}'],
])('a user %j is %j', (user, id) => {
  expect(parse({ user }).data?.user).toBe(id);
});

test.each([
  [{ a: 'b' }, { a: 'b' }],
  [
    { a: 1, b: { c: 2 }, d: null, e: undefined },
    { a: '1', b: '{"c":2}' },
  ],
  [{ '': 'b' }, {}],
  [{ ['x'.repeat(128)]: 'b' }, { ['x'.repeat(128)]: 'b' }],
  [{ ['x'.repeat(129)]: 'b' }, {}],
  [JSON.parse('{"__proto__":"b"}'), {}],
  [null, {}],
  ['text', {}],
  [[1], {}],
])('metadata %j is %j', (metadata, kept) => {
  expect(parse({ metadata }).data?.metadata).toEqual(kept);
});

test('metadata has at most 50 members, of 1,024 characters each', () => {
  const all = Object.fromEntries(
    Array.from({ length: 51 }, (_, at) => [`m${at}`, 'x'.repeat(1_025)]),
  );
  const kept = Object.entries(parse({ metadata: all }).data?.metadata ?? {});
  expect(kept.length).toBe(50);
  expect(kept[0]?.[1].length).toBeLessThanOrEqual(1_024);
});
