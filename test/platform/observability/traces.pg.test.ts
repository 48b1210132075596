import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { startTracing, type Tracing } from '../../../src/platform/observability/tracing.ts';
import {
  startConversationFixture,
  type ConversationFixture,
} from '../../conversations/conversation-setup.ts';
import { startStubModel, type StubModel } from '../../models/stub-model.ts';
import { startReceiver, type Received, type Receiver } from '../../webhooks/receiver.ts';
import { startOtlpReceiver, type OtlpReceiver } from './otlp-receiver.ts';

/** One trace from a message to the delivery that it causes (docs/tracing.md). */
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const GIVEN = `00-${TRACE}-${CALLER}-01`;
const ORDER = { type: 'object', properties: { order: { type: 'string' } } };
const QUESTION = 'Do you repair velocipedes?';

let fixture: ConversationFixture;
let receiver: Receiver;
let collector: OtlpReceiver;
let tracing: Tracing | undefined;

beforeEach(async () => {
  collector = await startOtlpReceiver();
  receiver = await startReceiver();
  fixture = await startConversationFixture({ delivery: true });
});

afterEach(async () => {
  await fixture.stop();
  await tracing?.stop();
  tracing = undefined;
  await receiver.close();
  await collector.close();
});

async function exportTraces(): Promise<void> {
  const log = createLogger('silent', 'test');
  const settings = { url: collector.url, sampler: 'parentbased_always_on', ratio: 1 } as const;
  tracing = await startTracing(settings, { role: 'test', version: '1', log });
}

/** Declares the endpoint, with `headers` that include ones it must not be able to replace. */
async function subscribe(): Promise<string> {
  const { status, body } = await fixture.call('POST', '/v1/webhooks', {
    json: {
      url: receiver.url,
      event_types: ['knowledge.gap.detected'],
      headers: { Traceparent: `00-${'9'.repeat(32)}-${'9'.repeat(16)}-01`, 'X-Mine': 'kept' },
    },
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return String(body.id);
}

/** Asks a question without an answer, which emits an event about the gap. */
async function ask(headers: Record<string, string>): Promise<string> {
  const conversation = await fixture.start();
  const path = `/v1/conversations/${conversation}/messages`;
  const { status } = await fixture.call('POST', path, { json: { text: QUESTION }, headers });
  expect(status).toBe(200);
  return conversation;
}

const firstReceived = async (): Promise<Received> =>
  (await receiver.until((all) => all.length > 0))[0]!;

test('without an exporter the traceparent of a message is that of the delivery', async () => {
  await subscribe();
  await ask({ traceparent: GIVEN });
  const { headers } = await firstReceived();
  expect(headers['traceparent']).toBe(GIVEN);
  expect(headers['x-mine']).toBe('kept');
  expect(collector.spans).toEqual([]);
});

test('a replay goes on with the trace of its event', async () => {
  await subscribe();
  await ask({ traceparent: GIVEN });
  const { json } = await firstReceived();
  const other = `00-${'7'.repeat(32)}-${'7'.repeat(16)}-01`;
  await fixture.call('POST', `/v1/events/${json.id}/replay`, {
    json: {},
    headers: { traceparent: other },
  });
  const all = await receiver.until((received) => received.length >= 2);
  expect(all[1]!.headers['traceparent']).toBe(GIVEN);
});

test('a test event belongs to the trace of the request that sent it', async () => {
  const id = await subscribe();
  await fixture.call('POST', `/v1/webhooks/${id}/test`, {
    json: {},
    headers: { traceparent: GIVEN },
  });
  expect((await firstReceived()).headers['traceparent']).toBe(GIVEN);
});

test('an erased conversation leaves no way to the trace of whoever talked', async () => {
  await subscribe();
  const conversation = await ask({ traceparent: GIVEN });
  await firstReceived();
  await fixture.end(conversation);
  await fixture.call('DELETE', `/v1/conversations/${conversation}`);
  const { rows } = await fixture.engine.pool.query(
    "select traceparent from events where type = 'knowledge.gap.detected'",
  );
  expect(rows).toEqual([{ traceparent: null }]);
});

test('with an exporter: request and attempt are spans of the caller’s trace, without a word of it', async () => {
  await exportTraces();
  await subscribe();
  await ask({ traceparent: GIVEN, tracestate: 'vendor=secret' });
  const { headers, json } = await firstReceived();
  const [, traceId, spanId] = String(headers['traceparent']).split('-');
  expect(traceId).toBe(TRACE);
  expect(headers['tracestate']).toBeUndefined();
  const request = await collector.spanNamed('POST /v1/conversations/{id}/messages');
  expect(request).toMatchObject({
    service: 'parley-test',
    kind: 2,
    traceId: TRACE,
    parentSpanId: CALLER,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/v1/conversations/{id}/messages',
      'http.response.status_code': 200,
    },
  });
  const attempt = await collector.spanNamed(
    'parley.delivery',
    ({ attributes }) => attributes['parley.event.id'] === json.id,
  );
  expect(attempt).toMatchObject({
    kind: 3,
    traceId: TRACE,
    spanId,
    attributes: {
      'parley.event.type': 'knowledge.gap.detected',
      'parley.delivery.attempt': 1,
      'http.response.status_code': 200,
    },
  });
  for (const word of ['velocipedes', 'secret', receiver.url]) {
    expect(collector.text()).not.toContain(word);
  }
});

test('with an exporter and no traceparent the trace begins with the request', async () => {
  await exportTraces();
  await subscribe();
  await ask({});
  const [, traceId] = String((await firstReceived()).headers['traceparent']).split('-');
  const request = await collector.spanNamed('POST /v1/conversations/{id}/messages');
  expect(request).toMatchObject({ traceId, parentSpanId: '' });
});

test('a refused attempt is a failed span, with the status and no text', async () => {
  await exportTraces();
  receiver.answer((_, response) => void response.writeHead(500).end('my own words'));
  await subscribe();
  await ask({ traceparent: GIVEN });
  const attempt = await collector.spanNamed('parley.delivery');
  expect(attempt).toMatchObject({ failed: true, attributes: { 'error.type': '500' } });
  expect(collector.text()).not.toContain('my own words');
});

test('a turn with a model and a tool is one trace; the provider learns nothing of it', async () => {
  await exportTraces();
  const stub = await startStubModel();
  const talking = await startConversationFixture({
    modelSettings: { url: stub.url, key: 'sk-hidden', model: 'small' },
  });
  try {
    const agent_id = await talking.newAgent({
      tools: [{ type: 'webhook', name: 'order_status', url: receiver.url, parameters: ORDER }],
    });
    stub.script({ toolCalls: [{ name: 'order_status', arguments: { order: 'in private' } }] });
    stub.script({ text: 'On its way, in confidence.' });
    const conversation = await talking.start({ agent_id });
    await talking.call('POST', `/v1/conversations/${conversation}/messages`, {
      json: { text: 'Where is my velocipede?' },
      headers: { traceparent: GIVEN },
    });
    await expectOneTrace(stub, { agent_id, conversation });
  } finally {
    await talking.stop();
    await stub.stop();
  }
});

async function expectOneTrace(
  stub: StubModel,
  of: { agent_id: string; conversation: string },
): Promise<void> {
  const turn = await collector.spanNamed('invoke_agent');
  const request = await collector.spanNamed('POST /v1/conversations/{id}/messages');
  expect(turn).toMatchObject({
    traceId: TRACE,
    parentSpanId: request.spanId,
    attributes: { 'gen_ai.agent.id': of.agent_id, 'gen_ai.conversation.id': of.conversation },
  });
  const chats = collector.spans.filter(({ name }) => name.startsWith('chat'));
  expect(chats.map(({ parentSpanId }) => parentSpanId)).toEqual([turn.spanId, turn.spanId]);
  const tool = await collector.spanNamed('execute_tool order_status');
  expect(tool.parentSpanId).toBe(turn.spanId);
  expect(receiver.received[0]!.headers['traceparent']).toBe(`00-${TRACE}-${tool.spanId}-01`);
  for (const { headers } of stub.requests) expect(headers['traceparent']).toBeUndefined();
  for (const word of ['private', 'confidence', 'velocipede', 'hidden', receiver.url]) {
    expect(collector.text()).not.toContain(word);
  }
}
