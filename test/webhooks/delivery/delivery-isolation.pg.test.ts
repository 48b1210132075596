import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ATTEMPT_TIMEOUT_MS } from '../../../src/webhooks/delivery/attempt.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { listen, type Receiver as RawReceiver } from '../../platform/egress/servers.ts';
import { letTimePass, startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

let fixture: DeliveryFixture;
let healthy: Receiver;
let hanging: RawReceiver;

beforeEach(async () => {
  fixture = await startDeliveryFixture();
  healthy = await startReceiver();
  hanging = await listen((socket) => socket.resume());
  // Registered before the test holds time, so it runs after: a stop takes time.
  onTestFinished(async () => {
    await hanging.stop();
    await fixture.stop();
    await healthy.close();
  });
});

test('F-26: thirty endpoints that hang, with hundreds of events, hold a healthy one up in nothing', async () => {
  for (let i = 0; i < 30; i += 1) {
    const url = `http://127.0.0.1:${hanging.port}/${i}`;
    await fixture.addEndpoint({ url, namespace: 'hanging' });
  }
  await fixture.addEndpoint({ url: healthy.url });
  // 600 attempts: more than the 512 slots of the process, of which they get most.
  for (let i = 0; i < 20; i += 1) await fixture.emit({ namespace: 'hanging' });
  const time = holdTime(); // None of them ends before the test says so.
  await fixture.startDelivery();
  const hangs = (): number => time.waiting().filter((ms) => ms === ATTEMPT_TIMEOUT_MS).length;
  await until('as many as may hang', () => hangs() >= 300);

  const deliver = async (): Promise<void> => {
    const before = healthy.received.length;
    await fixture.emit();
    await healthy.until((received) => received.length > before);
  };
  for (let i = 0; i < 20; i += 1) await deliver();
  expect(await attempts('timeout')).toEqual([]);
  // The moment when all of them fail together is no other.
  const failing = time.advance(ATTEMPT_TIMEOUT_MS);
  for (let i = 0; i < 20; i += 1) await deliver();
  await failing;
  letTimePass(time); // Their results are recorded together, after a moment.
  await until('the failures', async () => (await attempts('timeout')).length >= 30);
  expect(new Set(await attempts('timeout'))).toEqual(new Set([ATTEMPT_TIMEOUT_MS]));
  const { rows } = await fixture.pool.query(
    `select distinct error_class as class from delivery_attempts where error_class is not null`,
  );
  expect(rows).toEqual([{ class: 'timeout' }]);
});

/** How long each attempt of this class took. */
async function attempts(errorClass: string): Promise<number[]> {
  const { rows } = await fixture.pool.query<{ ms: number }>(
    'select duration_ms as ms from delivery_attempts where error_class = $1',
    [errorClass],
  );
  return rows.map(({ ms }) => ms);
}
