import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { startTracing, type Tracing } from '../../../src/platform/observability/tracing.ts';
import {
  startOpenAiFixture,
  type OpenAiFixture,
} from '../../conversations/completions/openai-setup.ts';
import { startStubModel, type StubModel } from '../../models/stub-model.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.ts';

/**
 * One trace from end to end (docs/tracing.md): request, turn, model, tools, event, delivery, for a message and for a
 * request of OpenAI's protocol. It contains no words of the conversation.
 */

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const GIVEN = `00-${TRACE}-${CALLER}-01`;
const KEY = 'sk-hidden-0123456789';
/** Words of the prompt, variable, user, arguments, result and reply, and of the errors of a provider and a tool. */
const WORDS = [
  'peregrine',
  'variable-of-ann',
  'velocipede',
  'in-private',
  'whispered-result',
  'in-confidence',
  'complaint-of-model',
  'complaint-of-tool',
];
const ORDER = { type: 'object', properties: { order: { type: 'string' } } };

let stub: StubModel;
let shop: Receiver;
let hook: Receiver;
let collector: OtlpReceiver;
let tracing: Tracing;
let api: OpenAiFixture;
let agent: string;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  const settings = { url: collector.url, sampler: 'parentbased_always_on', ratio: 1 } as const;
  const log = createLogger('silent', 'test');
  tracing = await startTracing(settings, { role: 'test', version: '1', log });
  stub = await startStubModel();
  shop = await startReceiver();
  hook = await startReceiver();
  api = await startOpenAiFixture({
    delivery: true,
    modelSettings: { url: stub.url, key: KEY, model: 'small' },
  });
  agent = await api.newAgent({
    prompt: 'You watch a peregrine for {{name}}.',
    tools: [
      { type: 'webhook', name: 'order_status', url: shop.url, parameters: ORDER },
      { type: 'transfer_call', name: 'human' },
    ],
  });
  const { status } = await api.call('POST', '/v1/webhooks', {
    json: { url: hook.url, event_types: ['escalation.requested'] },
  });
  expect(status).toBe(201);
});
beforeEach(() => {
  collector.spans.length = 0;
  hook.received.length = 0;
  shop.received.length = 0;
  stub.requests.length = 0;
  shop.answer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('whispered-result');
  });
});
afterAll(async () => {
  await api?.stop();
  await tracing?.stop();
  await Promise.all([shop, hook, collector].map((one) => one?.close()));
  await stub?.stop();
});

const script = (): void =>
  stub.script(
    {
      toolCalls: [
        { name: 'order_status', arguments: { order: 'in-private' } },
        { name: 'human', arguments: { reason: 'velocipede' } },
      ],
    },
    { text: 'It is told in-confidence.' },
  );

/** Checks all spans of the turn and the attempt, by their parents. */
async function expectOneTrace(route: string): Promise<void> {
  const [{ headers, json }] = (await hook.until((all) => all.length > 0)) as [
    Receiver['received'][0],
  ];
  const isOfEvent = ({ attributes }: ReceivedSpan): boolean =>
    attributes['parley.event.id'] === json.id;
  const request = await collector.spanNamed(route);
  const turn = await collector.spanNamed('invoke_agent');
  const tool = await collector.spanNamed('execute_tool order_status');
  const human = await collector.spanNamed('execute_tool human');
  const attempt = await collector.spanNamed('parley.delivery', isOfEvent);
  const chats = collector.spans.filter(({ name }) => name === 'chat small' || name === 'chat');
  expect(request).toMatchObject({ traceId: TRACE, parentSpanId: CALLER, kind: 2 });
  expect(turn).toMatchObject({ parentSpanId: request.spanId });
  expect(chats.map(({ parentSpanId }) => parentSpanId)).toEqual([turn.spanId, turn.spanId]);
  expect([tool, human].map(({ parentSpanId }) => parentSpanId)).toEqual([turn.spanId, turn.spanId]);
  expect(shop.received[0]!.headers['traceparent']).toBe(`00-${TRACE}-${tool.spanId}-01`);
  expect(headers['traceparent']).toBe(`00-${TRACE}-${attempt.spanId}-01`);
  expect(attempt.parentSpanId).toBe(request.spanId);
  for (const { traceId } of [turn, tool, human, attempt, ...chats]) expect(traceId).toBe(TRACE);
  for (const asked of stub.requests) expect(asked.headers['traceparent']).toBeUndefined();
}

function expectNoWords(): void {
  for (const word of [...WORDS, KEY, api.key, shop.url, hook.url, stub.url]) {
    expect(collector.text()).not.toContain(word);
  }
}

test('of a message: request, turn, two requests to the model, two tools, event and delivery', async () => {
  const conversation = await api.start({ agent_id: agent, variables: { name: 'variable-of-ann' } });
  script();
  const { status } = await api.call('POST', `/v1/conversations/${conversation}/messages`, {
    json: { text: 'Where is my velocipede?' },
    headers: { traceparent: GIVEN, tracestate: 'vendor=peregrine' },
  });
  expect(status).toBe(200);
  await expectOneTrace('POST /v1/conversations/{id}/messages');
  expectNoWords();
});

test.each([false, true])('of a chat completion, streamed: %s', async (stream) => {
  script();
  const { response } = await api
    .client()
    .chat.completions.create(
      {
        model: agent,
        stream,
        messages: [
          { role: 'system', content: 'peregrine' },
          { role: 'user', content: 'Where is my velocipede?' },
        ],
      },
      { headers: { traceparent: GIVEN } },
    )
    .withResponse();
  expect(response.status).toBe(200);
  await expectOneTrace('POST /v1/chat/completions');
  expectNoWords();
});

test('what fails is a failed span with a code: no word of who complained', async () => {
  const conversation = await api.start({ agent_id: agent });
  shop.answer((_, response) => void response.writeHead(500).end('complaint-of-tool'));
  stub.script(
    { toolCalls: [{ name: 'order_status', arguments: { order: 'in-private' } }] },
    { status: 400, body: JSON.stringify({ error: { message: 'complaint-of-model' } }) },
  );
  await api.call('POST', `/v1/conversations/${conversation}/messages`, {
    json: { text: 'Where is my velocipede?' },
    headers: { traceparent: GIVEN },
  });
  const failed = { failed: true };
  const tool = await collector.spanNamed('execute_tool order_status');
  expect(tool).toMatchObject({ ...failed, attributes: { 'error.type': 'tool_failed' } });
  const turn = await collector.spanNamed('invoke_agent');
  expect(turn).toMatchObject({ ...failed, attributes: { 'error.type': 'model_refused' } });
  expectNoWords();
});

test('the metrics of it are there, without a word either', async () => {
  const text = await (await fetch(`${api.url}/metrics`)).text();
  for (const name of [
    'gen_ai_client_operation_duration_seconds_count{gen_ai_operation_name="chat",gen_ai_provider_name="default",gen_ai_request_model="small"',
    'gen_ai_client_operation_time_to_first_chunk_seconds_count',
    'gen_ai_client_token_usage_sum',
    'gen_ai_execute_tool_duration_seconds_count{gen_ai_tool_name="order_status",error_type="tool_failed"}',
  ]) {
    expect(text).toContain(name);
  }
  for (const word of [...WORDS, KEY, api.key]) expect(text).not.toContain(word);
});
