import { afterEach, beforeEach, expect, test } from 'vitest';
import { pino } from 'pino';
import { fromUuid } from '../../../src/ids.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { freePort } from '../../free-port.ts';
import { startRole, type Parley } from '../../roles/parley-process.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { createSeeded } from '../../random/seeded.ts';
import { until } from '../../until.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * A replay of many events is neither lost nor doubled, whatever is killed: in each round a job runs
 * and the API, the delivery role or both are killed at a random moment of it, or the API at a point
 * of a batch. Every event must end with exactly one delivery of the job, delivered, and must have
 * arrived as it was stored. FAULT_SEED decides who is killed when.
 */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 3);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
/** In the first rounds; at random moments after those. */
const POINTS = ['replay.batching', 'replay.batched'] as const;
/** More than may be outstanding, so that the job lives on from batch to batch. */
const EVENTS = 1_500;
const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let receiver: Receiver;
let roles: Record<'api' | 'delivery' | 'operator', Parley>;
let port: string;

const start = (role: 'api' | 'delivery' | 'operator', failpoints = ''): Promise<Parley> =>
  startRole(role, {
    databaseUrl: database.url,
    env: { PARLEY_PORT: port, PARLEY_FAILPOINTS: failpoints },
  });

beforeEach(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 2 });
  receiver = await startReceiver();
  receiver.answer((_, response) => void setTimeout(() => response.writeHead(200).end(), 3));
  port = String(await freePort());
  roles = {
    operator: await start('operator'),
    delivery: await start('delivery'),
    api: await start('api'),
  };
}, 120_000);

afterEach(async () => {
  await Promise.all(Object.values(roles).map((role) => role.stop()));
  await receiver.close();
  await pool.end();
  await database.drop();
}, 60_000);

async function call(method: string, path: string, json?: object) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${roles.api.apiKey}`,
      ...(json && { 'content-type': 'application/json' }),
    },
    ...(json && { body: JSON.stringify(json) }),
  });
  // Tests know what they asked for; what comes back is looked at field by field.
  // oxlint-disable-next-line typescript/no-explicit-any
  return { status: response.status, body: (await response.json()) as any };
}

async function kill(role: 'api' | 'delivery'): Promise<void> {
  await roles[role].kill();
  roles[role] = await start(role);
}

/** Events that nobody was sent. */
async function insertEvents(): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into events (id, namespace, type, body)
     select id, 'default', 'agent.published',
            convert_to(format('{"id":"%s","type":"agent.published","created":1,"data":{}}', id), 'UTF8')
       from (select parley_uuid_v7() as id from generate_series(1, $1)) e
     returning id`,
    [EVENTS],
  );
  return rows.map(({ id }) => id);
}

async function countLost(eventIds: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*) as count from deliveries d join delivery_attempts a on a.delivery_id = d.id
      where d.event_id = any($1) and a.error_class = 'lost_lease'`,
    [eventIds],
  );
  return rows[0]!.count;
}

test.runIf(IS_NIGHTLY)(
  `F-32: a replay is carried out whole over ${ROUNDS} kills: each event once, none left out (seed ${SEED})`,
  async () => {
    const { below } = createSeeded(SEED);
    const { body: endpoint } = await call('POST', '/v1/webhooks', { url: receiver.url });
    let again = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = receiver.received.length;
      const since = Math.floor(Date.now() / 1_000) - 600;
      const ids = await insertEvents();
      const point = POINTS[round];
      if (point !== undefined) {
        await roles.api.kill();
        roles.api = await start('api', `${point}=kill@2`);
      }
      const json = { since, mode: 'missing' };
      const { status, body: job } = await call('POST', `/v1/webhooks/${endpoint.id}/replay`, json);
      expect(status).toBe(202);
      expect(job.progress.total).toBe(EVENTS);

      if (point === undefined) {
        const moment = below(EVENTS * 0.9);
        await receiver.until(({ length }) => length - before >= moment, 60_000);
        const victims = (['api', 'delivery'] as const).filter(() => below(10) < 6);
        await Promise.all((victims.length > 0 ? victims : (['api'] as const)).map(kill));
      } else {
        expect(await roles.api.exited).toEqual([null]);
        roles.api = await start('api');
      }

      const ended = async () => {
        const { body } = await call('GET', `/v1/jobs/${job.id}`);
        return body.status !== 'running' && body;
      };
      // The API may still be starting.
      const over = await until('the job', () => ended().catch(() => false), PATIENCE);
      expect(over).toMatchObject({ status: 'done', progress: { total: EVENTS, done: EVENTS } });
      const isDrained = async (): Promise<boolean> => {
        const { rows } = await pool.query('select 1 from delivery_queue limit 1');
        return rows.length === 0;
      };
      await until('the queue to be empty', isDrained, PATIENCE);
      const { rows } = await pool.query<{ events: number; deliveries: number; good: number }>(
        `select count(distinct event_id) as events, count(*) as deliveries,
                count(*) filter (where status = 'delivered' and trigger = 'replay') as good
           from deliveries where event_id = any($1)`,
        [ids],
      );
      expect(rows[0]).toEqual({ events: EVENTS, deliveries: EVENTS, good: EVENTS });
      const arrivals = receiver.received.slice(before);
      const { rows: stored } = await pool.query<{ id: string; body: Buffer }>(
        'select id, body from events where id = any($1)',
        [ids],
      );
      // Their ids inside are bare.
      const bodies = new Map(stored.map(({ id, body }) => [id, body]));
      const other = arrivals.filter(({ json, body }) => !bodies.get(json.id)?.equals(body));
      expect(other.map(({ json }) => json.id)).toEqual([]);
      const arrived = arrivals.map((one) => one.json.id);
      const got = new Set(arrived);
      const missing = ids.filter((id) => !got.has(id));
      expect(missing.map((id) => fromUuid('evt', id))).toEqual([]);
      // Each that came again is recorded as an attempt that was lost with the delivery role.
      expect(arrived.length - got.size).toBeLessThanOrEqual(await countLost(ids));
      again += arrived.length - got.size;
    }
    console.info(`${ROUNDS * EVENTS} replayed over ${ROUNDS} kills, 0 lost, ${again} sent again`);
  },
  60_000 + ROUNDS * 60_000,
);
