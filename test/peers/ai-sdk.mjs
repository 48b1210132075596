/** The AI SDK with its provider for compatible APIs, as they are published. */
import assert from 'node:assert/strict';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, streamText } from 'ai';
import { agent, baseURL, check, expectOneConversation, key, QUESTIONS } from './peer.mjs';

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
