import { describe, expect, test } from 'vitest';
import type { ModelMessage, ModelToolCall } from '../../src/models/model.ts';
import { defaultCapabilities, type Capabilities } from '../../src/models/requests/capabilities.ts';
import { bodyOf, type Asked } from '../../src/models/requests/request-body.ts';
import { promptTokensOf, wireMessages } from '../../src/models/requests/request-messages.ts';

/** What of a prompt is sent, and in which form, by what a model takes. */

const DEFAULT = defaultCapabilities('https://models.example/v1');
const said = (content: string): ModelMessage => ({ role: 'user', content });
const replied = (content: string, more: object = {}): ModelMessage => ({
  role: 'assistant',
  content,
  ...more,
});
const SYSTEM: ModelMessage = { role: 'system', content: 'S' };

function sent(
  messages: ModelMessage[],
  over: Partial<Capabilities> & { historyEnd?: number } = {},
): [string, unknown][] {
  const { historyEnd, ...capabilities } = over;
  const prompt = { messages, ...(historyEnd !== undefined && { historyEnd }) };
  const to = { provider: 'own', capabilities: { ...DEFAULT, ...capabilities } };
  return wireMessages(prompt, to).map(({ role, content }) => [role, content]);
}

describe('a prompt that is too long', () => {
  const history = ['a', 'b', 'c'].map(said);
  const messages = [SYSTEM, ...history, said('q')];
  const each = promptTokensOf(said('q'));
  const all = messages.reduce((sum, message) => sum + promptTokensOf(message), 0);

  test('loses its oldest turns, half of the limit at a time', () => {
    expect(sent(messages, { historyEnd: 4, promptTokens: 4 * each })).toEqual([
      ['system', 'S'],
      ['user', 'c\n\nq'],
    ]);
  });

  test('is sent in whole at exactly the limit, and without one', () => {
    const greeted = [SYSTEM, replied('Hello'), ...messages.slice(1)];
    const tokens = all + promptTokensOf(replied('Hello'));
    for (const limit of [tokens, tokens + 1, undefined]) {
      const shown = sent(greeted, { historyEnd: 5, promptTokens: limit });
      expect(shown[2]).toEqual(['assistant', 'Hello']);
    }
    const less = sent(greeted, { historyEnd: 5, promptTokens: tokens - 1 });
    expect(less).not.toContainEqual(['assistant', 'Hello']);
  });

  test('keeps the instructions and the turn that is answered, whatever the limit', () => {
    expect(sent(messages, { historyEnd: 4, promptTokens: 1 })).toEqual([
      ['system', 'S'],
      ['user', 'q'],
    ]);
    const going = [SYSTEM, said('a'), replied('b')];
    expect(sent(going, { historyEnd: 2, promptTokens: 1 }).at(-1)).toEqual(['assistant', 'b']);
    expect(sent(messages, { promptTokens: 1 })).toEqual([
      ['system', 'S'],
      ['user', 'a\n\nb\n\nc\n\nq'],
    ]);
  });
});

describe('a message', () => {
  const call: ModelMessage = replied('', {
    toolCalls: [{ id: 'c', name: 'n', arguments: '{}' }],
  });
  const result: ModelMessage = { role: 'tool', toolCallId: 'c', content: 'sent' };

  test('after the result of a tool stands behind an answer, unless it asks for one', () => {
    const strict = (...rest: ModelMessage[]) =>
      sent([said('a'), call, result, ...rest], { roles: 'strict' }).slice(2);
    expect(strict(said('b'))).toEqual([
      ['tool', 'sent'],
      ['assistant', '(No answer.)'],
      ['user', 'b'],
    ]);
    expect(strict(said('(Answer now.)'))).toEqual([['tool', 'sent\n\n(Answer now.)']]);
    expect(strict(said('(a note)'), replied('c'))).toEqual([
      ['tool', 'sent'],
      ['assistant', '(No answer.)'],
      ['user', '(a note)'],
      ['assistant', 'c'],
    ]);
    expect(strict(replied('b'))).toEqual([
      ['tool', 'sent'],
      ['assistant', 'b'],
    ]);
  });

  test('is joined with the one before it of the same role, but results of tools are not', () => {
    expect(sent([said('a'), said(''), said('b'), replied('c'), replied('d')])).toEqual([
      ['user', 'a\n\nb'],
      ['assistant', 'c\n\nd'],
    ]);
    expect(sent([said('a'), call, result, result])).toHaveLength(4);
    expect(sent([said('a'), call, replied('b')])).toHaveLength(3);
  });

  test('of the system stands before the first words if the model takes none', () => {
    const inUser = { system: 'in_user' } as const;
    expect(sent([SYSTEM, said('a'), { ...SYSTEM, content: 'T' }], inUser)).toEqual([
      ['user', 'S\n\nT\n\na'],
    ]);
    expect(sent([said('a')], inUser)).toEqual([['user', 'a']]);
  });
});

describe('a call', () => {
  const signed = { extra_content: { own: 1 } };
  const ofFunction = { function: { signature: 's' } };
  const filled = { google: { thought_signature: 'skip_thought_signature_validator' } };
  const wire = (extras: object[], mode: Capabilities['callFields'], from = 'own') => {
    const toolCalls = extras.map(
      (extra, at) => ({ id: `c${at}`, name: 'n', arguments: '{}', extra }) as ModelToolCall,
    );
    const to = { provider: 'own', capabilities: { ...DEFAULT, callFields: mode } };
    const message = wireMessages(
      { messages: [said('a'), replied('', { toolCalls, from })] },
      to,
    )[1];
    return (message as { tool_calls: object[] }).tool_calls;
  };

  test('has the fields of its own provider, and of no other', () => {
    expect(wire([signed], 'own')[0]).toMatchObject(signed);
    expect(wire([signed], 'own', 'other')[0]).not.toHaveProperty('extra_content');
    expect(wire([signed], 'never')[0]).not.toHaveProperty('extra_content');
    expect(wire([{}], 'own')[0]).not.toHaveProperty('extra_content');
  });

  test('gets a signature if it is the first one and has none', () => {
    const [first, second] = wire([{}, {}], 'filled');
    expect(first).toMatchObject({ extra_content: filled });
    expect(second).not.toHaveProperty('extra_content');
    expect(wire([signed], 'filled')[0]).toMatchObject(signed);
    expect(wire([signed], 'filled', 'other')[0]).toMatchObject({ extra_content: filled });
    const [named] = wire([ofFunction], 'filled');
    expect(named).toMatchObject({ function: { name: 'n', signature: 's' } });
    expect(named).not.toHaveProperty('extra_content');
  });
});

describe('a request', () => {
  const body = (over: Partial<Asked> = {}, request: Partial<Asked['request']> = {}) =>
    bodyOf({
      endpoint: { provider: 'own' },
      model: 'm',
      temperature: undefined,
      maxTokens: undefined,
      capabilities: DEFAULT,
      ...over,
      request: { messages: [said('a')], tools: [], ...request },
    });
  const able = (over: Partial<Capabilities>) => ({ capabilities: { ...DEFAULT, ...over } });

  test('has what was chosen, and nothing else', () => {
    const messages = [{ role: 'user', content: 'a' }];
    const least = { model: 'm', messages, stream: true };
    expect(body(able({ streamUsage: false }))).toEqual(least);
    expect(body()).toEqual({ ...least, stream_options: { include_usage: true } });
    expect(body({ temperature: 0, maxTokens: 5 })).toMatchObject({ temperature: 0, max_tokens: 5 });
    const completion = able({ tokenLimit: 'max_completion_tokens' });
    expect(body({ maxTokens: 5, ...completion })).toMatchObject({ max_completion_tokens: 5 });
    expect(body({ temperature: 1, ...able({ temperature: false }) })).not.toHaveProperty(
      'temperature',
    );
  });

  test('has a choice among tools only with tools, and if the model takes one', () => {
    const tools = [{ name: 't', parameters: {} }] as unknown as Asked['request']['tools'];
    const toolChoice = 'none';
    expect(body({}, { tools, toolChoice })).toMatchObject({ tool_choice: 'none' });
    expect(body({}, { toolChoice })).not.toHaveProperty('tool_choice');
    expect(body({}, { toolChoice })).not.toHaveProperty('tools');
    expect(body({}, { tools })).not.toHaveProperty('tool_choice');
    const unable = able({ toolChoice: false });
    expect(body(unable, { tools, toolChoice })).not.toHaveProperty('tool_choice');
  });

  test('asks for an answer of a form if one is given', () => {
    const answerAs = { name: 'f', schema: {} };
    const format = { type: 'json_schema', json_schema: { ...answerAs, strict: true } };
    expect(body({}, { answerAs })).toMatchObject({ response_format: format });
    expect(body()).not.toHaveProperty('response_format');
  });
});
