import { afterEach, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../src/ids.ts';
import { callWebhook } from '../../../src/conversations/tools/call-webhook.ts';
import { contextOf, inContext } from '../../../src/platform/observability/trace-context.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressClient, type EgressClient } from '../../../src/platform/egress/client.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';

/** A tool is called in the trace of the turn it is for (docs/tracing.md). */
const GIVEN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let receiver: Receiver;
let egress: EgressClient;
beforeEach(async () => {
  receiver = await startReceiver();
  egress = createEgressClient({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
});
afterEach(async () => {
  await egress.stop();
  await receiver.close();
});

const call = (headers: Record<string, string>) =>
  callWebhook(
    {
      send: egress.send,
      userAgent: 'parley/test',
      findSecrets: async () => [],
      nowMs: Date.now,
    },
    {
      tool: { type: 'webhook', name: 'order_status', url: receiver.url, headers },
      args: {},
      callId: 'c1',
      namespace: 'default',
      agentId: newUuid(),
      conversation: { id: newUuid(), agentVersion: 1 },
      signal: new AbortController().signal,
    },
  );

test('a tool gets the traceparent, and the agent’s own headers do not replace it', async () => {
  await inContext(contextOf(GIVEN), () => call({ Traceparent: GIVEN.replace('0af7', '9999') }));
  expect(receiver.received[0]!.headers['traceparent']).toBe(GIVEN);
});

test('without a trace there is no header', async () => {
  await call({});
  expect(receiver.received[0]!.headers['traceparent']).toBeUndefined();
});
