import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startScriptedModel, type ScriptedModel } from '../../src/standalone/scripted-model.ts';

/** The model of the sample conversation, as a client of models sees it. */
let model: ScriptedModel;
let client: OpenAI;
beforeEach(async () => {
  model = await startScriptedModel();
  client = new OpenAI({ baseURL: model.url, apiKey: 'none', maxRetries: 0 });
});
afterEach(() => model.stop());

type Message = OpenAI.ChatCompletionMessageParam;
const TOOLS = ['order_status', 'start_return', 'hang_up'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: {} },
}));

async function ask(messages: Message[], tools = TOOLS) {
  const request = { model: 'scripted', messages, tools, stream: true } as const;
  let text = '';
  let call: { name: string; args: unknown } | undefined;
  let finish: string | null = null;
  for await (const { choices } of await client.chat.completions.create(request)) {
    const [choice] = choices;
    text += choice?.delta.content ?? '';
    finish = choice?.finish_reason ?? finish;
    const [made] = choice?.delta.tool_calls ?? [];
    if (made?.function) {
      const { name = '', arguments: args = '' } = made.function;
      call = { name, args: JSON.parse(args) };
    }
  }
  return { text, call, finish };
}

const user = (content: string): Message => ({ role: 'user', content });
const result = (content: object): Message => ({
  role: 'tool',
  tool_call_id: 'c1',
  content: JSON.stringify(content),
});

test.each([
  ['Where is my order T-1002?', 'order_status', { order: 'T-1002' }],
  ['t1002, please', 'order_status', { order: 'T-1002' }],
  [
    'I want to send T-1001 back, it is too small.',
    'start_return',
    { order: 'T-1001', reason: 'it is too small' },
  ],
  ['Thanks, bye', 'hang_up', {}],
])('%s calls %s', async (words, name, args) => {
  expect(await ask([user(words)])).toMatchObject({ call: { name, args }, finish: 'tool_calls' });
});

test('a tool that is not there is not called', async () => {
  expect(await ask([user('Where is T-1002?')], [TOOLS[2]!])).toMatchObject({ finish: 'stop' });
});

test('it tells what a tool has said, and when it has failed', async () => {
  const said = user('Where is T-1002?');
  const body = { order: 'T-1002', item: 'boots', status: 'on its way', expected: 'tomorrow' };
  expect((await ask([said, result({ ok: true, status: 200, body })])).text).toBe(
    'Order T-1002, boots, is on its way, expected tomorrow.',
  );
  const failed = await ask([said, result({ ok: false, error: 'no answer came' })]);
  expect(failed.text).toBe('That did not work: the shop did not answer.');
});

test('it quotes what was found, and else does not know', async () => {
  const passages = user('Found:\n{"heading":"Returns","text":"Within 30 days. We pay for it."}');
  expect((await ask([passages, user('How long can I return it?')])).text).toBe('Within 30 days.');
  expect((await ask([user('Do you sell ships?')])).text).toContain('do not know');
});

test('what is no request is 400, and other paths and methods are not there', async () => {
  const at = `${model.url}/chat/completions`;
  expect((await fetch(at, { method: 'POST', body: '{' })).status).toBe(400);
  expect((await fetch(at)).status).toBe(404);
  expect((await fetch(`${model.url}/models`, { method: 'POST', body: '{' })).status).toBe(404);
});

test.each([
  [1_048_576, 200],
  [1_048_577, 400],
])('a request of %i bytes is answered by %i', async (bytes, status) => {
  const [begin, end] = ['{"messages":[],"more":"', '"}'];
  const body = begin + 'x'.repeat(bytes - begin.length - end.length) + end;
  const at = `${model.url}/chat/completions`;
  expect((await fetch(at, { method: 'POST', body })).status).toBe(status);
});

test('each call has an id of its own', async () => {
  const idOf = async (): Promise<string | undefined> => {
    const messages = [user('Where is my order T-1002?')];
    const stream = await client.chat.completions.create({
      model: 'scripted',
      messages,
      tools: TOOLS,
      stream: true,
    });
    let id: string | undefined;
    for await (const { choices } of stream) id ??= choices[0]?.delta.tool_calls?.[0]?.id;
    return id;
  };
  const [first, second] = [await idOf(), await idOf()];
  expect(first).toMatch(/^call_/);
  expect(second).not.toBe(first);
});
