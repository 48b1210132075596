import { afterEach, expect, test } from 'vitest';
import OpenAI from 'openai';
import { startStubModel, STUB_KEY, type StubModel, type StubReply } from './stub-model.ts';

/** The stub answers as the package itself expects it: else our tests would prove nothing. */

let stub: StubModel;
afterEach(async () => stub.stop());

async function ask(reply: StubReply): Promise<OpenAI.ChatCompletionChunk[]> {
  stub = await startStubModel({ reply });
  const client = new OpenAI({ baseURL: stub.url, apiKey: STUB_KEY, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: 'stub-1',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test('the package reads the text of the stub, its end and its usage', async () => {
  const chunks = await ask({ text: 'We open at nine.' });
  const text = chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('');
  expect(text).toBe('We open at nine.');
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 4 });
  expect(stub.requests[0]?.headers.authorization).toBe(`Bearer ${STUB_KEY}`);
});

test('parallel calls of tools come in mixed pieces', async () => {
  const chunks = await ask({
    toolCalls: [
      { name: 'order_status', arguments: { order: '10001' } },
      { name: 'opening_hours', arguments: { day: 'Sunday' } },
    ],
  });
  const texts = ['', ''];
  for (const chunk of chunks) {
    for (const call of chunk.choices[0]?.delta.tool_calls ?? []) {
      texts[call.index] += call.function?.arguments ?? '';
    }
  }
  expect(texts).toEqual(['{"order":"10001"}', '{"day":"Sunday"}']);
});

test('an answer that was given up is known as such', async () => {
  stub = await startStubModel({ reply: { hang: 'between_tokens' } });
  const client = new OpenAI({ baseURL: stub.url, apiKey: STUB_KEY, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: 'stub-1',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
  });
  const request = await stub.request(0);
  stream.controller.abort();
  await request.closed;
  expect(request.isAborted()).toBe(true);
});
