import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startReceiver, type Receiver } from '../receiver.ts';
import { listen, type Receiver as RawReceiver } from '../../platform/egress/servers.ts';
import { startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

let fixture: DeliveryFixture;
let healthy: Receiver;
let hanging: RawReceiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  healthy = await startReceiver();
  hanging = await listen((socket) => socket.resume());
});

afterEach(async () => {
  await hanging.stop();
  await fixture.stop();
  await healthy.close();
});

test('F-26: thirty endpoints that hang, with hundreds of events, cost a healthy one nothing', async () => {
  for (let i = 0; i < 30; i += 1) {
    const url = `http://127.0.0.1:${hanging.port}/${i}`;
    await fixture.addEndpoint({ url, namespace: 'hanging' });
  }
  await fixture.addEndpoint({ url: healthy.url });
  const hung: string[] = [];
  // 1,200 attempts that would take all 512 slots of the process, twice over.
  for (let i = 0; i < 40; i += 1) hung.push(await fixture.emit({ namespace: 'hanging' }));
  await fixture.startDelivery();
  await fixture.deliveryWhen(hung[0]!, ({ inFlightSince }) => inFlightSince !== null);

  const latencies: number[] = [];
  const startedMs = performance.now();
  // By so much this process, which shares its machine, came late to its own timers.
  const late = monitorEventLoopDelay({ resolution: 10 });
  late.enable();
  // Past the time-out, so that the moment when all of them fail together is in it.
  while (performance.now() < startedMs + 11_000) {
    const committedMs = performance.now();
    const before = healthy.received.length;
    await fixture.emit();
    await healthy.until((received) => received.length > before);
    latencies.push(performance.now() - committedMs);
  }
  late.disable();
  latencies.sort((a, b) => a - b);
  expect(latencies[Math.floor(latencies.length * 0.99)]).toBeLessThan(1_000);
  expect(latencies.at(-1)).toBeLessThan(3_000);

  const { rows } = await fixture.pool.query<{ duration: number; class: string }>(
    `select duration_ms as duration, error_class as class from delivery_attempts
      where error_class is not null`,
  );
  expect(rows.length).toBeGreaterThanOrEqual(30);
  for (const { duration, class: errorClass } of rows) {
    expect(errorClass).toBe('timeout');
    expect(duration).toBeGreaterThanOrEqual(9_990);
    expect(duration).toBeLessThan(10_500 + late.max / 1e6);
  }
}, 60_000);
