import { afterEach, beforeEach, expect, test } from 'vitest';
import { ModelError, type ModelReply } from '../../../src/models/model.ts';
import { createGenAi, type GenAi } from '../../../src/platform/observability/gen-ai.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createMetrics, type Metrics } from '../../../src/platform/observability/metrics.ts';
import {
  contextOf,
  inContext,
  traceHeaders,
} from '../../../src/platform/observability/trace-context.ts';
import { startTracing, type Tracing } from '../../../src/platform/observability/tracing.ts';
import { observeModels, observeTools } from '../../../src/roles/api/observed-turns.ts';
import { startOtlpReceiver, type OtlpReceiver } from './otlp-receiver.ts';

/** Metrics of models and tools, with OpenTelemetry's names (contract/metrics.md#models-and-tools, docs/tracing.md). */
const REPLY: ModelReply = {
  text: 'my own words',
  toolCalls: [],
  finishReason: 'stop',
  usage: { inputTokens: 120, outputTokens: 30, cachedInputTokens: 100, estimated: false },
  provider: 'main',
  model: 'small-2',
  cost: null,
  timeToFirstTokenMs: 250,
  durationMs: 900,
  attempts: 1,
};
const REQUEST = {
  messages: [{ role: 'user', content: 'asked in private' }] as const,
  tools: [],
  signal: new AbortController().signal,
  onText: () => undefined,
};

let metrics: Metrics;
let genAi: GenAi;
let collector: OtlpReceiver;
let tracing: Tracing | undefined;

beforeEach(async () => {
  metrics = createMetrics({ processMetrics: false });
  genAi = createGenAi(metrics);
  collector = await startOtlpReceiver();
});

afterEach(async () => {
  await tracing?.stop();
  tracing = undefined;
  await collector.close();
});

async function exportTraces(): Promise<void> {
  const log = createLogger('silent', 'test');
  const settings = { url: collector.url, sampler: 'always_on', ratio: 1 } as const;
  tracing = await startTracing(settings, { role: 'test', version: '1', log });
}

/** Returns the value of the sample whose name starts like this and that has these labels. */
async function sample(name: string, ...labels: string[]): Promise<number | undefined> {
  const lines = (await metrics.render()).split('\n');
  const line = lines.find(
    (text) => text.startsWith(`${name}{`) && labels.every((label) => text.includes(label)),
  );
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

const modelThat = async (answer: () => Promise<ModelReply>) =>
  (await observeModels(
    async () => answer,
    genAi,
  )({
    namespace: 'default',
    model: { provider: 'main', name: 'small' },
  }))!;

test('an answer: how long, until its first part, how many tokens', async () => {
  await (
    await modelThat(async () => REPLY)
  )(REQUEST);
  const by = ['gen_ai_operation_name="chat"', 'gen_ai_provider_name="main"', '="small-2"'];
  expect(await sample('gen_ai_client_operation_duration_seconds_count', ...by)).toBe(1);
  expect(await sample('gen_ai_client_operation_time_to_first_chunk_seconds_sum', ...by)).toBe(0.25);
  expect(await sample('gen_ai_client_token_usage_sum', ...by, '="input"')).toBe(120);
  expect(await sample('gen_ai_client_token_usage_sum', ...by, '="output"')).toBe(30);
  expect(await metrics.render()).not.toContain('private');
});

test('a failure is counted by its code, and what broke off with its tokens', async () => {
  const refused = await modelThat(() =>
    Promise.reject(new ModelError('model_timeout', 'not in time')),
  );
  await expect(refused(REQUEST)).rejects.toThrow('not in time');
  const name = 'gen_ai_client_operation_duration_seconds_count';
  expect(await sample(name, 'error_type="model_timeout"', '="small"')).toBe(1);
  const partial = { ...REPLY, usage: { ...REPLY.usage, outputTokens: 7 } };
  const broken = await modelThat(() =>
    Promise.reject(new ModelError('model_failed', 'broke off', { partial })),
  );
  await expect(broken(REQUEST)).rejects.toThrow('broke off');
  expect(await sample(name, 'error_type="model_failed"', '="small-2"')).toBe(1);
  expect(await sample('gen_ai_client_token_usage_sum', '="output"')).toBe(7);
});

test('without a model that is configured there is none to observe', async () => {
  const find = observeModels(async () => undefined, genAi);
  expect(await find({ namespace: 'default', model: undefined })).toBeUndefined();
});

test('a thousand names of a tenant make a hundred labels and no more', async () => {
  for (let i = 0; i < 1_000; i += 1) {
    const model = await modelThat(async () => ({ ...REPLY, model: `m${i}` }));
    await model(REQUEST);
  }
  const page = await metrics.render();
  const models = [
    ...page.matchAll(/^gen_ai_client_operation_duration_seconds_count.*model="(\w+)"/gm),
  ];
  expect(models).toHaveLength(101);
  const name = 'gen_ai_client_operation_duration_seconds_count';
  expect(await sample(name, 'gen_ai_provider_name="_OTHER"', '="_OTHER"')).toBe(900);
});

test('a tool that fails is counted so; a name that the model made up is nobody’s', async () => {
  const parameters = { type: 'object' };
  const box = {
    tools: [{ name: 'order_status', parameters }],
    run: () => Promise.resolve({ ok: false, content: 'no such order', durationMs: 1 }),
  };
  const made = observeTools(() => box, genAi)({} as never);
  const { signal } = REQUEST;
  await made.run({ id: 'c1', name: 'order_status', arguments: '{}' }, signal);
  await made.run({ id: 'c2', name: 'drop_tables', arguments: '{}' }, signal);
  const name = 'gen_ai_execute_tool_duration_seconds_count';
  expect(await sample(name, '="order_status"', 'error_type="tool_failed"')).toBe(1);
  expect(await sample(name, '="_OTHER"')).toBe(1);
  expect(await metrics.render()).not.toContain('drop_tables');
});

test('the spans of a turn hang together, and hold no words', async () => {
  await exportTraces();
  const given = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  const model = await modelThat(async () => REPLY);
  let sent: string | undefined;
  const box = {
    tools: [{ name: 'order_status', parameters: {} }],
    run: () => {
      sent = traceHeaders().traceparent;
      return Promise.resolve({ ok: true, content: 'it is on its way', durationMs: 1 });
    },
  };
  const tools = observeTools(() => box, genAi)({} as never);
  const about = { agentId: 'agt_1', agentVersion: 3, conversationId: 'conv_1' };
  await inContext(contextOf(given), () =>
    genAi.invokeAgent(about, async () => {
      await model(REQUEST);
      const call = { id: 'c1', name: 'order_status', arguments: '{"order":"in private"}' };
      await tools.run(call, REQUEST.signal);
    }),
  );
  await tracing!.stop(); // Sends the pending spans.
  const turn = await collector.spanNamed('invoke_agent');
  expect(turn).toMatchObject({
    traceId: 'a'.repeat(32),
    parentSpanId: 'b'.repeat(16),
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'agt_1',
      'gen_ai.agent.version': '3',
      'gen_ai.conversation.id': 'conv_1',
    },
  });
  expect(await collector.spanNamed('chat small')).toMatchObject({
    kind: 3,
    parentSpanId: turn.spanId,
    attributes: {
      'gen_ai.provider.name': 'main',
      'gen_ai.request.model': 'small',
      'gen_ai.response.model': 'small-2',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 30,
    },
  });
  const tool = await collector.spanNamed('execute_tool order_status');
  expect(tool).toMatchObject({ parentSpanId: turn.spanId, failed: false });
  expect(sent).toBe(`00-${'a'.repeat(32)}-${tool.spanId}-01`);
  for (const words of ['private', 'my own words', 'on its way']) {
    expect(collector.text()).not.toContain(words);
  }
});
