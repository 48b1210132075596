import { afterEach, beforeEach, expect, test } from 'vitest';
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { publishAgent } from '../../../src/agents/publish-agent.ts';
import { createLeadership, type Leadership } from '../../../src/platform/postgres/leadership.ts';
import { activations, agentRow, countVersions, events } from '../../agents/agents.ts';
import { holdTime } from '../../clock.ts';
import { startEngine, type Engine } from '../../roles/engine.ts';

let engine: Engine;
const started: Leadership[] = [];
let child: ChildProcess | undefined;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(async () => {
  child?.kill('SIGKILL'); // SIGKILL also ends a paused process.
  await Promise.all(started.splice(0).map((one) => one.stop()));
  await engine.stop();
});

/** Starts a candidate that records its events. */
function startCandidate(name: string, log: string[]) {
  const led = Promise.withResolvers<number>();
  const leadership = createLeadership({
    databaseUrl: engine.databaseUrl,
    log: engine.log,
    onLead: async ({ epoch }) => {
      log.push(`${name} leads`);
      led.resolve(epoch);
    },
    onLost: async () => {
      await engine.pool.query('select pg_sleep(0.2)');
      log.push(`${name} lost it`);
    },
  });
  leadership.start();
  started.push(leadership);
  return { ...leadership, led: led.promise };
}

/** Cuts the connection that holds the lock. */
const cutLeader = () =>
  engine.pool.query(
    `select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
  );

/** Resolves when another session waits for the lock. */
const someoneWaits = () =>
  engine.eventually(async () => {
    const { rows } = await engine.pool.query(
      `select 1 from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows.length > 0;
  });

test('one leads; stop hands over at once, and not before its work has ended', async () => {
  const log: string[] = [];
  const first = startCandidate('first', log);
  expect(await first.led).toBe(1);
  const second = startCandidate('second', log);
  await someoneWaits();
  expect(log).toEqual(['first leads']);
  holdTime(); // The test does not wait for the retry of a second.
  await first.stop();
  expect(await second.led).toBe(2);
  expect(log).toEqual(['first leads', 'first lost it', 'second leads']);
  await first.stop();
  await second.stop();
});

test('one that waits stops at once and never leads', async () => {
  const log: string[] = [];
  await startCandidate('first', log).led;
  const second = startCandidate('second', log);
  await someoneWaits();
  await second.stop();
  expect(log).toEqual(['first leads']);
});

test('when the connection of the leader is cut, the other takes over and the first waits in line', async () => {
  const log: string[] = [];
  await startCandidate('first', log).led;
  const second = startCandidate('second', log);
  await someoneWaits();
  await cutLeader();
  expect(await second.led).toBe(2);
  await someoneWaits();
  expect(log.toSorted()).toEqual(['first leads', 'first lost it', 'second leads']);
  await second.stop();
  await engine.eventually(async () => log.at(-1) === 'first leads');
});

test('a leader that is paused, connection and all, is replaced when its lease is over', async () => {
  const leader = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      PAUSED,
      engine.databaseUrl,
      new URL('../../../src/', import.meta.url).href,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child = leader;
  const lines = createInterface({ input: leader.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('leads');
  leader.kill('SIGSTOP');
  const log: string[] = [];
  expect(await startCandidate('second', log).led).toBe(2);
  leader.kill('SIGCONT');
  expect((await lines.next()).value).toBe('lost');
});

const PAUSED = `
  const [, url, src] = process.argv;
  const { createLeadership } = await import(src + 'platform/postgres/leadership.ts');
  const log = { info() {}, warn() {}, debug() {} };
  createLeadership({
    ...{ databaseUrl: url, log, leaseMs: 1500 },
    onLead: async () => console.log('leads'),
    onLost: async () => console.log('lost'),
  }).start();
`;

const publishing = (epoch: number, prompt: string) => {
  const agent = {
    id: '01890000-0000-7000-8000-000000000001',
    namespace: 'default',
    name: 'fenced',
    uid: '01890000-0000-7000-8000-000000000002',
    generation: 1,
    managedBy: 'file' as const,
    spec: {
      prompt,
      publishPolicy: 'Automatic' as const,
      revisionHistoryLimit: 10,
      suspend: false,
      deletionPolicy: 'Retain' as const,
    },
  };
  const by = { actor: 'file', reason: null };
  const notifier = { notify: () => undefined, stop: async () => undefined };
  return publishAgent(
    { ...engine, notifier, announce: () => undefined, nowMs: Date.now },
    { epoch, agent, whoElse: () => undefined, actors: { content: by, pin: by } },
  );
};

test('a leader of the past writes nothing', async () => {
  const log: string[] = [];
  const first = startCandidate('first', log);
  const old = await first.led;
  await publishing(old, 'one');
  await first.stop();
  await startCandidate('second', log).led;
  await expect(publishing(old, 'two')).rejects.toMatchObject({ name: 'NotLeaderError' });
  expect(await agentRow(engine, 'fenced')).toMatchObject({
    activeVersion: 1,
    spec: { prompt: 'one' },
  });
  expect([await countVersions(engine), (await events(engine)).length]).toEqual([1, 1]);
});

test('one that lost the lock in the middle of a transaction doubles nothing', async () => {
  await engine.startOperator();
  await engine.declareAgent('support', { prompt: 'one' });
  await engine.settled('Agent', 'support');
  const blocker = await engine.pool.connect();
  try {
    // The leader stops here, in its transaction, while another one gets the lock.
    await blocker.query('begin');
    await blocker.query('select 1 from agents for update');
    await engine.startOperator();
    await someoneWaits();
    await engine.declareAgent('support', { prompt: 'two' });
    await engine.eventually(async () => {
      const { rows } = await engine.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for update%'
            and datname = current_database()`,
      );
      return rows.length > 0;
    });
    await cutLeader();
    await someoneWaitsForEpoch();
    await blocker.query('commit');
  } finally {
    blocker.release();
  }
  await engine.settled('Agent', 'support');
  await engine.declareAgent('support', { prompt: 'three' });
  await engine.settled('Agent', 'support');
  expect(await activations(engine)).toEqual(
    ['null>1', '1>2', '2>3'].map((step) => `published ${step} kubernetes:kubectl`),
  );
  expect(await events(engine)).toEqual(await activations(engine));
  expect(await countVersions(engine)).toBe(3);
  expect(await agentRow(engine, 'support')).toMatchObject({ activeVersion: 3, ready: true });
});

/** Resolves when the new leader waits: it cannot raise the epoch before the old one's transaction ends. */
const someoneWaitsForEpoch = () =>
  engine.eventually(async () => {
    const { rows } = await engine.pool.query(
      `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%leader_epochs%'
          and datname = current_database()`,
    );
    return rows.length > 0;
  });
