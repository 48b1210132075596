import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { freePort } from '../../free-port.ts';
import { startStubModel, type StubModel, type StubRequest } from '../../models/stub-model.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { runMigrations, startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/**
 * A process dies while a model judges: the transcript is told of by rule, once, when the minute is over. One
 * that stops in an orderly way tells before it goes.
 */

const PATIENCE = { timeoutMs: 20_000, everyMs: 50 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let stub: StubModel;
let operator: Parley;
let api: Parley | undefined;
let port: number;
let agent: string;

const isJudging = ({ body }: StubRequest): boolean =>
  String(body.messages?.[0]?.content).startsWith('You judge a conversation');
const asked = (): number => stub.requests.filter(isJudging).length;

beforeAll(async () => {
  database = await createTestDatabase();
  await runMigrations(database.url);
  pool = createPool(database.url, { log: createLogger('error', 'test'), max: 4 });
  stub = await startStubModel();
  stub.answer((request) => (isJudging(request) ? { hang: 'before_headers' } : { text: 'Yes.' }));
  operator = await startRole('operator', { databaseUrl: database.url, env: model() });
  port = await freePort();
  api = await startApi();
  const fields = { prompt: 'Help.', judgement: { by: 'model' } };
  agent = (await post('/v1/agents', fields)).id;
}, 60_000);
afterEach(async () => {
  await api?.kill();
  api = undefined;
  stub.requests.length = 0;
});
afterAll(async () => {
  await operator?.stop();
  await stub?.stop();
  await pool?.end();
  await database?.drop();
});

const model = () => ({ PARLEY_MODEL_URL: stub.url, PARLEY_MODEL: 'stub-1' });
const startApi = () =>
  startRole('api', {
    databaseUrl: database.url,
    env: { ...model(), PARLEY_PORT: String(port) },
  });

async function post(path: string, json: object): Promise<{ id: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api!.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  expect([200, 201]).toContain(response.status);
  return (await response.json()) as { id: string };
}

/** One that has ended, and is being judged. */
async function judging(): Promise<string> {
  api ??= await startApi();
  const { id } = await post('/v1/conversations', { agent_id: agent });
  await post(`/v1/conversations/${id}/messages`, { text: 'Is it?' });
  await post(`/v1/conversations/${id}/end`, {});
  await until('the model is asked', () => asked() === 1, PATIENCE);
  return id;
}

async function stored(id: string): Promise<{ summary: string | null; code: string; told: number }> {
  const { rows } = await pool.query(
    `select c.summary, c.judgement #>> '{error,code}' as code,
            (select count(*)::int from events e where e.conversation_id = c.id
                and e.type = 'conversation.transcript.ready') as told
       from conversations c where c.id = $1`,
    [toUuid('conv', id)],
  );
  return rows[0];
}

test('a killed process: nothing is told before its minute is over, and then by rule, once', async () => {
  const id = await judging();
  await api!.kill();
  api = await startApi();
  // Ended by rule meanwhile, in the same runs of the reaper that leave the other alone.
  const other = (await post('/v1/conversations', { agent_id: agent })).id;
  await post(`/v1/conversations/${other}/end`, {});
  await until('the other is told of', async () => (await stored(other)).told === 1, PATIENCE);
  expect(await stored(id)).toEqual({ summary: null, code: null, told: 0 });

  await pool.query('update conversations set judge_until = clock_timestamp() where id = $1', [
    toUuid('conv', id),
  ]);
  await until('it is told of', async () => (await stored(id)).told === 1, PATIENCE);
  expect(await stored(id)).toMatchObject({ code: 'not_judged', told: 1 });
  expect((await stored(id)).summary).toContain('The user asked');
  expect(asked()).toBe(1);
}, 60_000);

test('a process that is told to stop tells by rule before it goes', async () => {
  const id = await judging();
  const stopping = performance.now();
  await api!.stop();
  expect(performance.now() - stopping).toBeLessThan(15_000);
  expect(await stored(id)).toMatchObject({ code: 'not_judged', told: 1 });
}, 60_000);
