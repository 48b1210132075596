/** The `openai` package for Node, as it is published. */
import assert from 'node:assert/strict';
import OpenAI from 'openai';
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

const client = new OpenAI({ baseURL, apiKey: key });

await check('models.list and models.retrieve', async () => {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert.ok(ids.includes(agent));
  assert.equal((await client.models.retrieve(agent)).object, 'model');
  assert.equal((await client.models.retrieve(`${agent}@1`)).id, `${agent}@1`);
});

await check('three turns, one conversation', async () => {
  const messages = [];
  for (const content of QUESTIONS) {
    messages.push({ role: 'user', content });
    const completion = await client.chat.completions.create({
      model: agent,
      messages,
      user: 'node',
    });
    const [{ message, finish_reason }] = completion.choices;
    assert.equal(finish_reason, 'stop');
    assert.ok(completion.usage.total_tokens > 0);
    assert.match(completion['_request_id'], /^req_/);
    messages.push({ role: 'assistant', content: message.content });
  }
  assert.match(messages[1].content, /three working days/);
  await expectOneConversation('node', said(messages));
});

await check('three turns streamed, one conversation', async () => {
  const messages = [];
  for (const content of QUESTIONS) {
    messages.push({ role: 'user', content });
    const stream = await client.chat.completions.create({
      model: agent,
      messages,
      user: 'node-stream',
      stream: true,
      stream_options: { include_usage: true },
    });
    let reply = '';
    let usage;
    for await (const chunk of stream) {
      reply += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    assert.ok(usage.completion_tokens > 0);
    messages.push({ role: 'assistant', content: reply });
  }
  await expectOneConversation('node-stream', said(messages));
});

await check('the helper that gathers a stream', async () => {
  const runner = client.chat.completions.stream({
    model: agent,
    messages: [{ role: 'user', content: QUESTIONS[0] }],
    user: 'node-helper',
  });
  const { choices } = await runner.finalChatCompletion();
  await expectOneConversation('node-helper', [
    ['user', QUESTIONS[0]],
    ['agent', choices[0].message.content],
  ]);
});

await check('metadata.conversation_id continues a conversation', async () => {
  const ask = (content, metadata) =>
    client.chat.completions.create({
      model: agent,
      messages: [{ role: 'user', content }],
      user: 'node-id',
      metadata,
    });
  const first = await ask(QUESTIONS[0]);
  const second = await ask(QUESTIONS[1], first.metadata);
  assert.deepEqual(second.metadata, first.metadata);
  await expectOneConversation('node-id', [
    ['user', QUESTIONS[0]],
    ['agent', first.choices[0].message.content],
    ['user', QUESTIONS[1]],
    ['agent', second.choices[0].message.content],
  ]);
});

await check(
  'streams an agent that calls a tool on our side, three turns, one conversation',
  async () => {
    const messages = [];
    for (const content of ERRANDS) {
      messages.push({ role: 'user', content });
      const create = { model: clerk, messages, user: 'node-clerk', stream: true };
      let reply = '';
      for await (const { choices } of await client.chat.completions.create(create)) {
        assert.equal(choices[0]?.delta.tool_calls, undefined);
        reply += choices[0]?.delta.content ?? '';
      }
      messages.push({ role: 'assistant', content: reply });
    }
    await expectErrands('node-clerk', replies(messages));
  },
);

await check('a model that fails, and a key that may not write', async () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const once = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
  for (const stream of [false, true]) {
    const ask = async () => {
      const got = await once.chat.completions.create({ model: broken, messages, stream });
      if (stream) for await (const _ of got);
    };
    await assert.rejects(ask(), (error) => {
      assert.ok(
        error instanceof OpenAI.InternalServerError || (stream && error instanceof OpenAI.APIError),
      );
      return error.code === 'model_unauthorized';
    });
  }
  const reader = new OpenAI({ baseURL, apiKey: readerKey });
  assert.ok((await reader.models.list()).data.length > 0);
  await assert.rejects(
    reader.chat.completions.create({ model: agent, messages }),
    OpenAI.PermissionDeniedError,
  );
});

await check('errors are of its own classes', async () => {
  const messages = [{ role: 'user', content: 'Hi' }];
  const create = (fields, by = client) =>
    by.chat.completions.create({ model: agent, messages, ...fields });
  await assert.rejects(create({}, new OpenAI({ baseURL, apiKey: 'parley_wrong' })), (error) => {
    assert.ok(error instanceof OpenAI.AuthenticationError);
    return error.code === 'invalid_api_key';
  });
  await assert.rejects(create({ model: 'gpt' }), (error) => {
    assert.ok(error instanceof OpenAI.NotFoundError);
    return error.code === 'model_not_found' && error.param === 'model';
  });
  await assert.rejects(create({ n: 2 }), OpenAI.BadRequestError);
  await assert.rejects(create({ messages: [] }), OpenAI.BadRequestError);
  await assert.rejects(create({ temperature: 9, stream: true }), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    return error.param === 'temperature';
  });
});

function replies(messages) {
  return messages.filter(({ role }) => role === 'assistant').map(({ content }) => content);
}

function said(messages) {
  return messages.map(({ role, content }) => [role === 'user' ? 'user' : 'agent', content]);
}
