import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FAILPOINTS } from '../../src/failpoints.ts';
import { maintainPartitions } from '../../src/webhooks/queue/partitions.sql.ts';
import {
  startDeliveryHarness,
  type DeliveryHarness,
} from '../webhooks/delivery/processes/delivery-harness.ts';
import { startRoleProcesses, type RoleProcesses } from '../webhooks/ledger/role-processes.ts';
import type { Recorder } from '../webhooks/ledger/ledger-recorder.ts';
import { createLedger, startRecorders, type Ledger } from '../webhooks/ledger/ledger.ts';
import { queryOnce } from '../platform/postgres/own-postgres.ts';
import { IS_NIGHTLY } from '../nightly.ts';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { temporaryFolder } from './parley-process.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { createSeeded } from '../random/seeded.ts';

/**
 * Processes die at failpoints outside of deliveries (processes.faults.test.ts covers deliveries). Every failpoint must
 * be armed by a test and called by the code.
 */
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const { below, shuffled } = createSeeded(SEED);
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Failpoints that a request passes. */
const POINTS = [
  'outbox.committing',
  'outbox.committed',
  'transaction.begun',
  'transaction.committing',
  'transaction.committed',
  'idempotency.marked',
  'api.answering',
] as const;

/** Returns the texts of all files in a folder whose names end with `ending`. */
const sources = (folder: string, ending: string): string[] =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(path.join(ROOT, folder, file), 'utf8'));

test('F-01: every failpoint is called by the code, and a test makes a process die there', () => {
  const code = sources('src', '.ts').join('\n');
  const tests = sources('test', '.faults.test.ts').join('\n');
  expect(FAILPOINTS.filter((name) => !code.includes(`failpoint('${name}')`))).toEqual([]);
  // A test arms a failpoint as `'name'` in a table of points, or as `name=kill` in a spec.
  const isArmed = (name: string): boolean =>
    tests.includes(`'${name}'`) || tests.includes(`${name}=kill`);
  expect(FAILPOINTS.filter((name) => !isArmed(name))).toEqual([]);
});

describe('the API, killed at each point of a request', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let recorder: Recorder;
  let roles: RoleProcesses;
  let ledger: Ledger;
  let api: { url: string; apiKey: string };

  beforeAll(async () => {
    folder = await temporaryFolder();
    [recorder] = (await startRecorders(folder.path)) as [Recorder];
    database = await createTestDatabase();
    const port = await freePort();
    const env = { PARLEY_PORT: String(port), PARLEY_RATE_LIMIT: '0' };
    roles = await startRoleProcesses(database.url, [
      { name: 'operator', role: 'operator' },
      { name: 'api', role: 'api', env },
      { name: 'delivery', role: 'delivery' },
    ]);
    const { apiKey } = roles.get('api').parley;
    api = { url: `http://127.0.0.1:${port}`, apiKey };
    ledger = createLedger({ folder: folder.path, api: () => api });
  }, 60_000);
  afterAll(async () => {
    await ledger.close();
    await roles.stop();
    await recorder.stop();
    await database.drop();
    await folder.remove();
  }, 60_000);

  test(
    `F-01 F-06 F-07: what was accepted arrives once, what was repeated is one event (seed ${SEED})`,
    async () => {
      const endpoints = await ledger.createEndpoints({ recorder, count: 4 });
      const points = IS_NIGHTLY
        ? Array.from({ length: 5 }, () => POINTS).flat()
        : shuffled(POINTS).slice(0, 1);
      const over = new AbortController();
      const plan = { endpoints, callers: 4, until: over.signal };
      // These requests are repeated until any process answers them.
      const again = ledger.closedLoop({ ...plan, idempotent: true });
      for (const point of points) {
        await roles.kill('api');
        await roles.start('api', `${point}=kill@${5 + below(20)}`);
        await forgetMarks();
        const once = ledger.closedLoop({ ...plan, endWhenRefused: true });
        const victim = roles.get('api');
        await victim.ended;
        expect({ point, died: victim.diedByItself }).toEqual({ point, died: true });
        await once;
      }
      await roles.start('api');
      await forgetMarks();
      over.abort();
      await again;
      await ledger.settled(30_000);
      const verdict = await ledger.verdict();
      console.info(`seed ${SEED}: ${points.length} kills of the API, ${JSON.stringify(verdict)}`);
      expect(roles.unexpected()).toEqual([]);
      expect(verdict.accepted).toBeGreaterThanOrEqual(points.length);
      expect(verdict).toMatchObject({
        lost: 0,
        failed: 0,
        // The delivery process survived.
        duplicates: 0,
        wrongBody: 0,
        badSignature: 0,
        foreign: 0,
        neverAccepted: 0,
        doubled: 0,
        odd: [],
      });
    },
    IS_NIGHTLY ? 400_000 : 120_000,
  );

  test('F-01: before it wakes anybody: a replay is found by looking', async () => {
    const [endpoint] = await ledger.createEndpoints({ recorder, count: 1 });
    const ask = (method: string, route: string, json?: object): Promise<Response> =>
      fetch(`${api.url}/v1/${route}`, {
        method,
        headers: { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json' },
        ...(json && { body: JSON.stringify(json) }),
      });
    const sent = await ask('POST', `webhooks/${endpoint!.id}/test`);
    const { event_id: eventId } = (await sent.json()) as { event_id: string };
    await roles.kill('api');
    await roles.start('api', 'notify.sending=kill');
    const victim = roles.get('api');
    // The process may answer before it dies.
    await ask('POST', `events/${eventId}/replay`, { endpoint_id: endpoint!.id }).catch(() => {});
    await victim.ended;
    expect(victim.diedByItself).toBe(true);
    await roles.start('api');
    type Page = { data: { trigger: string; status: string }[] };
    await until('the replay to arrive', async () => {
      const { data } = (await (await ask('GET', `events/${eventId}/deliveries`)).json()) as Page;
      return data.some(({ trigger, status }) => trigger === 'replay' && status === 'delivered');
    });
  }, 60_000);

  /** Makes unfinished idempotency marks expire, as after the minute for which they are valid. */
  async function forgetMarks(): Promise<void> {
    await queryOnce(
      database.url,
      `update idempotency_marks set claimed_at = claimed_at - interval '1 minute'
        where answer is null`,
    );
  }
});

/**
 * Declares a test that runs only at night. During the day, one of the three failpoints of the delivery role suffices.
 */
const atNight = test.runIf(IS_NIGHTLY);

describe('the delivery role, killed beside its deliveries', () => {
  let harness: DeliveryHarness;
  beforeEach(async () => {
    harness = await startDeliveryHarness();
  });
  afterEach(() => harness.stop(), 60_000);

  const statuses = async (): Promise<string[]> => {
    const { rows } = await harness.pool.query<{ status: string }>('select status from deliveries');
    return rows.map(({ status }) => status);
  };

  test('F-01: before it cancels what has nothing to send: another one does', async () => {
    const endpoint = await harness.addEndpoint();
    await harness.emit([endpoint], 3);
    await harness.pool.query('update events set erased_at = now()');
    const victim = await harness.start({ failpoints: 'delivery.canceling=kill' });
    expect(await victim.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(await statuses()).toEqual([]);
    await harness.startReady();
    await harness.drained();
    expect(await statuses()).toEqual(['canceled', 'canceled', 'canceled']);
    expect(harness.receiver.received).toEqual([]);
  });

  atNight('F-01: before it ends what has expired: another one does', async () => {
    const endpoint = await harness.addEndpoint();
    await harness.emit([endpoint], 2);
    await harness.pool.query(
      `update delivery_queue set scheduled_from = now() - interval '73 hours'`,
    );
    const victim = await harness.start({ failpoints: 'delivery.expiring=kill' });
    await victim.ended;
    expect(await statuses()).toEqual([]);
    await harness.startReady();
    await harness.drained();
    expect(await statuses()).toEqual(['failed', 'failed']);
    expect(harness.receiver.received).toEqual([]);
  });

  atNight(
    'F-01: while it makes or drops partitions: all or nothing, and the next one does it',
    async () => {
      const before = await partitions();
      const day = 86_400_000;
      const { created } = await maintainPartitions(harness.pool, Date.now() - 60 * day);
      expect(created.length).toBeGreaterThan(0);
      await harness.pool.query(`drop table ${before.at(-1)}`);
      // The role creates partitions before it is ready, and drops them in its first run afterwards.
      for (const [point, made] of [
        ['partitions.creating', before.slice(0, -1)],
        ['partitions.dropping', before],
      ] as const) {
        const victim = await harness.start({ failpoints: `${point}=kill` });
        expect(await victim.ended).toMatchObject({ signal: 'SIGKILL' });
        expect(await partitions()).toEqual([...made, ...created].sort());
      }
      await harness.startReady();
      await until('the old ones to go', async () => (await partitions()).length === before.length);
      expect(await partitions()).toEqual(before);
    },
  );

  async function partitions(): Promise<string[]> {
    const { rows } = await harness.pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
        where inhparent::regclass::text in ('events', 'deliveries', 'delivery_attempts')`,
    );
    return rows.map(({ name }) => name).sort();
  }
});
