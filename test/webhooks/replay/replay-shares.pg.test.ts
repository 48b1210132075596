import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/config.ts';
import { toUuid } from '../../../src/ids.ts';
import { startReceiver, type Receiver } from '../receiver.ts';
import { startApi, type Api, type Reply } from '../../roles/api/api-setup.ts';

/** How many replays of many events may run at once, and that those that wait hold up no other. */
let api: Api;
let receiver: Receiver;
/** What a test left to be ended. */
let held: { end: () => Promise<void> } | undefined;

const limits = {
  ...DEFAULT_LIMITS,
  shares: { ...DEFAULT_LIMITS.shares, replay_requests: null },
  replayJobs: { key: 2, namespace: 3 },
};

beforeEach(async () => {
  api = await startApi({ limits, delivery: true });
  receiver = await startReceiver();
});

afterEach(async () => {
  await held?.end();
  await api.stop();
  await receiver.close();
});

const statusesOf = (replies: Reply[]): number[] =>
  replies.map(({ status }) => status).sort((a, b) => a - b);

const since = Math.floor(Date.now() / 1_000) - 3_600;

const replay = (key: string, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
  api.call('POST', `${path}/replay`, {
    key,
    headers,
    json: { since, mode: 'missing' },
  });

/** An endpoint whose jobs have something to do. */
async function endpoint(key: string, namespace: string): Promise<{ id: string; path: string }> {
  const json = { url: receiver.url };
  const { body } = await api.call('POST', '/v1/webhooks', { key, json });
  await api.engine.pool.query(
    `insert into events (id, namespace, type, body)
     select parley_uuid_v7(), $1, 'agent.published', convert_to('{"id":"' || i || '"}', 'UTF8')
       from generate_series(1, 3) i`,
    [namespace],
  );
  return { id: toUuid('we', body.id)!, path: `/v1/webhooks/${body.id}` };
}

/** Jobs of an endpoint that is disabled go on until it is enabled. */
async function runningJobs(namespace: string, endpointId: string, count: number): Promise<void> {
  await api.engine.pool.query(
    `insert into jobs (id, namespace, type, status, actor, endpoint_id, mode, types, since, until, total)
     select parley_uuid_v7(), $1, 'replay', 'running', 'api:other', $2, 'all', '{}', now(), now(), 1
       from generate_series(1, $3)`,
    [namespace, endpointId, count],
  );
}

/** No job makes a delivery, and so none is over, until it ends. */
async function holdJobs(): Promise<{ end: () => Promise<void> }> {
  const client = await api.engine.pool.connect();
  await client.query('begin');
  await client.query('lock table delivery_queue in share mode');
  held = {
    end: async () => {
      held = undefined;
      await client.query('rollback');
      client.release();
    },
  };
  return held;
}

test('more than the share of a key or of a namespace is 429, exactly, and not kept', async () => {
  const [greedy, other] = await Promise.all([api.newKey('one'), api.newKey('one')]);
  const { path } = await endpoint(greedy, 'one');
  const holding = await holdJobs();
  const replies = await Promise.all([1, 2, 3, 4].map(() => replay(greedy, path)));
  expect(statusesOf(replies)).toEqual([202, 202, 429, 429]);
  const refused = replies.find(({ status }) => status === 429)!;
  expect(refused.body).toMatchObject({ code: 'too_many_in_flight' });
  expect(refused.body.detail).toContain('PARLEY_LIMIT_REPLAY_JOBS');
  expect(refused.headers.get('retry-after')).toBe('10');
  expect((await replay(other, path)).status).toBe(202);
  const repeat = { 'idempotency-key': 'again' };
  const full = await replay(other, path, repeat);
  expect([full.status, full.body.detail.startsWith('This namespace already has 3')]).toEqual([
    429,
    true,
  ]);
  const { body: usage } = await api.call('GET', '/v1/usage', { key: other });
  expect(usage.in_flight.replay_jobs).toEqual({
    api_key: { limit: 2, used: 1 },
    namespace: { limit: 3, used: 3 },
  });
  const foreign = await api.newKey('two');
  expect((await replay(foreign, (await endpoint(foreign, 'two')).path)).status).toBe(202);
  await holding.end();
  await api.engine.eventually(async () => {
    const { body } = await api.call('GET', '/v1/jobs?status=running', { key: other });
    return body.data.length === 0;
  });
  expect((await replay(other, path, repeat)).status).toBe(202);
  expect(await api.engine.metrics.render()).toMatch(
    /parley_in_flight_refused_total\{kind="replay_jobs",share="namespace"\} 1/,
  );
});

test('however many jobs wait for their endpoints, another one is carried out', async () => {
  const greedy = await api.newKey('one');
  const stuck = await endpoint(greedy, 'one');
  await api.call('PATCH', stuck.path, { key: greedy, json: { enabled: false } });
  await runningJobs('one', stuck.id, 250);
  const other = await api.newKey('two');
  const { path } = await endpoint(other, 'two');
  const { body: job } = await replay(other, path);
  await api.engine.eventually(async () => {
    const { body } = await api.call('GET', `/v1/jobs/${job.id}`, { key: other });
    return body.status === 'done';
  });
  await receiver.until(({ length }) => length >= 3);
});
