import { afterEach, beforeEach, expect, test } from 'vitest';
import pg from 'pg';
import { toUuid } from '../../src/ids.ts';
import { createCall, type Call } from '../roles/api/api-setup.ts';
import { startEngine, type Engine } from '../roles/engine.ts';
import { shiftTime } from '../platform/postgres/postgres.ts';
import { freePort } from '../free-port.ts';
import { startRole, type Parley } from '../roles/parley-process.ts';
import { until } from '../until.ts';

/**
 * Two API processes handle calls, and one of them is killed in the middle, at a different moment in each round. Every
 * call must end once; every turn of its script must be stored once and in order; each event of its conversation must be
 * emitted once. Runs FAULT_ROUNDS rounds; by default one, and three at night.
 */

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? (process.env['PARLEY_NIGHTLY'] ? 3 : 1));
const CALLS = 24;
const SCRIPT = Array.from({ length: 8 }, (_, i) => `This is sentence ${i + 1}.`);
/** Delay of the last sentence. It keeps every call in progress until the kill, however slow this process is. */
const LAST_AFTER_MS = 2_000;
/** Includes the time for other processes to play the rest. */
const ROUND_MS = 60_000;

let engine: Engine;
let processes: Parley[];
let ports: number[];
let call: Call;

beforeEach(async () => {
  engine = await startEngine();
  await engine.startOperator();
  ports = [await freePort(), await freePort()];
  processes = await Promise.all([startApiProcess(0), startApiProcess(1)]);
});
afterEach(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await engine.stop();
});

test(
  'a killed process costs no call a turn, and none is played twice',
  async () => {
    call = createCall(`http://127.0.0.1:${ports[0]}`, processes[0]!.apiKey);
    const made = await call('POST', '/v1/agents', {
      json: { name: 'support', prompt: 'Be kind.', first_message: 'Hello.' },
    });
    expect(made.status).toBe(201);
    let interrupted = 0;
    for (let round = 0; round < ROUNDS; round += 1)
      interrupted += await playRound(made.body.id, round);
    // Otherwise the test has tried nothing.
    expect(interrupted).not.toBe(0);
    console.info(`${ROUNDS} kills, ${CALLS * ROUNDS} calls, ${interrupted} of them in a step`);
  },
  ROUNDS * ROUND_MS,
);

/** Returns the number of steps that the killed process was in. */
async function playRound(agentId: string, round: number): Promise<number> {
  const victim = round % 2;
  // Uses the other process, whose answers are still needed.
  call = createCall(`http://127.0.0.1:${ports[1 - victim]}`, processes[0]!.apiKey);
  const ids = await Promise.all(Array.from({ length: CALLS }, () => place(agentId)));
  const killAfter = Math.floor(((round + 1) / (ROUNDS + 1)) * CALLS * SCRIPT.length);
  await engine.eventually(async () => (await storedTurns(ids)) >= killAfter);
  const steps = await killInStep(victim);
  processes[victim] = await startApiProcess(victim);
  // Lets the leases of the killed process run out.
  await shiftTime(engine.pool, 11_000 * (round + 1));
  await ended(ids);
  await check(ids);
  return steps;
}

/** Blocks both processes while they store a turn, and then kills one of them. */
async function killInStep(victim: number): Promise<number> {
  const holder = new pg.Client({ connectionString: engine.databaseUrl });
  await holder.connect();
  await holder.query('begin; lock table turns in share row exclusive mode');
  const steps = await until('the process to be in a step', async () => {
    const { rowCount } = await engine.pool.query(
      `select from pg_stat_activity where datname = current_database()
          and application_name = $1 and wait_event_type = 'Lock'`,
      [nameOf(victim)],
    );
    return rowCount! > 0 && rowCount;
  });
  await processes[victim]!.kill();
  await holder.end();
  return steps!;
}

/** Name of the process's sessions in PostgreSQL. */
const nameOf = (index: number): string => `api-${index}`;

function startApiProcess(index: number): Promise<Parley> {
  const databaseUrl = new URL(engine.databaseUrl);
  databaseUrl.searchParams.set('application_name', nameOf(index));
  return startRole('api', {
    databaseUrl: databaseUrl.href,
    env: {
      PARLEY_PORT: String(ports[index]),
      PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
    },
  });
}

/** Places a call and returns its uuid. */
async function place(agentId: string): Promise<string> {
  const turns = SCRIPT.map((text, i) => ({
    text,
    after_ms: i === SCRIPT.length - 1 ? LAST_AFTER_MS : (i % 3) * 15,
  }));
  const json = { agent_id: agentId, to: '+442071838750', simulated: { ring_ms: 20, turns } };
  const { status, body } = await call('POST', '/v1/calls', { json });
  expect(status).toBe(201);
  return toUuid('call', body.id)!;
}

const TURNS = `from turns t join conversations c on c.id = t.conversation_id
  where c.call_id = any($1) and t.role = 'user'`;

async function storedTurns(ids: string[]): Promise<number> {
  const { rows } = await engine.pool.query(`select count(*) as count ${TURNS}`, [ids]);
  return rows[0].count;
}

async function ended(ids: string[]): Promise<void> {
  const untilMs = performance.now() + ROUND_MS / 2;
  const left = async (): Promise<number> => {
    const { rows } = await engine.pool.query(
      `select count(*) as count from calls c left join conversations v on v.id = c.conversation_id
        where c.id = any($1) and (c.ended_at is null or v.summary is null)`,
      [ids],
    );
    return rows[0].count;
  };
  while ((await left()) > 0) {
    if (performance.now() > untilMs) throw new Error(`${await left()} calls did not end`);
    await engine.eventually(async () => (await left()) === 0).catch(() => undefined);
  }
}

async function check(ids: string[]): Promise<void> {
  const calls = await engine.pool.query(
    'select distinct status, ended_reason from calls where id = any($1)',
    [ids],
  );
  expect(calls.rows).toEqual([{ status: 'completed', ended_reason: 'user_hangup' }]);

  const said = await engine.pool.query(
    `select c.call_id, array_agg(t.text order by t.index) as texts ${TURNS} group by 1`,
    [ids],
  );
  expect(said.rows).toHaveLength(CALLS);
  for (const { texts } of said.rows) expect(texts).toEqual(SCRIPT);

  const events = await engine.pool.query(
    `select e.type, count(*), count(distinct c.call_id) as of
       from events e join conversations c on c.id = e.conversation_id
      where c.call_id = any($1) and e.type <> 'knowledge.gap.detected' group by 1 order by 1`,
    [ids],
  );
  expect(events.rows).toEqual(
    ['conversation.ended', 'conversation.started', 'conversation.transcript.ready'].map((type) => ({
      type,
      count: CALLS,
      of: CALLS,
    })),
  );
}
