import { afterEach, describe, expect, test } from 'vitest';
import { stopAll } from './model-harness.ts';
import { answerTo, call, delta, order, stops, type Fields } from './streams.ts';

/** Calls of tools from servers that are OpenAI-compatible with small differences. */

afterEach(stopAll);

describe('calls without numbers and ids of their own', () => {
  const A1 = '{"order":"A-1"}';
  const A2 = '{"order":"A-2"}';
  const named = (text: string, more: Fields): Fields => ({
    ...more,
    type: 'function',
    function: { name: 'order_status', arguments: text },
  });

  test.each([
    ['index 0 and an empty id', order(A1, { index: 0, id: '' }) + order(A2, { index: 0, id: '' })],
    ['index 0 and no id', order(A1, { index: 0 }) + order(A2, { index: 0 })],
    [
      'the same index and the same id',
      order(A1, { index: 0, id: 'call_0' }) + order(A2, { index: 0, id: 'call_0' }),
    ],
    ['the same id and no index', order(A1, { id: 'call_0' }) + order(A2, { id: 'call_0' })],
    ['no index and no id', order(A1) + order(A2)],
    [
      'both in one chunk',
      delta({ tool_calls: [named(A1, { index: 0, id: '' }), named(A2, { index: 0, id: '' })] }),
    ],
    [
      'arguments in pieces, with the name in each',
      order('{"order":', { index: 0, id: '' }) +
        order('"A-1"}', { index: 0, id: '' }) +
        order(A2, { index: 0, id: '' }),
    ],
    [
      'arguments in pieces, the next ones unnamed',
      order('{"order"', { index: 0, id: '' }) +
        call({ index: 0, function: { arguments: ':"A-1"}' } }) +
        order('{"or', { index: 0, id: '' }) +
        call({ index: 0, function: { arguments: 'der":"A-2"}' } }),
    ],
    [
      'arguments in pieces, after a chunk that only names the call',
      order('', { index: 0, id: null }) +
        call({ index: 0, function: { arguments: '{"order":' } }) +
        call({ index: 0, function: { arguments: '"A-1"}' } }) +
        order('', { index: 0, id: null }) +
        call({ index: 0, function: { arguments: '{"order":"A' } }) +
        call({ index: 0, function: { arguments: '-2"}' } }),
    ],
    [
      'the name in the first one alone',
      order(A1, { index: 0 }) + call({ index: 0, function: { arguments: A2 } }),
    ],
    [
      'arguments as objects',
      call({ index: 0, function: { name: 'order_status', arguments: { order: 'A-1' } } }) +
        call({ index: 0, function: { name: 'order_status', arguments: { order: 'A-2' } } }),
    ],
  ])('are two calls: %s', async (_, stream) => {
    const { reply } = await answerTo(stream + stops('tool_calls'));
    expect(reply.toolCalls.map((one) => [one.name, one.arguments])).toEqual([
      ['order_status', A1],
      ['order_status', A2],
    ]);
    expect(new Set(reply.toolCalls.map(({ id }) => id)).size).toBe(2);
  });

  test('and without arguments are two calls when they stand in one chunk', async () => {
    const { reply } = await answerTo(
      delta({ tool_calls: [named('', { index: 0, id: '' }), named('', { index: 0, id: '' })] }) +
        stops('tool_calls'),
    );
    expect(reply.toolCalls).toHaveLength(2);
  });

  test('is one call when a last chunk only names it again', async () => {
    const { reply } = await answerTo(
      order(A1, { index: 0, id: 'x' }) + order('', { index: 0, id: 'x' }) + stops('tool_calls'),
    );
    expect(reply.toolCalls.map((one) => one.arguments)).toEqual([A1]);
  });

  test('is one call when a piece of its arguments begins with a bracket', async () => {
    const { reply } = await answerTo(
      order('{"lines":[', { index: 0 }) +
        call({ index: 0, function: { arguments: '{"id":1},' } }) +
        call({ index: 0, function: { arguments: '{"id":2}' } }) +
        call({ index: 0, function: { arguments: ']}' } }) +
        stops('tool_calls'),
    );
    expect(reply.toolCalls.map((one) => one.arguments)).toEqual(['{"lines":[{"id":1},{"id":2}]}']);
  });

  test('in the older form of one function is a call', async () => {
    const { reply } = await answerTo(
      delta({ function_call: { name: 'order_status', arguments: '{"order":' } }) +
        delta({ function_call: { arguments: '"A-1"}' } }) +
        stops('function_call'),
    );
    expect(reply).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'order_status', arguments: A1 }],
    });
  });
});

describe('arguments that can be read without doubt', () => {
  test.each([
    ['encoded twice', '"{\\"order\\": \\"A-1\\"}"'],
    ['encoded three times', JSON.stringify(JSON.stringify('{"order":"A-1"}'))],
    ['in a fence', '```json\n{"order":"A-1"}\n```'],
    ['in a fence without a language', '```\n{"order":"A-1"}```'],
    ['in a fence, encoded', JSON.stringify('```json\n{"order":"A-1"}\n```')],
    ['in tags', '<tool_call>\n{"order":"A-1"}\n</tool_call>'],
    ['before a token of its template', '{"order":"A-1"}<|im_end|>'],
    ['after a mark of byte order', '\uFEFF{"order":"A-1"}'],
    ['between single backticks', '`{"order":"A-1"}`'],
    ['in a fence whose language is in capitals', '  ```JSON\n{ "order" : "A-1" }\n```  '],
    ['in a fence of tildes', '~~~json\n{"order":"A-1"}\n~~~'],
    ['encoded, in a fence', '```json\n"{\\"order\\":\\"A-1\\"}"\n```'],
    ['in tags of small letters', '[tool_calls]{"order":"A-1"}[/tool_calls]'],
    ['alone in a list', '[{"order":"A-1"}]'],
    ['written twice', '{"order":"A-1"}{"order":"A-1"}'],
    ['written twice, in lines', '{"order":"A-1"}\n{"order":"A-1"}\n'],
    ['after an empty object', '{} {"order":"A-1"}'],
    ['within name and arguments', '{"name":"order_status","arguments":{"order":"A-1"}}'],
    [
      'within name and arguments, encoded',
      '{"name":"order_status","arguments":"{\\"order\\":\\"A-1\\"}"}',
    ],
  ])('are: %s', async (_, text) => {
    const { reply } = await answerTo(order(text, { index: 0, id: 'a' }) + stops('tool_calls'));
    expect(JSON.parse(reply.toolCalls[0]!.arguments)).toEqual({ order: 'A-1' });
  });

  test.each([
    ['two objects', '{"order":"A-1"}{"order":"A-2"}'],
    ['words around', 'not {"order":"A-1"} but another'],
    ['a list', '[1,2]'],
    ['a list of two', '[{"order":"A-1"},{"order":"A-2"}]'],
    ['an empty list', '[]'],
    ['a text', '"A-1"'],
    ['a number', '7'],
    ['a half', '{"order":"A'],
    ['a name of another tool', '{"name":"refund","arguments":{"order":"A-1"}}'],
  ])('are left as they are: %s', async (_, text) => {
    const { reply } = await answerTo(order(text, { index: 0, id: 'a' }) + stops('tool_calls'));
    expect(reply.toolCalls[0]!.arguments).toBe(text);
  });

  test.each(['', '  ', 'null', '""', '{}'])(
    'of a call that gives none are an empty object: %j',
    async (text) => {
      const { reply } = await answerTo(order(text, { index: 0, id: 'a' }) + stops('tool_calls'));
      expect(reply.toolCalls[0]!.arguments).toBe('{}');
    },
  );

  test('after an empty object that stood for them', async () => {
    const { reply } = await answerTo(
      order('{}', { index: 0, id: 'a' }) +
        call({ index: 0, function: { arguments: '{"order":"A-1"}' } }) +
        stops('tool_calls'),
    );
    expect(reply.toolCalls.map((one) => one.arguments)).toEqual(['{"order":"A-1"}']);
  });
});
