import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Pool } from 'undici';
import { freePort, startParley, temporaryFolder, type Parley } from '../support/parley-process.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';

/**
 * Nothing accepted is lost: the process is killed 20 times and PostgreSQL 10 times while events
 * come in at 200 a second or more. The ledger is here, outside of what is killed: every event
 * the API accepted (202) must arrive at its endpoint, at no other, with the same bytes each time.
 */

const PROCESS_KILLS = 20;
const POSTGRES_KILLS = 10;
/** Accepted between two kills. */
const EVENTS_PER_ROUND = 600;
/** So that a kill always meets work, beside other tests too; figures are the benchmarks' business. */
const RATE_MIN = 100;
const ENDPOINTS = 4;
const PRODUCERS = 16;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let receiver: Receiver;
let parley: Parley;

beforeEach(async () => {
  folder = await temporaryFolder();
  receiver = await startReceiver();
});

afterEach(async () => {
  await parley.stop();
  await receiver.close();
  await folder.remove();
});

test('every accepted event arrives, whatever is killed', async () => {
  const port = String(await freePort());
  const start = (): Promise<Parley> =>
    startParley({ dataDir: folder.path, env: { PARLEY_PORT: port } });
  parley = await start();
  const endpoints = await createEndpoints(parley, receiver.url);
  const ledger = createLedger(endpoints);

  const kills = shuffled([
    ...Array.from({ length: PROCESS_KILLS }, () => 'process' as const),
    ...Array.from({ length: POSTGRES_KILLS }, () => 'postgres' as const),
  ]);
  for (const kill of kills) {
    const produced = ledger.produce(parley, EVENTS_PER_ROUND);
    await ledger.reached(EVENTS_PER_ROUND / 2);
    if (kill === 'process') {
      await parley.kill();
      await produced;
      parley = await start();
    } else {
      process.kill(await postmasterPid(folder.path), 'SIGKILL');
      await produced;
      await answering(parley);
    }
  }
  await ledger.produce(parley, EVENTS_PER_ROUND);

  await receiver.until(() => ledger.missing(receiver).length === 0, 60_000);
  expect(ledger.acceptedPerSecond()).toBeGreaterThanOrEqual(RATE_MIN);
  expect(ledger.misdelivered(receiver)).toEqual([]);
  expect(ledger.altered(receiver)).toEqual([]);
  const stored = await storedBytes(parley, ledger.sample());
  for (const [eventId, body] of stored) expect(ledger.bytesOf(receiver, eventId)).toBe(body);
  console.info(ledger.summary(receiver, kills.length));
}, 600_000);

type Endpoint = { id: string; path: string };

async function createEndpoints({ call }: Parley, url: string): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for (let i = 0; i < ENDPOINTS; i += 1) {
    const { status, body } = await call('POST', '/v1/webhooks', { url: `${url}/${i}` });
    expect(status).toBe(201);
    endpoints.push({ id: body.id, path: new URL(`${url}/${i}`).pathname });
  }
  return endpoints;
}

function createLedger(endpoints: Endpoint[]) {
  const accepted = new Map<string, string>();
  let next = 0;
  let round = 0;
  let busyMs = 0;
  let waiter: (() => void) | undefined;

  async function produceOne(api: Pool, apiKey: string): Promise<boolean> {
    const endpoint = endpoints[next++ % endpoints.length]!;
    const accepting = async (): Promise<string | undefined> => {
      const { statusCode, body } = await api.request({
        method: 'POST',
        path: `/v1/webhooks/${endpoint.id}/test`,
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const text = await body.text();
      return statusCode === 202 ? (JSON.parse(text) as { event_id: string }).event_id : undefined;
    };
    const eventId = await accepting().catch(() => undefined);
    if (eventId === undefined) return false; // Whether it happened all the same is not promised.
    accepted.set(eventId, endpoint.path);
    round += 1;
    waiter?.();
    return true;
  }

  return {
    /** Until so many were accepted, or nobody accepts any more. */
    produce: async (parley: Parley, count: number): Promise<void> => {
      round = 0;
      const startedMs = performance.now();
      let up = true;
      const api = new Pool(parley.url, { connections: PRODUCERS });
      const producer = async (): Promise<void> => {
        while (up && round < count) up = (await produceOne(api, parley.apiKey)) && up;
      };
      await Promise.all(Array.from({ length: PRODUCERS }, producer));
      await api.destroy();
      busyMs += performance.now() - startedMs;
      waiter?.();
    },
    reached: (count: number): Promise<void> =>
      new Promise((resolve) => {
        waiter = () => {
          if (round >= count) resolve();
        };
        waiter();
      }),
    missing: ({ received }: Receiver): string[] => {
      const arrived = new Set(received.map(({ json }) => json.id));
      return [...accepted.keys()].filter((id) => !arrived.has(id));
    },
    misdelivered: ({ received }: Receiver): string[] =>
      received
        .filter(({ json, path: at }) => accepted.has(json.id) && accepted.get(json.id) !== at)
        .map(({ json }) => json.id),
    /** Events that came twice and differed. */
    altered: ({ received }: Receiver): string[] => {
      const first = new Map<string, string>();
      return received
        .filter(({ json, body }) => {
          const text = body.toString();
          const known = first.get(json.id);
          first.set(json.id, known ?? text);
          return known !== undefined && known !== text;
        })
        .map(({ json }) => json.id);
    },
    sample: (): string[] => [...accepted.keys()].filter((_, i) => i % 97 === 0),
    bytesOf: ({ received }: Receiver, id: string): string | undefined =>
      received.find(({ json }) => json.id === id)?.body.toString(),
    acceptedPerSecond: (): number => accepted.size / (busyMs / 1_000),
    summary: ({ received }: Receiver, kills: number): string => {
      const ids = received.map(({ json }) => json.id).filter((id) => accepted.has(id));
      const twice = ids.length - new Set(ids).size;
      const rate = Math.round(accepted.size / (busyMs / 1_000));
      return `${accepted.size} accepted at ${rate}/s over ${kills} kills, 0 lost, ${twice} again`;
    },
  };
}

/** What the API says the event is; the key order is the envelope's. */
async function storedBytes({ call }: Parley, ids: string[]): Promise<[string, string][]> {
  const bodies: [string, string][] = [];
  for (const eventId of ids) {
    const { body } = await call('GET', `/v1/events/${eventId}`);
    const { id, type, created, data } = body;
    bodies.push([eventId, JSON.stringify({ id, type, created, data })]);
  }
  return bodies;
}

async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

/** PostgreSQL is being restarted: the API answers 503 until it is back. */
async function answering({ call }: Parley): Promise<void> {
  const endMs = performance.now() + 15_000;
  for (;;) {
    const { status } = await call('GET', '/v1/webhooks');
    if (status === 200) return;
    expect(status).toBe(503);
    if (performance.now() > endMs) throw new Error('the database did not come back');
  }
}

/** Random, and printed by jest's own failure through the order of what happened. */
function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
