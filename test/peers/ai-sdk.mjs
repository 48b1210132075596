/** The AI SDK with its provider for compatible APIs, as they are published. */
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import {
  agent,
  baseURL,
  broken,
  check,
  clerk,
  ERRANDS,
  expectErrands,
  expectOneConversation,
  key,
  QUESTIONS,
  readerKey,
} from './peer.mjs';

const parley = (apiKey = key) =>
  createOpenAICompatible({ name: 'parley', baseURL, apiKey, includeUsage: true });
const as = (user) => ({ providerOptions: { parley: { user } }, maxRetries: 0 });

await check('three turns, one conversation', async () => {
  const messages = [];
  for (const content of QUESTIONS) {
    messages.push({ role: 'user', content });
    const { text, finishReason, usage } = await generateText({
      model: parley()(agent),
      messages,
      ...as('ai-sdk'),
    });
    assert.equal(finishReason, 'stop');
    assert.ok(usage.totalTokens > 0);
    messages.push({ role: 'assistant', content: text });
  }
  await expectOneConversation('ai-sdk', said(messages));
});

await check('three turns streamed, one conversation', async () => {
  const messages = [];
  for (const content of QUESTIONS) {
    messages.push({ role: 'user', content });
    const result = streamText({ model: parley()(agent), messages, ...as('ai-sdk-stream') });
    let reply = '';
    for await (const part of result.textStream) reply += part;
    assert.ok((await result.usage).totalTokens > 0);
    messages.push({ role: 'assistant', content: reply });
  }
  await expectOneConversation('ai-sdk-stream', said(messages));
});

await check(
  'streams an agent that calls a tool on our side, three turns, one conversation',
  async () => {
    const messages = [];
    const replies = [];
    for (const content of ERRANDS) {
      messages.push({ role: 'user', content });
      const result = streamText({ model: parley()(clerk), messages, ...as('ai-sdk-clerk') });
      let reply = '';
      for await (const part of result.textStream) reply += part;
      assert.deepEqual(await result.toolCalls, []);
      messages.push({ role: 'assistant', content: reply });
      replies.push(reply);
    }
    await expectErrands('ai-sdk-clerk', replies);
  },
);

await check('a model that fails, and a key that may not write', async () => {
  const ask = (model) => generateText({ model, prompt: 'Hi', maxRetries: 0 });
  await assert.rejects(ask(parley()(broken)), { statusCode: 502 });
  await assert.rejects(ask(parley(readerKey)(agent)), { statusCode: 403 });
});

await check('a wrong key, and a model that is not there', async () => {
  const ask = (provider, id) => generateText({ model: provider(id), prompt: 'Hi', maxRetries: 0 });
  const isCall = (status) => (error) =>
    APICallError.isInstance(error) && error.statusCode === status;
  await assert.rejects(ask(parley('parley_wrong'), agent), isCall(401));
  await assert.rejects(ask(parley(), 'gpt'), isCall(404));
});

function said(messages) {
  return messages.map(({ role, content }) => [role === 'user' ? 'user' : 'agent', content]);
}
