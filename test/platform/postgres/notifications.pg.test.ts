import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSendTestEvent } from '../../../src/webhooks/endpoints/send-test-event.ts';
import {
  CHANNELS,
  createListener,
  createNotifier,
  type Listener,
  type Notifier,
} from '../../../src/platform/postgres/notifications.ts';
import {
  agentPublished,
  startDeliveryFixture,
  type DeliveryFixture,
} from '../../webhooks/delivery-setup.ts';

/** Wake-ups between processes. A lost one costs the interval of a sweep, so none should be lost. */
let fixture: DeliveryFixture;
let heard: Set<string>;
let listener: Listener;
let notifier: Notifier;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  heard = new Set();
  const { pool, databaseUrl, log } = fixture;
  listener = createListener({
    databaseUrl,
    channels: { [CHANNELS.deliveries]: hear, [CHANNELS.events]: hear },
    log,
  });
  await listener.start();
  notifier = createNotifier({ pool, log });
  heard.clear(); // The start of the listener wakes everything.
});

afterEach(async () => {
  await notifier.stop();
  await listener.stop();
  await fixture.stop();
});

const hear = (items: readonly string[]): void => {
  for (const item of items) heard.add(item);
};

const hears = (items: readonly string[]): Promise<boolean> =>
  fixture.eventually(
    () => Promise.resolve(items.every((item) => heard.has(item))),
    () => [...heard],
  );

test('those that come together are sent together, and none is left out', async () => {
  const first = Array.from({ length: 5 }, () => randomUUID());
  for (const id of first) notifier.notify(CHANNELS.deliveries, [id]);
  // Adds one of the next while the message with the first is being sent.
  await new Promise(setImmediate);
  const second = Array.from({ length: 5 }, () => randomUUID());
  notifier.notify(CHANNELS.deliveries, second.slice(0, 2));
  notifier.notify(CHANNELS.deliveries, second.slice(2));
  await hears([...first, ...second]);
  expect(heard.size).toBe(10);
});

test('several channels at once take one statement, and none follows without items', async () => {
  const query = vi.spyOn(fixture.pool, 'query');
  const id = randomUUID();
  notifier.notify(CHANNELS.deliveries, [id]);
  notifier.notify(CHANNELS.events, ['default']);
  notifier.notify(CHANNELS.events, []);
  await notifier.stop();
  expect(query).toHaveBeenCalledTimes(1);
  query.mockRestore();
  await hears([id, 'default']);
});

test('test events wake their endpoints and those who stream with their own commit', async () => {
  const to = await Promise.all(
    ['a', 'a', 'b'].map((namespace) => fixture.addEndpoint({ namespace })),
  );
  const send = createSendTestEvent({
    pool: fixture.pool,
    batchPool: fixture.pool,
    announce: () => undefined,
    nowMs: Date.now,
  });
  const data = agentPublished('x');
  await Promise.all(
    to.map((endpointId, i) =>
      send({ namespace: i < 2 ? 'a' : 'b', endpointId, type: 'agent.published', data }),
    ),
  );
  await hears([...to, 'a', 'b']);
});

test('more endpoints than one message can name are sent as all', async () => {
  notifier.notify(
    CHANNELS.deliveries,
    Array.from({ length: 1_000 }, () => randomUUID()),
  );
  await hears(['*']);
  expect([...heard]).toEqual(['*']);
});
