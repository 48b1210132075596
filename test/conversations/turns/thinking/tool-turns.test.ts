import { describe, expect, test } from 'vitest';
import type { AgentContent } from '../../../../src/agents/agent.ts';
import {
  beginCalls,
  notedCalls,
  sameCall,
  toolTurnOf,
  type Call,
} from '../../../../src/conversations/turns/thinking/tool-turns.ts';

/** How calls of tools are begun, stored and read again. */

const callOf = (over: Partial<Call> = {}, args = '{}', extra?: Record<string, unknown>): Call => ({
  call: { id: 'c', name: 'order', arguments: args, ...(extra && { extra }) },
  id: 'tool_a',
  outcome: undefined,
  ...over,
});
const argumentsOf = (text: string): unknown => toolTurnOf(callOf({}, text)).toolCall?.['arguments'];

describe('a stored call', () => {
  test.each<[string, Partial<Call>, Record<string, unknown> | undefined, unknown]>([
    [
      'of the message',
      { from: 'p', message: { m: 1 } },
      undefined,
      { provider: 'p', message: { m: 1 } },
    ],
    ['of the call', { from: 'p' }, { c: 1 }, { provider: 'p', call: { c: 1 } }],
    [
      'of both',
      { from: 'p', message: {} },
      { c: 1 },
      { provider: 'p', message: {}, call: { c: 1 } },
    ],
    ['without any', { from: 'p' }, undefined, undefined],
    ['without a provider', { message: { m: 1 } }, { c: 1 }, undefined],
  ])('has what the provider wants back %s', (_, over, extra, metadata) => {
    const stored = toolTurnOf(callOf(over, '{}', extra));
    expect(stored.providerMetadata).toEqual(metadata);
    expect('providerMetadata' in stored).toBe(metadata !== undefined);
  });

  test('has at most 128 KiB of that', () => {
    const of = (length: number): boolean => {
      const empty = JSON.stringify({ provider: 'p', message: { m: '' } });
      const message = { m: 'x'.repeat(length - empty.length) };
      return toolTurnOf(callOf({ from: 'p', message })).providerMetadata !== undefined;
    };
    expect([of(131_072), of(131_073)]).toEqual([true, false]);
  });

  test.each([
    ['{"a":null,"b":[1,{"c":"d"}]}', { a: null, b: [1, { c: 'd' }] }],
    ['[1]', '[1]'],
    ['null', 'null'],
    ['"x"', '"x"'],
    ['{"a":', '{"a":'],
  ])('has the arguments %s as an object, or as its words', (text, given) => {
    expect(argumentsOf(text)).toEqual(given);
  });

  test('has arguments of 16,000 characters as an object, and longer ones as words', () => {
    const of = (length: number): string => `{"a":"${'x'.repeat(length - 8)}"}`;
    expect(typeof argumentsOf(of(16_000))).toBe('object');
    expect(typeof argumentsOf(of(16_001))).toBe('string');
  });
});

describe('calls that begin', () => {
  const call = (id: string, over: object = {}) => ({ id, name: 'order', arguments: '{}', ...over });
  const begin = (
    calls: ReturnType<typeof call>[],
    extra?: Record<string, unknown>,
    before: Call[] = [],
  ) => beginCalls({ toolCalls: calls, provider: 'p', ...(extra && { extra }) }, before, 0);

  test('have an id of their own', () => {
    const ids = begin([call('a'), call(''), call('a')], undefined, [callOf()]).map(
      (one) => one.call.id,
    );
    expect(ids).toEqual(['a', 'n00000002', 'n00000003']);
    expect(begin([call('c')], undefined, [callOf()])[0]?.call.id).toBe('n00000001');
  });

  test('have empty arguments where there are none', () => {
    expect(begin([call('a', { arguments: ' ' })])[0]?.call.arguments).toBe('{}');
  });

  test('keep what the provider wants back, with the first call that of the message', () => {
    expect(begin([call('a'), call('b')], { m: 1 })).toMatchObject([
      { from: 'p', message: { m: 1 } },
      { from: 'p' },
    ]);
    expect(begin([call('a'), call('b')], { m: 1 })[1]).not.toHaveProperty('message');
    expect(begin([call('a'), call('b', { extra: { c: 1 } })])).toMatchObject([
      { from: 'p', message: {} },
      { from: 'p' },
    ]);
    const [plain] = begin([call('a')]);
    expect(plain).not.toHaveProperty('from');
    expect(plain).not.toHaveProperty('message');
  });
});

test('calls of an attempt that was killed are read again, without those that act here alone', () => {
  const tools = [
    { name: 'send', type: 'webhook' },
    { name: 'end', type: 'end_conversation' },
  ] as unknown as NonNullable<AgentContent['tools']>;
  const noted = (name: string, over: object = {}) => ({
    text: '',
    toolCall: { id: `tool_${name}`, name, arguments: { a: 1 } },
    toolResult: { ok: true, content: 'x', duration_ms: 2 },
    ...over,
  });
  const metadata = { provider: 'p', message: { m: 1 }, call: { c: 1 } };
  const calls = notedCalls(
    [
      noted('send'),
      noted('end'),
      noted('other', { providerMetadata: metadata, toolResult: null }),
      { text: '', toolCall: null, toolResult: null },
    ],
    { prompt: 'x', tools },
  );
  expect(calls).toMatchObject([
    { id: 'tool_send', call: { name: 'send', arguments: '{"a":1}' }, outcome: { ok: true } },
    {
      id: 'tool_other',
      call: { extra: { c: 1 } },
      from: 'p',
      message: { m: 1 },
      outcome: { ok: false },
    },
  ]);
  for (const member of ['from', 'message']) expect(calls[0]).not.toHaveProperty(member);
  expect(calls[0]?.call).not.toHaveProperty('extra');
});

test('calls do the same by their name and by their arguments in any order', () => {
  const of = (name: string, args: string): string => sameCall({ id: '', name, arguments: args });
  const one = of('a', '{"x":null,"y":[{"b":1,"a":2}]}');
  expect(of('a', '{"y":[{"a":2,"b":1}],"x":null}')).toBe(one);
  expect(of('b', '{"x":null,"y":[{"b":1,"a":2}]}')).not.toBe(one);
  expect(of('a', '{"x":null,"y":[{"b":1,"a":3}]}')).not.toBe(one);
});
