import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { startStubModel, STUB_KEY, type StubModel } from '../../models/stub-model.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** Turns with a model and tools, by REST, with what the transcript and the events tell of them. */

let stub: StubModel;
let shop: Receiver;
let api: ConversationFixture;

beforeAll(async () => {
  stub = await startStubModel();
  shop = await startReceiver();
  api = await startConversationFixture({
    guard: createAddressGuard({ allow: ['127.0.0.0/8'] }),
    modelSettings: { url: stub.url, key: STUB_KEY, model: 'stub-1' },
  });
});
beforeEach(() => {
  stub.requests.length = 0;
  stub.answer({});
});
afterAll(async () => {
  await api?.stop();
  await shop?.close();
  await stub?.stop();
});

const order = (fields: Record<string, unknown> = {}) => ({
  type: 'webhook',
  name: 'order',
  url: shop.url,
  parameters: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
  ...fields,
});

test('a conversation: the first words, a question answered from knowledge, a tool, the end', async () => {
  const agent = await api.newAgent({
    prompt: 'You help {{name}}.',
    first_message: 'Hello {{name}}!',
    tools: [order(), { type: 'end_call', name: 'bye' }],
  });
  const id = await api.start({ agent_id: agent, variables: { name: 'Ann' } });
  stub.script({ text: 'We deliver within three working days.' });
  const { body } = await api.say(id, 'How long does delivery take?');
  expect(body.turns.at(-1)).toMatchObject({
    role: 'agent',
    text: 'We deliver within three working days.',
    agent_id: agent,
    agent_version: 1,
    retrieval: { chunks: [{ source_id: expect.stringMatching(/^ks_/) }] },
    model: { provider: 'default', name: expect.any(String), finish_reason: 'stop', steps: 1 },
    latency: { model_ms: expect.any(Number), platform_ms: expect.any(Number) },
  });
  const [first] = stub.requests;
  expect(first?.body.model).toBe('stub-1');
  expect(first?.headers.authorization).toBe(`Bearer ${STUB_KEY}`);
  const roles = first?.body.messages?.map(({ role }) => role);
  // Roles alternate: a user message precedes the first message and holds the passages with the question.
  expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  expect(first?.body.messages?.[0]?.content).toMatch(/^You help Ann\./);
  expect(JSON.stringify(first?.body)).not.toContain(STUB_KEY);

  stub.script(
    { text: 'Let me look.', toolCalls: [{ name: 'order', arguments: { id: 7 } }] },
    { text: 'It was sent.' },
  );
  shop.answer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"sent"}');
  });
  const { body: asked } = await api.say(id, 'And my order 7?');
  expect(asked.turns.map(({ role }: { role: string }) => role)).toEqual(['user', 'tool', 'agent']);
  expect(asked.turns[1]).toMatchObject({
    tool_call: { id: expect.stringMatching(/^tool_/), name: 'order', arguments: { id: 7 } },
    tool_result: { ok: true, content: expect.stringContaining('sent') },
  });
  expect(asked.turns[2]).toMatchObject({
    text: 'Let me look.\n\nIt was sent.',
    model: { steps: 2 },
    latency: { tools_ms: expect.any(Number) },
  });
  // The prompt begins as the one before did, without the passages of that turn.
  const before = first!.body.messages!.slice(0, 3);
  expect(stub.requests[1]?.body.messages?.slice(0, 3)).toEqual(before);

  stub.script({ text: 'Goodbye, Ann.', toolCalls: [{ name: 'bye', arguments: {} }] });
  await api.say(id, 'Thank you, bye.');
  expect(await api.read(id)).toMatchObject({ status: 'ended', ended_reason: 'agent_hangup' });
  const { summary } = await api.read(id);
  expect(summary).toContain('“How long does delivery take?”');
});

test('a question that nothing is known of is a gap, of which the model is told', async () => {
  stub.answer({ text: 'I do not know that.' });
  const id = await api.start();
  const { body } = await api.say(id, 'Do you sell velvet curtains?');
  expect(body.turns.at(-1).retrieval.chunks).toEqual([]);
  expect(await api.eventTypes(id)).toContain('knowledge.gap.detected');
  const told = stub.requests[0]?.body.messages?.at(-1)?.content;
  expect(told).toMatch(/knowledge base has nothing[^]*Do you sell velvet curtains\?$/);
  const silent = await api.start({ agent_id: await api.newAgent({ knowledge: {} }) });
  await api.say(silent, 'Do you sell velvet curtains?');
  expect(await api.eventTypes(silent)).not.toContain('knowledge.gap.detected');
});

test('the second failure of a tool in a row asks for a human, as the rule says', async () => {
  const rule = { when: 'tool_failure', count: 2, reason: 'the shop is down' };
  const agent = await api.newAgent({ tools: [order()], escalation: { rules: [rule] } });
  const id = await api.start({ agent_id: agent });
  shop.answer((_, response) => void response.writeHead(500).end('no'));
  for (const status of ['active', 'escalated']) {
    stub.script(
      { text: [], toolCalls: [{ name: 'order', arguments: { id: 7 } }] },
      { text: 'The shop does not answer.' },
    );
    const { body } = await api.say(id, 'Where is my order 7?');
    expect(body.conversation.status).toBe(status);
  }
  const requested = (await api.events(id)).find(({ type }) => type === 'escalation.requested');
  expect(requested?.data.reason).toBe('the shop is down');
});

test('a provider that refuses is a turn that says so, and the conversation goes on', async () => {
  const id = await api.start();
  stub.script({ status: 401 });
  const { status, body } = await api.say(id, 'Hello there, who are you?');
  expect(status).toBe(200);
  expect(body.turns.at(-1)).toMatchObject({
    text: expect.stringMatching(/^I am sorry/),
    error: { code: 'model_unauthorized' },
  });
  expect(JSON.stringify(body)).not.toContain(STUB_KEY);
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  expect(metrics).toContain('parley_conversation_turn_errors_total{code="model_unauthorized"} 1');
  stub.script({ text: 'I am an agent.' });
  const { body: next } = await api.say(id, 'And now?');
  expect(next.turns.at(-1).text).toBe('I am an agent.');
  const asked = stub.requests.at(-1)?.body.messages?.map(({ content }) => content);
  expect(asked?.join('\n')).toContain('Hello there, who are you?');
  expect(asked?.join('\n')).not.toContain('I am sorry');
});

test('a handoff: the other agent answers on, the list goes by the first, the export has it all', async () => {
  const clerk = await api.newAgent({ name: 'clerk', prompt: 'You are the clerk.', knowledge: {} });
  const tools = [{ type: 'handoff', name: 'to_clerk', agent: 'clerk' }, order()];
  const first = await api.newAgent({ prompt: 'You are the desk.', tools, knowledge: {} });
  const id = await api.start({ agent_id: first });
  stub.script(
    { text: 'One moment.', toolCalls: [{ name: 'to_clerk', arguments: {} }] },
    { text: 'The clerk speaks.' },
  );
  await api.say(id, 'The clerk, please.');
  stub.script({ text: 'It is done.' });
  const { body } = await api.say(id, 'Is it done?');
  expect(body.turns.at(-1)).toMatchObject({ text: 'It is done.', agent_id: clerk });
  expect(JSON.stringify(stub.requests.at(-1)?.body.messages?.[0])).toContain('You are the clerk.');
  expect(body.conversation).toMatchObject({ agent_id: first, agent_version: 1 });

  const ids = async (agent: string): Promise<string[]> => {
    const { body: list } = await api.call('GET', `/v1/conversations?agent_id=${agent}`);
    return list.data.map((one: { id: string }) => one.id);
  };
  expect([await ids(first), await ids(clerk)]).toEqual([[id], []]);

  const headers = { accept: 'application/x-ndjson' };
  const { text } = await api.call('GET', `/v1/conversations?agent_id=${first}`, { headers });
  const { transcript } = JSON.parse(text);
  expect(transcript.turns).toEqual(await api.turns(id));
  expect(transcript.turns).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ tool_call: expect.objectContaining({ name: 'to_clerk' }) }),
      expect.objectContaining({ agent_id: clerk, model: expect.objectContaining({ steps: 1 }) }),
    ]),
  );
});
