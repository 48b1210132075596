import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newUuid } from '../../../../src/ids.ts';
import { freePort } from '../../../free-port.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';
import { listen, type Receiver as RawReceiver } from '../../../platform/egress/servers.ts';
import { startFloodingReceiver } from './flooding-receiver.ts';
import { startDeliveryProcess, type DeliveryProcess } from './receivers-setup.ts';

/**
 * What a dead or hanging endpoint costs the others (rows F-25 and F-26 of the fault matrix). The
 * limits are those of the matrix; how close to nothing it is, the benchmark says, beside a baseline
 * on the same machine.
 */
const LONG = process.env['FAULT_ROUNDS'] !== undefined;
const BACKLOG = LONG ? 100_000 : 10_000;
const P50_MAX_MS = 500;

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

type Traffic = {
  /** Sorted, by endpoint: from the call that commits the event to the request's arrival, ms. */
  latencies: Map<string, number[]>;
  offered: number;
  /** Arrived while events still came, or within the half second after. */
  inTime: number;
  p50Ms: number;
};

/** Events at a steady rate, whatever becomes of them, and when the healthy endpoints got them. */
async function produce(options: {
  perSec: number;
  forSec: number;
  endpoints: number;
}): Promise<Traffic> {
  const sentMs = new Map<string, number>();
  const before = healthy.received.length;
  const startMs = performance.now();
  const count = options.perSec * options.forSec;
  const emitting: Promise<void>[] = [];
  for (let i = 0; i < count; i += 1) {
    const waitMs = startMs + (i * 1_000) / options.perSec - performance.now();
    if (waitMs > 0) await delay(waitMs); // The rate of the load.
    const name = `${before}-${i}`;
    sentMs.set(name, performance.now());
    emitting.push(delivery.fixture.emit({ name }).then(() => undefined));
  }
  await Promise.all(emitting);
  const endMs = performance.now() + P50_MAX_MS;
  const offered = count * options.endpoints;
  await healthy.until(({ length }) => length >= before + offered, 60_000);
  const arrived = healthy.received.slice(before);
  const latencies = new Map<string, number[]>();
  for (const { path, json, atMs } of arrived) {
    const latencyMs = atMs - sentMs.get(String(json.data['name']))!;
    latencies.set(path, [...(latencies.get(path) ?? []), latencyMs]);
  }
  for (const values of latencies.values()) values.sort((a, b) => a - b);
  const inTime = arrived.filter(({ atMs }) => atMs <= endMs).length;
  return { latencies, offered, inTime, p50Ms: middle([...latencies.values()].flat()) };
}

/**
 * Once more where fewer were in time: what else runs on the machine comes and goes, a harmful
 * neighbour stays.
 */
async function produceBeside(
  before: Traffic,
  options: Parameters<typeof produce>[0],
): Promise<Traffic> {
  const first = await produce(options);
  return isAsMuchInTime(first, before) ? first : produce(options);
}

function isAsMuchInTime(traffic: Traffic, before: Traffic): boolean {
  return traffic.inTime / traffic.offered >= (0.9 * before.inTime) / before.offered;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** Against the same load before: a machine that is too slow for it proves nothing about neighbours. */
function expectUnharmed(traffic: Traffic, before: Traffic): void {
  expect(traffic.latencies.size).toBe(before.latencies.size);
  const p50MaxMs = Math.max(P50_MAX_MS, 2 * before.p50Ms);
  for (const [path, values] of traffic.latencies) {
    expect([path, middle(values) < p50MaxMs]).toEqual([path, true]);
  }
  const shareBefore = before.inTime / before.offered;
  const said = [traffic.inTime / traffic.offered, shareBefore];
  expect([...said, isAsMuchInTime(traffic, before)]).toEqual([...said, true]);
}

const said = ({ p50Ms, inTime, offered }: Traffic): string =>
  `p50 ${p50Ms.toFixed(1)} ms, ${((100 * inTime) / offered).toFixed(1)} % in time`;

test(
  'F-25: a dead endpoint with a large backlog: the healthy ones get theirs as before',
  async () => {
    const { fixture } = delivery;
    const endpoints = 10;
    await addEndpoints(endpoints, (i) => `${healthy.url}/${i}`);
    const load = { perSec: 30, forSec: LONG ? 60 : 4, endpoints };
    const before = await produce(load);

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
    const during = await produceBeside(before, load);
    console.info(`F-25: before: ${said(before)}; with ${BACKLOG} waiting: ${said(during)}`);

    expectUnharmed(during, before);
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

test(
  'F-26: three in ten endpoints hang: the others keep their throughput, and slots are left',
  async () => {
    const endpoints = 14;
    await addEndpoints(endpoints, (i) => `${healthy.url}/${i}`);
    const load = { perSec: 15, endpoints };
    const before = await produce({ ...load, forSec: LONG ? 60 : 3 });
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
    const during = await produceBeside(before, { ...load, forSec: LONG ? 60 : 12 });
    console.info(
      `F-26: before: ${said(before)}; with six hanging: ${said(during)}; at most ${mostOpen} attempts hung at once`,
    );

    expectUnharmed(during, before);
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

test(
  'endpoints that answer with informational responses without end cost the others nothing',
  async () => {
    const { fixture } = delivery;
    const endpoints = 10;
    await addEndpoints(endpoints, (i) => `${healthy.url}/${i}`);
    const load = { perSec: 15, forSec: LONG ? 60 : 4, endpoints };
    const before = await produce(load);

    const flooding = await startFloodingReceiver();
    try {
      // Of the same namespace: each event of the load goes to them, too.
      await addEndpoints(8, () => flooding.url);
      const during = await produceBeside(before, load);
      console.info(`1xx: before: ${said(before)}; with eight flooding: ${said(during)}`);
      expectUnharmed(during, before);
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
