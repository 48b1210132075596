import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { freePort } from '../free-port.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { startRole, type Answer, type Parley } from '../roles/parley-process.ts';
import { createSeeded } from '../random/seeded.ts';
import { learn } from '../knowledge/passages/knowledge.ts';
import { until } from '../until.ts';
import { IS_NIGHTLY, roundsOf } from '../nightly.ts';

/**
 * An API process is killed at any moment of turns and endings while clients go on with the same
 * Idempotency-Keys: what was acknowledged is there, nothing is half stored or double, and each
 * conversation ends once, with one event each. Without keys, starts and ends share transactions. FAULT_SEED decides
 * after how many answers the kills come.
 */

const ROUNDS = roundsOf(1);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const USERS = IS_NIGHTLY ? 6 : 3;
const MESSAGES = 12;

let engine: Engine;
let pool: Pool;
let api: Parley;
let env: Record<string, string>;

beforeAll(async () => {
  engine = await startEngine();
  await engine.startOperator();
  pool = engine.pool;
  env = {
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    PARLEY_PORT: String(await freePort()),
    PARLEY_RATE_LIMIT: '0',
  };
  api = await startApi();
});

afterAll(async () => {
  await api?.stop();
  await engine?.stop();
});

async function startApi(): Promise<Parley> {
  const parley = await startRole('api', { databaseUrl: engine.databaseUrl, env });
  return { ...parley, url: `http://127.0.0.1:${env['PARLEY_PORT']}` };
}

test(
  `${ROUNDS} kills in the midst of turns and endings (seed ${SEED})`,
  async () => {
    await learn(pool, {
      name: 'handbook',
      passages: [{ heading: 'Delivery', text: 'We deliver within three working days.' }],
    });
    const agentId = await createAgent('keys');
    const seeded = createSeeded(SEED);
    for (let round = 0; round < ROUNDS; round += 1) {
      const conversations = Array.from({ length: USERS }, (_, i) =>
        converseToTheEnd(agentId, `${round}-${i}`),
      );
      const over = Promise.all(conversations);
      await answersOf(seeded.below(USERS * (MESSAGES + 1)));
      await api.kill();
      // As if the 60 s were over that the mark of a request under way lasts.
      await pool.query(
        `update idempotency_marks set claimed_at = '-infinity' where answer is null`,
      );
      api = await startApi();
      for (const conversation of await over) await checkWhole(conversation);
    }
    const { rows } = await pool.query(
      `select count(*)::int as n from conversations where status <> 'ended' or summary is null`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  },
  120_000 + ROUNDS * 20_000,
);

/** Callers that start conversations, say a word and end them, without a pause, so that transactions are shared. */
const CALLERS = 16;

test(
  `${ROUNDS} kills in the midst of acts that share transactions (seed ${SEED})`,
  async () => {
    const agentId = await createAgent('batches');
    const hook = { url: 'https://receiver.example/hook' };
    const { body } = await insist('POST', '/v1/webhooks', hook, 'hook');
    await until('the endpoint', async () => {
      const { rows } = await pool.query('select 1 from webhook_endpoints where id = $1', [
        toUuid('we', body.id),
      ]);
      return rows.length > 0;
    });
    const seeded = createSeeded(SEED);
    const acknowledged: Acknowledged = { started: [], said: [], ended: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      const callers = Array.from({ length: CALLERS }, () => callUntilKilled(agentId, acknowledged));
      await answersOf(1 + seeded.below(20 * CALLERS));
      await api.kill();
      await Promise.all(callers);
      api = await startApi();
    }
    await checkTold(agentId, acknowledged);
  },
  120_000 + ROUNDS * 20_000,
);

type Acknowledged = { started: string[]; said: string[]; ended: string[] };

async function callUntilKilled(agentId: string, acknowledged: Acknowledged): Promise<void> {
  for (;;) {
    const started = await attempt('POST', '/v1/conversations', { agent_id: agentId }).catch(
      () => undefined,
    );
    if (!started) return;
    expect(started.status).toBe(201);
    const { id } = started.body;
    acknowledged.started.push(id);
    countAnswer();
    const path = `/v1/conversations/${id}/messages`;
    const said = await attempt('POST', path, { text: 'Hello' }).catch(() => undefined);
    if (!said) return;
    expect(said.status).toBe(200);
    acknowledged.said.push(id);
    countAnswer();
    const ended = await attempt('POST', `/v1/conversations/${id}/end`, {}).catch(() => undefined);
    if (!ended) return;
    expect(ended.status).toBe(200);
    acknowledged.ended.push(id);
    countAnswer();
  }
}

/** Expects that each act is stored with its events and their deliveries once, and that no answered act is lost. */
async function checkTold(agentId: string, acknowledged: Acknowledged): Promise<void> {
  const { rows } = await pool.query<{
    id: string;
    status: string;
    turns: number;
    stored: number;
    events: string[];
    queued: string[];
  }>(
    `select c.id, c.status, c.turn_count as turns,
            (select count(*)::int from turns t where t.conversation_id = c.id) as stored,
            (select array_agg(e.type order by e.type) from events e where e.conversation_id = c.id) as events,
            (select array_agg(q.event_type order by q.sequence) from delivery_queue q
              where q.conversation_id = c.id) as queued
       from conversations c where c.agent_id = $1`,
    [toUuid('agt', agentId)],
  );
  const told = {
    active: ['conversation.started'],
    ended: ['conversation.started', 'conversation.ended', 'conversation.transcript.ready'],
  };
  for (const { status, turns, stored, events, queued } of rows) {
    expect([0, 2]).toContain(turns);
    expect(stored).toBe(turns);
    const all = told[status as keyof typeof told];
    expect({ status, events, queued }).toEqual({ status, events: all.toSorted(), queued: all });
  }
  const idsOf = (these: typeof rows) => new Set(these.map(({ id }) => id));
  const ended = idsOf(rows.filter(({ status }) => status === 'ended'));
  const lost = (acts: string[], stored: Set<string>) =>
    acts.filter((id) => !stored.has(toUuid('conv', id)!));
  expect(lost(acknowledged.started, idsOf(rows))).toEqual([]);
  expect(lost(acknowledged.said, idsOf(rows.filter(({ turns }) => turns > 0)))).toEqual([]);
  expect(lost(acknowledged.ended, ended)).toEqual([]);
  console.info(
    `${acknowledged.started.length} starts, ${acknowledged.said.length} messages and ` +
      `${acknowledged.ended.length} ends answered, ` +
      `${rows.length} and ${ended.size} stored`,
  );
}

type Conversation = { id: string; acknowledged: { index: number; text: string }[] };

async function createAgent(name: string): Promise<string> {
  const { body } = await insist('POST', '/v1/agents', { prompt: name }, `agent-${name}`);
  return body.id;
}

/** Each request until it is answered, by the same key: an answer may be lost with the process. */
async function converseToTheEnd(agentId: string, name: string): Promise<Conversation> {
  const started = await insist('POST', '/v1/conversations', { agent_id: agentId }, `start-${name}`);
  expect(started.status).toBe(201);
  const { id } = started.body;
  const acknowledged: Conversation['acknowledged'] = [];
  for (let i = 0; i < MESSAGES; i += 1) {
    // Every third is a gap, the seventh asks for a human, after whom the agent is silent.
    const text =
      i === 7
        ? 'I want a human'
        : i % 3 === 0
          ? `Is ${newWord()} velvet?`
          : `Hello${'!'.repeat(i)}`;
    const path = `/v1/conversations/${id}/messages`;
    const { status, body } = await insist('POST', path, { text }, `say-${name}-${i}`);
    expect(status).toBe(200);
    acknowledged.push({ index: body.turns[0].index, text });
  }
  const ended = await insist('POST', `/v1/conversations/${id}/end`, {}, `end-${name}`);
  expect(ended).toMatchObject({ status: 200, body: { status: 'ended' } });
  return { id, acknowledged };
}

/** Not like any other: each is a gap of its own. */
function newWord(): string {
  return randomBytes(9)
    .toString('hex')
    .replaceAll(/[0-9]/g, (digit) => 'ghijklmnop'[Number(digit)]!);
}

/** A mark that PostgreSQL wrote for a process that is dead by then lasts its 60 s. */
const GIVE_UP_MS = 90_000;

type Reply = Pick<Answer, 'status' | 'body'>;

async function insist(method: string, path: string, json: object, key: string): Promise<Reply> {
  const answered = await until(
    `an answer to ${key}`,
    async () => {
      const reply = await attempt(method, path, json, key).catch(() => undefined);
      const isBusy = reply?.body?.code === 'idempotency_in_progress' || (reply?.status ?? 0) >= 500;
      return isBusy ? undefined : reply;
    },
    { timeoutMs: GIVE_UP_MS, everyMs: 100 },
  );
  countAnswer();
  return answered;
}

let answers = 0;
const waiting = new Set<() => void>();

function countAnswer(): void {
  answers += 1;
  for (const look of waiting) look();
}

/** Resolves once so many more requests are answered: others are under way then. */
function answersOf(more: number): Promise<void> {
  const enough = answers + more;
  return new Promise((resolve) => {
    const look = (): void => {
      if (answers < enough) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });
}

async function attempt(method: string, path: string, json: object, key?: string): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${env['PARLEY_PORT']}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${api.apiKey}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: JSON.stringify(json),
  });
  return { status: response.status, body: await response.json() };
}

async function checkWhole({ id, acknowledged }: Conversation): Promise<void> {
  await summarized(id);
  const uuid = toUuid('conv', id);
  const { rows: turns } = await pool.query<{ index: number; role: string; text: string }>(
    'select index, role, text from turns where conversation_id = $1 order by index',
    [uuid],
  );
  expect(turns.map(({ index }) => index)).toEqual(turns.map((_, i) => i));
  // Each message once, where it was acknowledged, and a reply right after it until the human.
  const asked = turns.filter(({ role }) => role === 'user');
  expect(asked.map(({ index, text }) => ({ index, text }))).toEqual(acknowledged);
  for (const { index, text } of asked.slice(0, 8)) {
    expect({ text, next: turns[index + 1]?.role }).toEqual({ text, next: 'agent' });
  }
  expect(turns).toHaveLength(MESSAGES + 8);
  const { rows } = await pool.query(
    `select turn_count as turns, status from conversations where id = $1`,
    [uuid],
  );
  expect(rows).toEqual([{ turns: turns.length, status: 'ended' }]);
  const { rows: events } = await pool.query<{ type: string; n: number }>(
    `select type, count(*)::int as n from events where conversation_id = $1 group by type order by 1`,
    [uuid],
  );
  expect(events).toEqual([
    { type: 'conversation.ended', n: 1 },
    { type: 'conversation.started', n: 1 },
    { type: 'conversation.transcript.ready', n: 1 },
    { type: 'escalation.requested', n: 1 },
    { type: 'knowledge.gap.detected', n: 3 },
  ]);
}

async function summarized(id: string): Promise<void> {
  // The reaper of the API process looks once a second.
  await until(`the summary of ${id}`, async () => {
    const { rows } = await pool.query(
      'select 1 from conversations where id = $1 and summary is not null',
      [toUuid('conv', id)],
    );
    return rows.length > 0;
  });
}
