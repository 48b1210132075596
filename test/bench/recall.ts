import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { newUuid, toUuid } from '../../src/ids.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { fillConversations, listed, RECALLED, truthOf } from '../recalls/many-conversations.ts';
import { startParley } from '../roles/parley-process.ts';
import { distribution, ms, print, quantile, timed } from './figures.ts';

/**
 * A recall of two of five versions over 1,000,000 conversations with up to three handoffs, by REST. Exits with 1 if a
 * list differs from the truth, or if half of the first pages take 200 ms or more.
 *
 *   npm run bench -- recall        ROWS (default 1,000,000), REQUESTS (default 100) of each page
 */

const ROWS = Number(process.env['ROWS'] ?? 1_000_000);
const REQUESTS = Number(process.env['REQUESTS'] ?? 100);
const FIRST_PAGE_MS = 200;
/** Rows in each measurement of what a start costs. */
const STARTS = 20_000;
const LISTS = ['conversations', 'users', 'tool_calls'] as const;

let failures = 0;
const folder = await mkdtemp(path.join(tmpdir(), 'parley-recall-'));
const postgres = createEmbeddedPostgres({
  dataDir: path.join(folder, 'db'),
  log: pino({ level: 'silent' }),
  // Only to fill the tables sooner; a page is read the same.
  settings: { fsync: 'off', 'parley.may_lose_data': 'on', max_wal_size: '8GB' },
});
const { url: databaseUrl } = await postgres.start();
const parley = await startParley({
  dataDir: path.join(folder, 'data'),
  env: { DATABASE_URL: databaseUrl, PARLEY_DEMO: '0' },
});
const db = new pg.Client(databaseUrl);
await db.connect();
try {
  await bench();
} finally {
  await db.end();
  await parley.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(failures > 0 ? 1 : 0);

async function bench(): Promise<void> {
  const agent = await makeAgent();
  const many = {
    namespace: 'default',
    agents: { recalled: toUuid('agt', agent)!, front: newUuid(), desk: newUuid() },
    count: ROWS,
    firstMs: Date.now() - ROWS * 60,
    everyMs: 60,
    run: newUuid().slice(-3),
  };
  print(`fill ${ROWS} conversations`, ms(await timed(() => fillConversations(db, many))));
  await db.query('vacuum analyze');
  await printSizes();

  const since = Math.floor(many.firstMs / 1_000);
  const recalling = { versions: RECALLED, since, reason: 'A bench.' };
  const startedMs = performance.now();
  const made = await parley.call('POST', `/v1/agents/${agent}/recalls`, recalling);
  print('recall', ms(performance.now() - startedMs));
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const at = `/v1/agents/${agent}/recalls/${made.body.id}`;
  for (const list of LISTS) await measurePages(`${at}/${list}`, list);

  const truth = truthOf(many);
  const exporting = performance.now();
  const found = await listed((list) => linesOf(`${at}/${list}`));
  print('export of the three lists', ms(performance.now() - exporting));
  for (const [list, items] of Object.entries(truth)) {
    const isEqual = isDeepStrictEqual(items, found[list as keyof typeof truth]);
    if (!isEqual) failures += 1;
    print(`${list}: ${items.length}`, isEqual ? 'equal to the truth' : 'DIFFERENT');
  }
  const stats = `/v1/agents/${agent}/stats`;
  print('statistics without recalled versions', distribution(await measure(stats)));
  await printStartCost(many.agents.recalled);
}

/** Creates an agent with five versions, the last of which is live. */
async function makeAgent(): Promise<string> {
  const { body } = await parley.call('POST', '/v1/agents', { prompt: 'Version 1.' });
  for (const version of [2, 3, 4, 5]) {
    await parley.call('PATCH', `/v1/agents/${body.id}`, { prompt: `Version ${version}.` });
  }
  return String(body.id);
}

async function measurePages(url: string, list: string): Promise<void> {
  const first = await measure(`${url}?limit=20`);
  if (quantile(first, 0.5) >= FIRST_PAGE_MS) failures += 1;
  print(`${list}: first page of 20`, distribution(first));
  print(`${list}: first page of 100`, distribution(await measure(`${url}?limit=100`)));
}

async function measure(url: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i += 1) {
    times.push(
      await timed(async () => {
        const { status, body } = await parley.call('GET', url);
        if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`);
      }),
    );
  }
  return times;
}

async function* linesOf(url: string): AsyncGenerator<Record<string, unknown>> {
  const headers = { accept: 'application/x-ndjson', authorization: `Bearer ${parley.apiKey}` };
  const { body } = await fetch(`${parley.url}${url}`, { headers });
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body!) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as Record<string, unknown>;
  }
}

async function printSizes(): Promise<void> {
  const { rows } = await db.query<{ table: number; all: number; conversations: number }>(
    `select pg_table_size('conversation_versions')::float8 as "table",
            pg_total_relation_size('conversation_versions')::float8 as "all",
            pg_total_relation_size('conversations')::float8 as "conversations"`,
  );
  const mb = (bytes = 0): string => `${Math.round(bytes / 1_048_576)} MB`;
  const [size] = rows;
  print('conversation_versions, with its indexes', `${mb(size?.table)}, ${mb(size?.all)}`);
  print('conversations, with its indexes', mb(size?.conversations));
}

/** What the row for recalls adds to the start of a conversation: inserts with and without it, in turns. */
async function printStartCost(agent: string): Promise<void> {
  let started = 0;
  const start = () =>
    db.query(
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, max_duration_sec, silence_timeout_sec)
       select (lpad(to_hex(${Date.now()}::bigint + i), 12, '0') || '700080000000' || lpad('${(started += 1)}', 8, '0'))::uuid, 'default', '${agent}', 5, 'chat', 'active', 100, 100 from generate_series(1, ${STARTS}) i`,
    );
  const times: Record<'with' | 'without', number[]> = { with: [], without: [] };
  for (let round = 0; round < 5; round += 1) {
    for (const how of ['with', 'without'] as const) {
      await db.query(
        `alter table conversations ${how === 'with' ? 'enable' : 'disable'} trigger keep_version`,
      );
      times[how].push(await timed(start));
    }
  }
  await db.query('alter table conversations enable trigger keep_version');
  const each = (how: 'with' | 'without'): number => (quantile(times[how], 0.5) / STARTS) * 1_000;
  const [with_, without] = [each('with'), each('without')];
  print(
    'start of a conversation in PostgreSQL',
    `${without.toFixed(0)} µs, and ${(with_ - without).toFixed(1)} µs for recalls`,
  );
}
