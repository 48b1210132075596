import { afterEach, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../../src/ids.ts';
import { freePort } from '../../../free-port.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';
import { listen, type Receiver as RawReceiver } from '../../../platform/egress/servers.ts';
import { startFloodingReceiver } from './flooding-receiver.ts';
import { startDeliveryProcess, type DeliveryProcess } from './receivers-setup.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

/**
 * What a dead or hanging endpoint costs the others (rows F-25 and F-26 of the fault matrix), in a process of its own and
 * under load: the healthy ones get all that is theirs meanwhile. delivery-isolation.pg.test.ts has the short cases, and
 * `npm run bench` the figures.
 */
const LONG = process.env['FAULT_ROUNDS'] !== undefined;
const BACKLOG = LONG ? 100_000 : 10_000;
const nightly = test.runIf(IS_NIGHTLY);

let delivery: DeliveryProcess;
let healthy: Receiver;
const hanging: RawReceiver[] = [];

beforeEach(async () => {
  delivery = await startDeliveryProcess();
  healthy = await startReceiver();
});
afterEach(async () => {
  for (const server of hanging.splice(0)) await server.stop();
  await delivery.stop();
  await healthy.close();
});

async function addEndpoints(count: number, urlOf: (i: number) => string): Promise<void> {
  for (let i = 0; i < count; i += 1) await delivery.fixture.addEndpoint({ url: urlOf(i) });
}

/** Emits at a steady rate, whatever becomes of it, until the healthy endpoints have got it all. */
async function produce(options: {
  perSec: number;
  forSec: number;
  endpoints: number;
}): Promise<void> {
  const before = healthy.received.length;
  const startMs = performance.now();
  const count = options.perSec * options.forSec;
  const emitting: Promise<unknown>[] = [];
  await new Promise<void>((resolve) => {
    const pace = setInterval(() => {
      const due = Math.min(count, ((performance.now() - startMs) * options.perSec) / 1_000);
      while (emitting.length < due) emitting.push(delivery.fixture.emit());
      if (emitting.length < count) return;
      clearInterval(pace);
      resolve();
    }, 10);
  });
  await Promise.all(emitting);
  await healthy.until(({ length }) => length >= before + count * options.endpoints, 60_000);
}

nightly(
  'F-25: a dead endpoint with a large backlog: the healthy ones get theirs',
  async () => {
    const { fixture } = delivery;
    const endpoints = 10;
    await addEndpoints(endpoints, (i) => `${healthy.url}/${i}`);
    const load = { perSec: 30, forSec: LONG ? 60 : 4, endpoints };
    const url = `http://127.0.0.1:${await freePort()}/`;
    const dead = await fixture.addEndpoint({ url, namespace: 'dead' });
    const eventId = await fixture.emit({ namespace: 'dead' });
    await fixture.deliveryWhen(eventId, ({ attempts }) => attempts.length > 0);
    await fixture.pool.query(
      `insert into delivery_queue (id, namespace, endpoint_id, event_id, event_type, trigger)
       select n.id, namespace, endpoint_id, event_id, event_type, trigger
         from delivery_queue q, unnest($2::uuid[]) as n (id) where endpoint_id = $1`,
      [dead, Array.from({ length: BACKLOG }, () => newUuid())],
    );
    const attemptsOfDead = async (): Promise<number> => {
      const { rows } = await fixture.pool.query<{ count: number }>(
        `select count(*)::int from delivery_attempts a join delivery_queue q on q.id = a.delivery_id
          where q.endpoint_id = $1`,
        [dead],
      );
      return rows[0]!.count;
    };
    await fixture.eventually(async () => (await attemptsOfDead()) > 3);
    await produce(load);
    const tried = await attemptsOfDead();
    expect(tried).toBeGreaterThan(3);
    // Nothing of the backlog was given up or hurried through.
    const { rows } = await fixture.pool.query('select from delivery_queue where endpoint_id = $1', [
      dead,
    ]);
    expect(rows).toHaveLength(BACKLOG + 1);
    // The breaker: a few dozen at first, then one at a time with pauses. Each would cost the others.
    expect(tried).toBeLessThan(500);
  },
  LONG ? 400_000 : 90_000,
);

nightly(
  'F-26: three in ten endpoints hang: the others get theirs, and slots are left',
  async () => {
    const endpoints = 14;
    await addEndpoints(endpoints, (i) => `${healthy.url}/${i}`);
    const load = { perSec: 15, endpoints };
    let open = 0;
    let mostOpen = 0;
    for (let i = 0; i < 6; i += 1) {
      const server = await listen((socket) => {
        socket.resume();
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        socket.once('close', () => (open -= 1));
      });
      hanging.push(server);
      await delivery.fixture.addEndpoint({ url: `http://127.0.0.1:${server.port}/` });
    }
    // Past the time-out: the moment when the first of them fail together is in it.
    await produce({ ...load, forSec: LONG ? 60 : 12 });
    expect(mostOpen).toBeGreaterThan(30);
    expect(mostOpen).toBeLessThanOrEqual(512 - 32);
    const { rows } = await delivery.fixture.pool.query<{ class: string; count: number }>(
      `select error_class as class, count(*)::int from delivery_attempts
        where error_class is not null group by 1`,
    );
    expect(rows).toEqual([{ class: 'timeout', count: expect.any(Number) }]);
  },
  LONG ? 400_000 : 90_000,
);

nightly(
  'endpoints that answer with informational responses without end cost the others nothing',
  async () => {
    const { fixture } = delivery;
    const endpoints = 10;
    await addEndpoints(endpoints, (i) => `${healthy.url}/${i}`);
    const load = { perSec: 15, forSec: LONG ? 60 : 4, endpoints };
    const flooding = await startFloodingReceiver();
    try {
      // Of the same namespace: each event of the load goes to them, too.
      await addEndpoints(8, () => flooding.url);
      await produce(load);
      expect(await flooding.connections()).toBeGreaterThan(30);
    } finally {
      flooding.stop();
    }
    const { rows } = await fixture.pool.query<{ class: string; message: string; slow: boolean }>(
      `select distinct error_class as class, error_message as message, duration_ms > 2000 as slow
         from delivery_attempts where error_class is not null`,
    );
    const message = expect.stringMatching(/more than 16 informational responses/);
    expect(rows).toEqual([{ class: 'connect', message, slow: false }]);
  },
  LONG ? 400_000 : 90_000,
);
