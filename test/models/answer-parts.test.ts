import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createAnswerDraft } from '../../src/models/answers/answer-draft.ts';
import { createCallAssembly } from '../../src/models/answers/call-assembly.ts';
import { readEvents } from '../../src/models/answers/read-events.ts';
import { readJson } from '../../src/models/answers/read-json.ts';
import { readChunk } from '../../src/models/answers/read-chunk.ts';
import { createThinkingFilter } from '../../src/models/answers/thinking-filter.ts';
import { unwrapArguments } from '../../src/models/answers/unwrap-arguments.ts';
import { badEnd } from '../../src/models/model-failure.ts';
import { WHOLE_ANSWER } from '../../src/models/openai-model.ts';

/** The parts of an answer at their limits, and each condition that separates them. */

const KIB_64 = 64 * 1024;

describe('a call', () => {
  const piece = (text: string, more: object = {}) => ({
    index: 0,
    id: 'c',
    function: { name: 'n', arguments: text },
    ...more,
  });

  test.each([
    [KIB_64, true],
    [KIB_64 + 1, false],
  ])('with %i characters of arguments is taken whole: %s', (length, isWhole) => {
    const calls = createCallAssembly();
    expect(calls.take([piece('x'.repeat(length))], false)).toBe(isWhole);
    expect(calls.finished()[0]!.arguments).toHaveLength(KIB_64);
  });

  test('with a megabyte of arguments keeps no more of them in memory than it takes', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heldBytes = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heldBytes();
    const kept = Array.from({ length: 40 }, () => {
      const calls = createCallAssembly();
      calls.take([piece(JSON.parse(`"${'x'.repeat(1024 * 1024)}"`) as string)], false);
      return calls.finished();
    });
    expect(heldBytes() - before).toBeLessThan(20 * 1024 * 1024);
    expect(kept).toHaveLength(40);
  });

  test.each([
    [KIB_64, true],
    [KIB_64 + 1, false],
  ])('keeps other fields of %i characters: %s', (length, isKept) => {
    const calls = createCallAssembly();
    const around = JSON.stringify({ mark: '' }).length;
    calls.take([piece('{}', { mark: 'x'.repeat(length - around) })], false);
    expect('extra' in calls.finished()[0]!).toBe(isKept);
  });

  test('has no other fields that are empty', () => {
    const calls = createCallAssembly();
    calls.take([piece('{}', { one: null, two: '' })], false);
    expect(calls.finished()[0]).not.toHaveProperty('extra');
  });

  test.each([
    [32, true],
    [33, false],
  ])('is one of %i: all are taken: %s', (count, areTaken) => {
    const calls = createCallAssembly();
    const parts = Array.from({ length: count }, (_, index) =>
      piece('{}', { index, id: `c${index}` }),
    );
    expect(calls.take(parts, false)).toBe(areTaken);
    expect(calls.count).toBe(32);
  });

  test.each([
    ['', 'unnamed'],
    ['a b', 'a_b'],
    ['x'.repeat(65), 'x'.repeat(64)],
  ])('of the name %j is called %s', (name, shown) => {
    const calls = createCallAssembly();
    calls.take([{ index: 0, function: { name, arguments: '{}' } }], false);
    expect(calls.finished()[0]!.name).toBe(shown);
  });

  test('has an id of its own', () => {
    const calls = createCallAssembly();
    const part = (index: number, id?: string) => ({ ...piece('{}', { index }), id });
    calls.take([part(0, 'same'), part(1, 'same'), part(2), part(3, 'other')], false);
    const ids = calls.finished().map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect([ids[0], ids[3]]).toEqual(['same', 'other']);
    expect(ids[2]).toMatch(/^call_/);
  });
});

describe('a chunk', () => {
  const delta = (fields: object) => readChunk({ choices: [{ delta: fields }] }).delta;

  test.each([
    [{ reasoning_content: 'r' }, true],
    [{ reasoning_details: [1] }, true],
    [{ thinking: 't' }, true],
    [{ content: [{ type: 'thinking', thinking: 't' }] }, true],
    [{ content: ['x', { type: 'thinking' }] }, false],
    [{ reasoning_details: [] }, false],
    [{ reasoning_content: '' }, false],
    [{ reasoning_content: null }, false],
    [{ content: [] }, false],
    [{ content: 'x' }, false],
  ])('%j has reasoning: %s', (fields, has) => {
    expect(delta(fields)?.hasReasoning).toBe(has);
  });

  test.each([
    [{ content: [{ text: 'x' }] }, 'x'],
    [
      {
        content: [
          { type: 'text', text: 'x' },
          { type: 'image', text: 'y' },
        ],
      },
      'x',
    ],
    [{ content: [{ type: 7, text: 'x' }] }, ''],
    [{ content: '', refusal: 'no' }, 'no'],
    [{ content: 'x', refusal: 'no' }, 'x'],
    [{ content: 7 }, ''],
  ])('%j says %j', (fields, text) => {
    expect(delta(fields)?.text).toBe(text);
  });

  test('has the one call of older servers, unless it has others', () => {
    const single = { name: 'old' };
    const calls = (fields: object) => delta({ function_call: single, ...fields })?.calls;
    expect(calls({})).toEqual([{ index: 0, function: single }]);
    expect(calls({ tool_calls: [{ id: 'c' }] })).toEqual([{ id: 'c' }]);
    expect(delta({ function_call: null })?.calls).toEqual([]);
  });

  test.each([null, 'text', undefined])('without a delta (%j) has none', (value) => {
    expect(readChunk({ choices: [{ delta: value }] }).delta).toBeUndefined();
  });

  test.each([
    [
      { prompt_tokens: 3, completion_tokens: 0 },
      { inputTokens: 3, outputTokens: 0 },
    ],
    [{ prompt_tokens: 0, completion_tokens: 0 }, undefined],
    [{ prompt_tokens: 3 }, undefined],
    [{ completion_tokens: 3 }, undefined],
    [{ prompt_tokens: 3, completion_tokens: -1 }, undefined],
    [{ prompt_tokens: 3, completion_tokens: 1.5 }, undefined],
    [{ prompt_tokens: 3, completion_tokens: '4' }, undefined],
  ])('reports %j as %j', (usage, counted) => {
    expect(readChunk({ usage }).usage).toEqual(counted && { ...counted, cachedInputTokens: 0 });
  });
});

test.each([
  ['', '{}'],
  ['null', '{}'],
  ['{"a":1}', '{"a":1}'],
  ['[1]', '[1]'],
  ['[null]', '[null]'],
  ['[{"a":1}]', '{"a":1}'],
  ['[{"a":1},2]', '[{"a":1},2]'],
  ['["{\\"a\\":1}"]', '["{\\"a\\":1}"]'],
  ['7', '7'],
  ['"{\\"a\\":1}"', '{"a":1}'],
  ['```json\n{"a":1}\n```', '{"a":1}'],
  ['} {', '} {'],
  ['}', '}'],
  ['()', '()'],
  ['} {"a":1}', '{"a":1}'],
  ['{', '{'],
  ['call {"a":1}', 'call {"a":1}'],
  ['{"name":"t","arguments":{"a":1}}', '{"a":1}'],
  ['{"name":"t","parameters":{"a":1}}', '{"a":1}'],
  ['{"name":"t","arguments":"{\\"a\\":1}"}', '{"a":1}'],
  ['{"name":"other","arguments":{"a":1}}', '{"name":"other","arguments":{"a":1}}'],
  ['{"name":"t","arguments":{"a":1},"b":2}', '{"name":"t","arguments":{"a":1},"b":2}'],
  ['{"name":"t"}', '{"name":"t"}'],
  ['{"name":"t","arguments":[1]}', '{"name":"t","arguments":[1]}'],
  ['{"name":"t","arguments":null}', '{"name":"t","arguments":null}'],
  ['{"name":"t","arguments":7}', '{"name":"t","arguments":7}'],
])('the arguments %s are %s', (text, own) => {
  expect(unwrapArguments(text, 't')).toBe(own);
});

test.each([
  [5, '{"a":1}'],
  [6, undefined],
])('arguments in %i layers of text are unwrapped to %s', (layers, own) => {
  let text = '{"a":1}';
  for (let i = 0; i < layers; i += 1) text = JSON.stringify(text);
  expect(unwrapArguments(text, 't')).toBe(own ?? text);
});

test.each([
  ['unknown', false, /without any content/],
  ['unknown', true, undefined],
  ['stop', false, undefined],
  ['malformed', true, /malformed tool call/],
  ['broken', true, /stopped in the middle of its answer/],
  [undefined, false, undefined],
] as const)('an end that is %s, with a part: %s, is wrong: %s', (ending, hasPart, message) => {
  const bad = badEnd(ending, { reason: undefined, hasPart })?.message;
  if (message === undefined) expect(bad).toBeUndefined();
  else expect(bad).toMatch(message);
});

const MIB = 1024 * 1024;
/** Exactly so many bytes in one piece. */
const bodyOf = (before: string, bytes: number, after: string): ReadableStream<Uint8Array> => {
  const filling = ' '.repeat(bytes - before.length - after.length);
  return new Blob([before + filling + after]).stream();
};

test.each([
  [2 * MIB, true],
  [2 * MIB + 1, false],
])('an answer of %i bytes at once is read: %s', async (bytes, isRead) => {
  const read = readJson(new Response(bodyOf('{"a":', bytes, '1}')), WHOLE_ANSWER);
  if (isRead) expect(await read).toEqual({ a: 1 });
  else await expect(read).rejects.toThrow('more than 2 MiB');
});

test.each([
  [MIB, true],
  [MIB + 1, false],
])('an event of %i bytes is read: %s', async (bytes, isRead) => {
  const body = bodyOf('data: {"a":', bytes, '1}\n\n');
  const { signal } = new AbortController();
  const read = (async () => {
    const found: unknown[] = [];
    for await (const events of readEvents(new Response(), body, signal)) {
      if (typeof events !== 'string') found.push(...events);
    }
    return found;
  })();
  if (isRead) expect(await read).toEqual([{ a: 1 }]);
  else await expect(read).rejects.toThrow('larger than 1 MiB');
});

describe('what a stream sends without end', () => {
  test('white space before the first word waits for a tag, up to 1,000 characters', () => {
    const filter = createThinkingFilter({ isHeld: false });
    expect(filter.take(' '.repeat(1_000)).text).toBe('');
    expect(filter.take(' ').text).toBe(' '.repeat(1_001));
    expect(filter.take(' ').text).toBe(' ');
  });

  test('a list beside the text keeps its first 2,000 items', () => {
    const draft = createAnswerDraft();
    const sink = { say: () => undefined, takeBack: () => undefined };
    for (let from = 0; from < 2_100; from += 300) {
      const reasoning_details = Array.from({ length: 300 }, (_, i) => ({ id: from + i }));
      draft.take({ choices: [{ delta: { reasoning_details } }] }, sink);
    }
    const kept = draft.extra()['reasoning_details'] as { id: number }[];
    expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 2_000 }, (_, i) => i));
  });
});
