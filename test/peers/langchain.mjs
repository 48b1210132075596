/** LangChain's ChatOpenAI, as it is published. */
import assert from 'node:assert/strict';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
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

const model = (user, { apiKey = key, id = agent } = {}) =>
  new ChatOpenAI({ model: id, apiKey, configuration: { baseURL }, user, maxRetries: 0 });

await check('three turns with a system message, one conversation', async () => {
  const chat = model('langchain');
  const messages = [new SystemMessage('The user is a member.')];
  for (const question of QUESTIONS) {
    messages.push(new HumanMessage(question));
    messages.push(await chat.invoke(messages));
  }
  assert.ok(messages[2] instanceof AIMessage);
  assert.ok(messages[2].usage_metadata.total_tokens > 0);
  await expectOneConversation('langchain', said(messages));
});

await check('three turns streamed, one conversation', async () => {
  const chat = model('langchain-stream');
  const messages = [];
  for (const question of QUESTIONS) {
    messages.push(new HumanMessage(question));
    let reply;
    for await (const chunk of await chat.stream(messages)) reply = reply?.concat(chunk) ?? chunk;
    messages.push(new AIMessage(reply.text));
  }
  await expectOneConversation('langchain-stream', said(messages));
});

await check(
  'streams an agent that calls a tool on our side, three turns, one conversation',
  async () => {
    const chat = model('langchain-clerk', { id: clerk });
    const messages = [];
    const replies = [];
    for (const errand of ERRANDS) {
      messages.push(new HumanMessage(errand));
      let reply;
      for await (const chunk of await chat.stream(messages)) reply = reply?.concat(chunk) ?? chunk;
      messages.push(new AIMessage(reply.text));
      replies.push(reply.text);
    }
    await expectErrands('langchain-clerk', replies);
  },
);

await check('a model that fails, and a key that may not write', async () => {
  await assert.rejects(model('x', { id: broken }).invoke('Hi'), { status: 502 });
  await assert.rejects(model('x', { apiKey: readerKey }).invoke('Hi'), { status: 403 });
});

await check('a wrong key is its authentication error', async () => {
  await assert.rejects(model('x', { apiKey: 'parley_wrong' }).invoke('Hi'), { status: 401 });
});

await check('tools of the client are refused in words', async () => {
  const tool = {
    type: 'function',
    function: { name: 'weather', description: 'w', parameters: { type: 'object', properties: {} } },
  };
  await assert.rejects(model('x').bindTools([tool]).invoke('Hi'), /Parley runs/);
});

function said(messages) {
  const roles = { system: 'system', human: 'user', ai: 'agent' };
  return messages.map((message) => [roles[message.getType()], message.text]);
}
