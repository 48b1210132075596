import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../src/ids.ts';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { freePort } from '../../free-port.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { runMigrations, startRole, type Parley } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';

/**
 * The process is killed at each step of a hand-over, before and after the commit: after a repeat by the same
 * key one person has the conversation, everything was told once, and nobody waits for ever.
 */

const KIM = { id: 'op-1', name: 'Kim' };
const PATIENCE = { timeoutMs: 20_000, everyMs: 50 };

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let pool: Pool;
let operator: Parley;
let api: Parley | undefined;
let port: number;
let agentId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await runMigrations(database.url);
  pool = createPool(database.url, { log: createLogger('error', 'test'), max: 4 });
  operator = await startRole('operator', { databaseUrl: database.url, env: {} });
  port = await freePort();
  await start();
  const escalation = { team: 'first line', fallback_team: 'second line', timeout_sec: 60 };
  const { body } = await call('POST', '/v1/agents', { prompt: 'Help.', escalation });
  agentId = body.id;
  await api?.stop();
  api = undefined;
}, 60_000);
afterAll(async () => {
  await operator?.stop();
  await pool?.end();
  await database?.drop();
});

let conversation: string;
let esc: string;
let keys = 0;

beforeEach(async () => {
  await start();
  conversation = (await call('POST', '/v1/conversations', { agent_id: agentId })).body.id;
  esc = (await call('POST', `/v1/conversations/${conversation}/escalate`, {})).body.id;
}, 30_000);
afterEach(async () => {
  await api?.kill();
  api = undefined;
});

async function start(failpoints?: string): Promise<void> {
  const env = {
    PARLEY_PORT: String(port),
    PARLEY_RATE_LIMIT: '0',
    ...(failpoints && { PARLEY_FAILPOINTS: failpoints }),
  };
  api = await startRole('api', { databaseUrl: database.url, env });
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- answers of any route
type Reply = { status: number; body: any };

async function call(method: string, path: string, json: object, key?: string): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${api!.apiKey}`,
      'content-type': 'application/json',
      ...(key && { 'idempotency-key': key }),
    },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: await response.json() };
}

const act = (what: string, json: object, key?: string): Promise<Reply> =>
  call('POST', `/v1/escalations/${esc}/${what}`, json, key);

async function shift(column: 'heartbeat_due_at' | 'times_out_at'): Promise<void> {
  await pool.query(`update escalations set ${column} = clock_timestamp() where id = $1`, [
    toUuid('esc', esc),
  ]);
}

async function read() {
  const id = toUuid('conv', conversation);
  const escalations = await pool.query<{ status: string; team: string; by: string | null }>(
    `select status, team, accepted_by ->> 'name' as by from escalations
      where conversation_id = $1 order by id`,
    [id],
  );
  const events = await pool.query<{ type: string }>(
    `select type from events where conversation_id = $1 and type like 'escalation.%' order by id`,
    [id],
  );
  const turns = await pool.query<{ text: string }>(
    'select text from turns where conversation_id = $1 order by index',
    [id],
  );
  return {
    escalations: escalations.rows.map(({ status, team, by }) =>
      `${team}: ${status} ${by ?? ''}`.trim(),
    ),
    events: events.rows.map(({ type }) => type.replace('escalation.', '')),
    turns: turns.rows.map(({ text }) => text.replace(/\..*/s, '')),
  };
}

const ASKED = 'A human was asked to take over';

/** By REST: what was done before, the act, and what there is after it, once. */
const ACTS = [
  {
    what: 'accept',
    json: { accepted_by: KIM, heartbeat_sec: 60 },
    before: async () => undefined,
    escalations: ['first line: accepted Kim'],
    events: ['requested', 'accepted'],
    turns: [ASKED, 'Kim has joined'],
  },
  {
    what: 'messages',
    json: { text: 'Kim here', by: KIM.id },
    before: () => act('accept', { accepted_by: KIM }),
    escalations: ['first line: accepted Kim'],
    events: ['requested', 'accepted'],
    turns: [ASKED, 'Kim has joined', 'Kim here'],
  },
  {
    what: 'release',
    json: { by: KIM.id, team: 'lawyers' },
    before: () => act('accept', { accepted_by: KIM }),
    escalations: ['lawyers: requested'],
    events: ['requested', 'accepted', 'requested'],
    turns: [ASKED, 'Kim has joined', 'Kim has left'],
  },
  {
    what: 'complete',
    json: { by: KIM.id },
    before: () => act('accept', { accepted_by: KIM }),
    escalations: ['first line: completed Kim'],
    events: ['requested', 'accepted'],
    turns: [ASKED, 'Kim has joined', 'Kim has left'],
  },
] as const;

const POINTS = ['conversation.committing', 'conversation.committed', 'api.answering'];

describe.each(ACTS)('killed while somebody does $what', ({ what, json, before, ...after }) => {
  test.each(POINTS)(
    'at %s: the repeat finds it done, or does it',
    async (point) => {
      await before();
      await api?.stop();
      await start(`${point}=kill`);
      const key = `${what}-${(keys += 1)}`;
      await expect(act(what, json, key)).rejects.toThrow('fetch failed');
      // As if the 60 s were over that the mark of a request under way lasts.
      await pool.query(
        `update idempotency_marks set claimed_at = '-infinity' where answer is null`,
      );
      await start();
      expect((await act(what, json, key)).status).toBe(200);
      expect(await read()).toEqual(after);
    },
    60_000,
  );
});

/** By time: whoever vanished, and nobody of the first team. */
const TIMES = [
  {
    name: 'a person has vanished',
    column: 'heartbeat_due_at',
    before: () => act('accept', { accepted_by: KIM, heartbeat_sec: 600 }),
    after: {
      escalations: ['first line: requested'],
      events: ['requested', 'accepted', 'requested'],
      turns: [ASKED, 'Kim has joined', 'Kim has left'],
    },
  },
  {
    name: 'nobody of the first team came',
    column: 'times_out_at',
    before: async () => undefined,
    after: {
      escalations: ['first line: timed_out', 'second line: requested'],
      events: ['requested', 'requested'],
      turns: [ASKED, 'Nobody is free yet'],
    },
  },
] as const;

describe.each(TIMES)('killed when $name', ({ column, before, after }) => {
  test.each(['conversation.committing', 'conversation.committed'])(
    'at %s: another process does it, once',
    async (point) => {
      await before();
      await api?.stop();
      await start(`${point}=kill`);
      await shift(column);
      await until(
        'the process to die',
        () =>
          fetch(`http://127.0.0.1:${port}/healthz`).then(
            () => undefined,
            () => true,
          ),
        PATIENCE,
      );
      await start();
      await until(
        'it to be done',
        async () => (await read()).events.length === after.events.length || undefined,
        PATIENCE,
      );
      expect(await read()).toEqual(after);
    },
    60_000,
  );
});
