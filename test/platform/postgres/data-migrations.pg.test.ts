import { afterAll, beforeAll, expect, test } from 'vitest';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { newUuid } from '../../../src/ids.ts';
import { databaseUrl } from './postgres.ts';
import type { Columns } from './rows.ts';

/** How migrations change rows of earlier releases. A database is migrated step by step, with rows added in between. */

const FOLDER = path.resolve(import.meta.dirname, '../../../migrations');
const NAME = `migrated_${process.pid}_${randomBytes(6).toString('hex')}`;

let server: pg.Client;
let client: pg.Client;

beforeAll(async () => {
  server = await connected(databaseUrl('postgres'));
  await server.query(`create database ${NAME}`);
  client = await connected(databaseUrl(NAME));
});
afterAll(async () => {
  await client?.end();
  await server?.query(`drop database if exists ${NAME}`);
  await server?.end();
});

async function connected(url: string): Promise<pg.Client> {
  const made = new pg.Client({ connectionString: url });
  await made.connect();
  return made;
}

async function migrateTo(number: string): Promise<void> {
  const options = {
    dbClient: client,
    dir: FOLDER,
    direction: 'up' as const,
    count: 1,
    noLock: true,
  };
  for (;;) {
    const applied = await runner({
      ...options,
      migrationsTable: 'schema_migrations',
      log: () => undefined,
    });
    if (applied.length === 0) throw new Error(`there is no migration ${number}`);
    if (applied[0]!.name.startsWith(number)) return;
  }
}

async function add(table: string, columns: Columns): Promise<string> {
  const row: Columns = { id: newUuid(), namespace: 'default', ...columns };
  const names = Object.keys(row).filter((name) => row[name] !== undefined);
  const values = names.map((_, i) => `$${i + 1}`).join(', ');
  const given = names.map((name) => row[name]);
  await client.query(`insert into ${table} (${names.join(', ')}) values (${values})`, given);
  return String(row['id']);
}
const read = async (sql: string): Promise<unknown[]> => {
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  return rows;
};

const declared = () => ({ name: newUuid(), uid: newUuid(), generation: 1, managed_by: 'api' });
const [BEFORE, AFTER] = [new Date(1_000), new Date(2_000)];

const addEndpoint = (columns: Columns = {}): Promise<string> => {
  const spec = { url: 'https://example.com/', event_types: [], description: '', enabled: true };
  return add('webhook_endpoints', {
    ...declared(),
    ...spec,
    headers: {},
    metadata: {},
    ...columns,
  });
};
const addAgent = (columns: Columns = {}): Promise<string> =>
  add('agents', { ...declared(), spec: {}, ...columns });

test('rows of earlier releases get what each migration adds', async () => {
  await migrateTo('0004');
  const headers = { authorization: 'secret' };
  const live = await addEndpoint({ headers });
  const removed = await addEndpoint({ headers, deleted_at: AFTER });
  await migrateTo('0005');
  expect(await read('select id, headers from webhook_endpoints order by id')).toEqual([
    [live, headers],
    [removed, {}],
  ]);

  await migrateTo('0008');
  const health = [
    { last_failure_at: AFTER, last_success_at: BEFORE },
    { last_failure_at: AFTER },
    { last_failure_at: AFTER, last_success_at: AFTER },
    { last_failure_at: BEFORE, last_success_at: AFTER },
    { last_success_at: AFTER },
  ];
  for (const columns of health) {
    const endpoint_id = await addEndpoint();
    await client.query(
      `insert into endpoint_health (endpoint_id, last_failure_at, last_success_at) values ($1, $2, $3)`,
      [endpoint_id, columns.last_failure_at, columns.last_success_at],
    );
  }
  await migrateTo('0009');
  const run = 'select failing_since, failed_attempts from endpoint_health order by endpoint_id';
  expect(await read(run)).toEqual([
    [AFTER, '1'],
    [AFTER, '1'],
    [null, '0'],
    [null, '0'],
    [null, '0'],
  ]);

  const kept = await addAgent();
  const gone = await addAgent({ deleted_at: AFTER });
  const ended = await addAgent({ deleted_at: AFTER });
  const unknown = newUuid();
  const channel = { agent_version: 1, channel: 'chat', status: 'active' };
  const times = { max_duration_sec: 60, silence_timeout_sec: 60 };
  const conversation = { ...channel, ...times, metadata: { plan: 'pro', seat: '7' } };
  for (const agent_id of [kept, gone, gone, unknown]) {
    await add('conversations', { ...conversation, agent_id });
  }
  await add('conversations', { ...conversation, agent_id: ended, ended_at: AFTER });
  await migrateTo('0010');
  expect(await read('select agent_id from deleted_agents order by agent_id')).toEqual([
    [gone],
    [unknown],
  ]);
  const pairs = `select count(distinct pair)::int, count(*)::int from conversation_metadata`;
  expect(await read(pairs)).toEqual([[2, 10]]);

  await migrateTo('0015');
  const addVersion = (agent_id: string, version: number, ...refs: object[]): Promise<unknown> =>
    client.query(
      `insert into agent_versions (agent_id, version, hash_version, content_hash, content, created_by, created_at)
       values ($1, $2, 1, $3, $4, 'key', $5)`,
      [
        agent_id,
        version,
        Buffer.from([version]),
        { tools: refs.map((secretRef) => ({ secretRef })) },
        new Date(version),
      ],
    );
  await addVersion(kept, 1, { name: 'a', key: 'k' }, { name: 'b', key: 'k' });
  await addVersion(kept, 2, { name: 'a', key: 'k' }, { name: 'c' }, { key: 'k' });
  await addVersion(gone, 1, { name: 'z', key: 'k' });
  await migrateTo('0016');
  const secrets = 'select agent_id, name, key, named_at from tool_secrets order by name';
  expect(await read(secrets)).toEqual([
    [kept, 'a', 'k', new Date(2)],
    [kept, 'b', 'k', new Date(1)],
  ]);

  await migrateTo('0022');
  const asked = { agent_id: kept, conversation_id: newUuid(), question: 'Why?', top_score: 0 };
  const gap = await add('knowledge_gaps', { ...asked, fingerprint: 'why' });
  const erased = newUuid();
  await add('knowledge_gaps', { ...asked, id: erased, fingerprint: erased });
  await migrateTo('0024');
  expect(await read('select gap_id, fingerprint from knowledge_gap_questions')).toEqual([
    [gap, 'why'],
  ]);

  await migrateTo('0035');
  const source = { ...declared(), type: 'text', spec: {} };
  const owners = [];
  for (const [heading, text] of [
    ['', 'plain words'],
    ['', 'słowo'],
    ['東京', 'words'],
  ]) {
    const source_id = await add('knowledge_sources', { ...source, name: newUuid() });
    await add('knowledge_chunks', { source_id, position: 0, heading, text, words: 'words' });
    owners.push(source_id);
  }
  await migrateTo('0036');
  expect(
    await read('select owner_id, is_answers from knowledge_rewords order by owner_id'),
  ).toEqual([
    [owners[1], false],
    [owners[2], false],
  ]);

  await migrateTo('0040');
  const started = new Date(1_795_000_000_000);
  const over = { ...conversation, agent_id: kept, started_at: started, ended_at: started };
  const tally = { answered: 2, escalations: { requested: 1, accepted: 1 } };
  const before = await add('conversations', { ...over, tally, outcome: 'resolved' });
  await add('escalations', {
    conversation_id: before,
    agent_id: kept,
    status: 'completed',
    reason: '',
    summary: '',
    requested_at: started,
    times_out_at: started,
    accepted_at: new Date(started.getTime() + 9_000),
    accepted_by: { id: 'ann', name: 'Ann' },
  });
  await add('conversations', { ...over, test: true });
  await migrateTo('0043');
  // Rated between the two migrations: what the trigger adds must not count beside what migration 44 counts.
  await client.query('update conversations set csat = 4 where id = $1', [before]);
  await add('conversations', {
    ...over,
    ended_at: started,
    outcome: 'failed',
    judgement: { topics: ['a'] },
  });
  await migrateTo('0044');
  const facts = `select outcome, sum(weight)::int, sum(csat)::int, sum(answered)::int, sum(wait_sec)::int, max(people::text),
                        max(topics::text)
                   from conversation_facts where quarter = '2026-11-18T11:00:00Z' group by outcome order by outcome`;
  expect(await read(facts)).toEqual([
    ['failed', 1, null, 0, 0, null, '["a"]'],
    ['resolved', 1, 4, 2, 9, '[{"id": "ann", "accepted": 1, "wait_sec": 9}]', null],
  ]);
});
