import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAnnounce } from '../../../src/events/emit-event.ts';
import { replayEvent } from '../../../src/webhooks/replay/replay-event.ts';
import { createSendTestEvent } from '../../../src/webhooks/endpoints/send-test-event.ts';
import { createNotifier, type Notifier } from '../../../src/platform/postgres/notifications.ts';
import { measureBacklog } from '../../../src/webhooks/queue/delivery-stats.sql.ts';
import { SECRET } from '../../roles/engine.ts';
import { startReceiver, type Receiver } from '../../webhooks/receiver.ts';
import {
  agentPublished,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../../webhooks/delivery-setup.ts';
import { until } from '../../until.ts';

/** Names, labels and changes of the metrics (contract/metrics.md). */
let fixture: DeliveryFixture;
let receiver: Receiver;
let notifier: Notifier;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  receiver = await startReceiver();
  notifier = createNotifier(fixture);
});

afterEach(async () => {
  await notifier.stop();
  await fixture.stop();
  await receiver.close();
});

/** Returns one sample of the page, or 0 if it is absent. */
async function sample(name: string, labels: Record<string, string> = {}): Promise<number> {
  const page = await fixture.metrics.render();
  const wanted = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  const line = page
    .split('\n')
    .find(
      (text) =>
        text.startsWith(`${name}${wanted.length > 0 ? '{' : ' '}`) &&
        wanted.every((label) => text.includes(label)),
    );
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

const counted = (name: string, attempt_kind: string): Promise<number> =>
  sample(`parley_webhook_${name}_duration_seconds_count`, { attempt_kind });
const outcomes = (outcome: string): Promise<number> =>
  sample('parley_webhook_deliveries_total', { outcome });
const requests = (outcome: string): Promise<number> =>
  sample('parley_webhook_request_duration_seconds_count', { outcome });

test('the page has every metric of the delivery engine, with its type', async () => {
  fixture.metrics.showBacklog({ pending: 0, oldestDueAgeSec: 0, endpoints: { healthy: 1 } });
  const page = await fixture.metrics.render();
  const types: Record<string, string> = {
    parley_webhook_delivery_duration_seconds: 'histogram',
    parley_webhook_queue_duration_seconds: 'histogram',
    parley_webhook_request_duration_seconds: 'histogram',
    parley_webhook_deliveries_total: 'counter',
    parley_webhook_deliveries_pending: 'gauge',
    parley_webhook_oldest_due_age_seconds: 'gauge',
    parley_webhook_endpoints: 'gauge',
    parley_events_total: 'counter',
  };
  for (const [name, type] of Object.entries(types))
    expect(page).toContain(`# TYPE ${name} ${type}\n`);
});

test('half a second is an edge of the buckets, exactly', async () => {
  fixture.metrics.deliveryDuration.observe({ attempt_kind: 'first' }, 0.5);
  fixture.metrics.queueDuration.observe({ attempt_kind: 'first' }, 0.5);
  fixture.metrics.deliveryDuration.observe({ attempt_kind: 'first' }, 0.5001);
  const page = await fixture.metrics.render();
  const bucket = (name: string, le: string): string | undefined =>
    page
      .split('\n')
      .find((line) => line.startsWith(`parley_webhook_${name}_duration_seconds_bucket{le="${le}"`));
  expect(bucket('delivery', '0.5')).toBe(
    'parley_webhook_delivery_duration_seconds_bucket{le="0.5",attempt_kind="first"} 1',
  );
  expect(bucket('queue', '0.5')).toMatch(/ 1$/);
  expect(bucket('delivery', '0.25')).toMatch(/ 0$/);
});

test('first, retry and replay are counted apart; a test is not counted at all', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.startDelivery();
  const first = await fixture.emit();
  await fixture.deliveryWhen(first, ({ status }) => status === 'delivered');
  await waitFor(async () => (await counted('delivery', 'first')) === 1);

  receiver.answer((_, response) => void response.writeHead(500).end());
  const second = await fixture.emit();
  await fixture.deliveryWhen(
    second,
    ({ attempts, status }) => status === 'retrying' && attempts.length === 1,
  );
  receiver.answer((_, response) => void response.writeHead(200).end());
  await fixture.travel(10_000);
  await fixture.deliveryWhen(second, ({ status }) => status === 'delivered');
  await waitFor(async () => (await counted('delivery', 'retry')) === 1);

  const deps = { pool: fixture.pool, nowMs: Date.now, notifier };
  await replayEvent(deps, { namespace: 'default', id: first, endpointId: null });
  await waitFor(async () => (await counted('delivery', 'replay')) === 1);
  const tested = await createSendTestEvent({
    ...deps,
    batchPool: fixture.pool,
    announce: createAnnounce({ notifier, metrics: fixture.metrics }),
  })({
    namespace: 'default',
    endpointId: endpoint,
    type: 'agent.published' as const,
    data: agentPublished('x'),
  });
  await fixture.deliveryWhen(tested.eventId, ({ status }) => status === 'delivered');
  // Later events are counted after it, so the test attempt would be counted by now.
  await fixture.emit();
  await waitFor(async () => (await counted('delivery', 'first')) === 2);

  const all = async (name: string): Promise<number[]> =>
    Promise.all(['first', 'retry', 'replay'].map((kind) => counted(name, kind)));
  expect(await all('delivery')).toEqual([2, 1, 1]);
  expect(await all('queue')).toEqual([3, 1, 1]);
  expect(
    await Promise.all([
      outcomes('acknowledged'),
      outcomes('failed_attempt'),
      outcomes('exhausted'),
    ]),
  ).toEqual([4, 1, 0]);
  expect([await requests('acknowledged'), await requests('rejected')]).toEqual([4, 1]);
  expect(await sample('parley_events_total', { type: 'agent.published' })).toBe(3);
  // The retry counts from its event, ten seconds of shifted time ago. The delay of the queue comes from this test
  // alone.
  expect(
    await sample('parley_webhook_delivery_duration_seconds_sum', { attempt_kind: 'retry' }),
  ).toBeGreaterThan(10);
  const firsts = await sample('parley_webhook_delivery_duration_seconds_sum', {
    attempt_kind: 'first',
  });
  expect(Math.floor(firsts / 10)).toBe(0); // Excludes the ten seconds.
});

test('what cannot be reached is counted by why', async () => {
  const closed = await startReceiver();
  await closed.close();
  await fixture.addEndpoint({ url: closed.url, namespace: 'a' });
  await fixture.addEndpoint({ url: 'http://10.255.0.1/', namespace: 'b' });
  await fixture.startDelivery();
  await fixture.emit({ namespace: 'a' });
  await fixture.emit({ namespace: 'b' });
  await waitFor(
    async () => (await requests('connect_error')) === 1 && (await requests('blocked')) === 1,
  );
  expect(await outcomes('failed_attempt')).toBe(2);
});

test('the last attempt counts as a failed one and as the end of the delivery', async () => {
  await fixture.addEndpoint({ url: receiver.url });
  receiver.answer((_, response) => void response.writeHead(500).end());
  const eventId = await fixture.emit();
  await fixture.travel(71.9 * 3_600_000);
  await fixture.startDelivery();
  await fixture.deliveryWhen(eventId, ({ status }) => status === 'failed');
  await waitFor(async () => (await outcomes('exhausted')) === 1);
  expect(await outcomes('failed_attempt')).toBe(1);
});

test('what runs out of its 72 hours unattempted counts as exhausted', async () => {
  await fixture.addEndpoint({ secret: null });
  await fixture.emit();
  await fixture.travel(73 * 3_600_000);
  await fixture.startDelivery();
  await waitFor(async () => (await outcomes('exhausted')) === 1);
  expect(await outcomes('failed_attempt')).toBe(0);
});

test('the gauges show the backlog and the endpoints by their state', async () => {
  const [good, bad] = [
    await fixture.addEndpoint({ url: receiver.url, namespace: 'good' }),
    await fixture.addEndpoint({ url: 'http://10.255.0.1/', namespace: 'bad' }),
  ];
  await fixture.startDelivery();
  const delivered = await fixture.emit({ namespace: 'good' });
  const failing = await fixture.emit({ namespace: 'bad' });
  await fixture.deliveryWhen(delivered, ({ status }) => status === 'delivered');
  await fixture.deliveryWhen(
    failing,
    ({ status, attempts }) => status === 'retrying' && attempts.length === 1,
  );
  const off = await fixture.addEndpoint({ namespace: 'off' });
  await fixture.emit({ namespace: 'off' });
  await fixture.changeEndpoint(off, { namespace: 'off', enabled: false });
  await fixture.travel(60_000, `endpoint_id = '${off}'`);
  const backlog = await measureBacklog(fixture.pool);
  expect(backlog).toMatchObject({ pending: 2, endpoints: { healthy: 1, failing: 1, disabled: 1 } });
  // A delivery that waits for a disabled endpoint is not late, because it cannot be attempted now.
  expect(Math.floor(backlog.oldestDueAgeSec / 60)).toBe(0);
  expect([good, bad]).toHaveLength(2);
});

test('no label is an id, a URL, a host, a key or an error text', async () => {
  const endpoint = await fixture.addEndpoint({ url: receiver.url });
  await fixture.startDelivery();
  const eventId = await fixture.emit();
  await fixture.deliveryWhen(eventId, ({ status }) => status === 'delivered');
  await waitFor(async () => (await outcomes('acknowledged')) === 1);
  const ours = (await fixture.metrics.render())
    .split('\n')
    .filter((line) => /^parley_.*\{/.test(line));
  const allowed: Record<string, RegExp> = {
    attempt_kind: /^(first|retry|replay)$/,
    outcome:
      /^(acknowledged|rejected|timeout|connect_error|blocked|failed_attempt|exhausted|canceled)$/,
    state: /^(healthy|failing|disabled|not_ready)$/,
    type: /^[a-z_.]+$/,
    le: /^([\d.]+|\+Inf)$/,
  };
  for (const line of ours) {
    for (const [, label, value] of line.matchAll(/(\w+)="([^"]*)"/g)) {
      expect(value).toMatch(allowed[label!] ?? /never/);
    }
    for (const secret of [endpoint, eventId, SECRET, '127.0.0.1'])
      expect(line).not.toContain(secret);
  }
});

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  await until(() => fixture.metrics.render(), condition);
}
