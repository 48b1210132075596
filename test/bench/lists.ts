import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { fromUuid, type IdPrefix } from '../../src/ids.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { distribution, print, quantile } from './figures.ts';

/**
 * Every list of the API over a table of ROWS (default 1,000,000), by REST: its first page, one in
 * the middle, the last one, and pages of a filter that one row in a thousand has. One table at a
 * time, emptied before the next.
 *
 *   npm run bench -- lists [name …]     names: see LISTS; 15 minutes for all
 */

const ROWS = Number(process.env['ROWS'] ?? 1_000_000);
const REQUESTS = 100;
/** Two days back to now: where partitions are. */
const SPAN_MS = 86_400_000;

type List = {
  name: string;
  path: string;
  /** Absent: numbered from 1, with the list's name in its cursor. */
  prefix?: IdPrefix;
  list?: string;
  tables: string[];
  /** Rows i of 1..ROWS; `uuid_of(i)` is their id, in the order of i. */
  fill: string[];
  /** Queries besides the plain one. */
  filters?: string[];
};

const AGENT = uuid('a0');
const ENDPOINT = uuid('b0');
const SOURCE = uuid('c0');
const agent = fromUuid('agt', AGENT);
const endpoint = fromUuid('we', ENDPOINT);
const source = fromUuid('ks', SOURCE);
const EVERY_1000 = 'i % 1000 = 0';
const ONE_AGENT = `insert into agents (id, namespace, name, uid, generation, managed_by, spec, active_version, latest_version, ready)
  values ('${AGENT}', 'default', 'one', '${AGENT}', 1, 'api', '{"prompt":"p","publishPolicy":"Automatic","revisionHistoryLimit":10,"suspend":false,"deletionPolicy":"Retain"}', 1, 1, true)`;
const ONE_ENDPOINT = `insert into webhook_endpoints (id, namespace, name, uid, generation, managed_by, url, event_types, description, enabled, headers, metadata)
  values ('${ENDPOINT}', 'default', 'one', '${ENDPOINT}', 1, 'api', 'https://example.com/', '{}', '', true, '{}', '{}')`;
const ONE_SOURCE = `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec, status)
  values ('${SOURCE}', 'default', 'one', '${SOURCE}', 1, 'api', 'text', '{"type":"text"}', 'ready')`;

const LISTS: List[] = [
  {
    name: 'agents',
    path: '/v1/agents',
    prefix: 'agt',
    tables: ['agents'],
    fill: [
      `insert into agents (id, namespace, name, uid, generation, managed_by, spec, active_version, latest_version, ready)
       select uuid_of(i), 'default', 'a' || i, uuid_of(i), 1, 'api', '{"prompt":"p","publishPolicy":"Automatic","revisionHistoryLimit":10,"suspend":false,"deletionPolicy":"Retain"}', 1, 1, true
         from generate_series(1, $1) i`,
    ],
    filters: ['name=a1000'],
  },
  {
    name: 'versions',
    path: `/v1/agents/${agent}/versions`,
    list: 'versions',
    tables: ['agents', 'agent_versions'],
    fill: [
      ONE_AGENT,
      `insert into agent_versions (agent_id, version, hash_version, content_hash, content, created_by)
       select '${AGENT}', i, 1, decode(lpad(to_hex(i), 64, '0'), 'hex'), '{"prompt":"p"}', 'file' from generate_series(1, $1) i`,
    ],
  },
  {
    name: 'webhooks',
    path: '/v1/webhooks',
    prefix: 'we',
    tables: ['webhook_endpoints'],
    fill: [
      `insert into webhook_endpoints (id, namespace, name, uid, generation, managed_by, url, event_types, description, enabled, headers, metadata)
       select uuid_of(i), 'default', 'e' || i, uuid_of(i), 1, 'api', 'https://example.com/', '{}', '', ${EVERY_1000}, '{}', '{}'
         from generate_series(1, $1) i`,
    ],
    filters: ['enabled=true'],
  },
  {
    name: 'events',
    path: '/v1/events',
    prefix: 'evt',
    tables: ['events'],
    fill: [
      `insert into events (id, namespace, type, conversation_id, agent_id, body)
       select uuid_of(i), 'default', case when ${EVERY_1000} then 'agent.published' else 'conversation.started' end, null, case when ${EVERY_1000} then '${AGENT}'::uuid end,
              convert_to('{"id":"evt_1","type":"conversation.started","created":1,"data":{}}', 'UTF8') from generate_series(1, $1) i`,
    ],
    filters: ['type=agent.published', `agent_id=${agent}`, 'created_before=1'],
  },
  {
    name: 'deliveries',
    path: `/v1/webhooks/${endpoint}/deliveries`,
    prefix: 'dlv',
    tables: ['webhook_endpoints', 'deliveries'],
    fill: [
      ONE_ENDPOINT,
      `insert into deliveries (id, namespace, endpoint_id, event_id, event_type, trigger, status, attempt_count)
       select uuid_of(i), 'default', '${ENDPOINT}', uuid_of(i), 'agent.published', 'schedule', case when ${EVERY_1000} then 'failed' else 'delivered' end, 1
         from generate_series(1, $1) i`,
    ],
    filters: ['status=failed', 'status=pending'],
  },
  {
    name: 'conversations',
    path: '/v1/conversations',
    prefix: 'conv',
    tables: ['conversations'],
    fill: [
      `insert into conversations (id, namespace, agent_id, agent_version, channel, user_id, status, ended_at, ended_reason, outcome, csat_predicted, summary, turn_count, max_duration_sec, silence_timeout_sec)
       select uuid_of(i), 'default', '${AGENT}', 1, 'chat', case when ${EVERY_1000} then 'rare' end, 'ended', now(), 'api',
              case when ${EVERY_1000} then 'escalated' else 'resolved' end, 4.0, 'x', 3, 100, 100 from generate_series(1, $1) i`,
    ],
    filters: ['outcome=escalated', 'user_id=rare', `agent_id=${agent}`, 'status=active'],
  },
  {
    name: 'escalations',
    path: '/v1/escalations',
    prefix: 'esc',
    tables: ['escalations', 'conversations'],
    fill: [
      `insert into conversations (id, namespace, agent_id, agent_version, channel, status, max_duration_sec, silence_timeout_sec)
       values ('${AGENT}', 'default', '${AGENT}', 1, 'chat', 'active', 100, 100)`,
      `insert into escalations (id, namespace, conversation_id, agent_id, status, reason, summary, times_out_at, finished_at)
       select uuid_of(i), 'default', '${AGENT}', '${AGENT}', case when ${EVERY_1000} then 'declined' else 'completed' end, 'r', 's', now(), now()
         from generate_series(1, $1) i`,
    ],
    filters: ['status=declined', 'status=requested'],
  },
  {
    name: 'gaps',
    path: '/v1/knowledge/gaps',
    prefix: 'gap',
    tables: ['knowledge_gaps'],
    fill: [
      `insert into knowledge_gaps (id, namespace, agent_id, conversation_id, question, fingerprint, top_score, status)
       select uuid_of(i), 'default', '${AGENT}', '${AGENT}', 'q', 'f' || i, 0.1, case when ${EVERY_1000} then 'resolved' else 'open' end
         from generate_series(1, $1) i`,
    ],
    filters: ['status=resolved', `agent_id=${agent}`],
  },
  {
    name: 'sources',
    path: '/v1/knowledge/sources',
    prefix: 'ks',
    tables: ['knowledge_sources'],
    fill: [
      `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec, status)
       select uuid_of(i), 'default', 's' || i, uuid_of(i), 1, 'api', case when ${EVERY_1000} then 'file' else 'text' end, '{"type":"text"}', 'ready'
         from generate_series(1, $1) i`,
    ],
    filters: ['type=file'],
  },
  {
    name: 'documents',
    path: `/v1/knowledge/sources/${source}/documents`,
    prefix: 'doc',
    tables: ['knowledge_sources', 'knowledge_documents'],
    fill: [
      ONE_SOURCE,
      `insert into knowledge_documents (id, namespace, source_id, path, title, content_hash, bytes, chunks)
       select uuid_of(i), 'default', '${SOURCE}', 'p' || i, 't', '\\x00', 1, 1 from generate_series(1, $1) i`,
    ],
  },
  {
    name: 'calls',
    path: '/v1/calls',
    prefix: 'call',
    tables: ['calls'],
    fill: [
      `insert into calls (id, namespace, agent_id, direction, to_number, status, provider, ended_at)
       select uuid_of(i), 'default', '${AGENT}', case when ${EVERY_1000} then 'inbound' else 'outbound' end, '+4712345678', case when ${EVERY_1000} then 'busy' else 'completed' end, 'simulated', now()
         from generate_series(1, $1) i`,
    ],
    filters: ['status=busy', 'direction=inbound', `agent_id=${agent}`],
  },
  {
    name: 'api_keys',
    path: '/v1/api_keys',
    prefix: 'key',
    tables: [],
    fill: [
      `insert into api_keys (id, namespace, hash, prefix, scopes, name)
       select uuid_of(i), 'default', decode(lpad(to_hex(i), 64, '0'), 'hex'), 'parley_', '{read}', 'n' from generate_series(1, $1) i`,
    ],
  },
  {
    name: 'audit_log',
    path: '/v1/audit_log',
    prefix: 'aud',
    tables: ['audit_log'],
    fill: [
      `insert into audit_log (id, namespace, actor, action, target)
       select uuid_of(i), 'default', 'api:key_1', case when ${EVERY_1000} then 'api_key.revoked' else 'api_key.created' end, 'key_1' from generate_series(1, $1) i`,
    ],
    filters: ['action=api_key.revoked'],
  },
  {
    name: 'jobs',
    path: '/v1/jobs',
    prefix: 'job',
    tables: ['jobs'],
    fill: [
      `insert into jobs (id, namespace, type, status, actor, endpoint_id, mode, types, since, until, total)
       select uuid_of(i), 'default', 'replay', case when ${EVERY_1000} then 'stopped' else 'done' end, 'a', '${ENDPOINT}', 'all', '{}', now(), now(), 1
         from generate_series(1, $1) i`,
    ],
    filters: ['status=stopped'],
  },
];

const folder = await mkdtemp(path.join(tmpdir(), 'parley-lists-'));
const log = pino({ level: 'silent' });
const postgres = createEmbeddedPostgres({
  dataDir: path.join(folder, 'db'),
  log,
  // Only to fill the tables sooner; a page is read the same.
  settings: {
    fsync: 'off',
    'parley.may_lose_data': 'on',
    max_wal_size: '8GB',
    shared_buffers: '512MB',
  },
});
const { url: databaseUrl } = await postgres.start();
const parley = await startParley({
  dataDir: path.join(folder, 'data'),
  env: { DATABASE_URL: databaseUrl, PARLEY_DEMO: '0' },
});
const db = new pg.Client(databaseUrl);
await db.connect();
try {
  const firstMs = Date.now() - SPAN_MS;
  await db.query(`create function uuid_of(i int) returns uuid language sql immutable as $$
    select (lpad(to_hex(${firstMs} + (i::bigint * ${SPAN_MS}) / ${ROWS}), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid $$`);
  const wanted = process.argv.slice(2);
  for (const list of LISTS) {
    if (wanted.length === 0 || wanted.includes(list.name)) await benchList(parley, list);
  }
} finally {
  await db.end();
  await parley.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function benchList(api: Parley, list: List): Promise<void> {
  for (const table of list.tables) await db.query(`truncate ${table} cascade`);
  for (const sql of list.fill) {
    await db.query(sql.replaceAll('$1', String(ROWS)));
  }
  await db.query('vacuum analyze');
  const queries = ['', ...(list.filters ?? [])];
  for (const query of queries) {
    for (const [place, row] of [
      ['first', undefined],
      ['middle', Math.floor(ROWS / 2)],
      ['last', 100],
    ] as const) {
      const cursor = row === undefined ? '' : `&cursor=${await cursorAt(list, row)}`;
      const url = `${list.path}?limit=100${query === '' ? '' : `&${query}`}${cursor}`;
      const times = await measure(api, url);
      const mark = quantile(times, 0.5) > 10 ? '  SLOW' : '';
      print(`${list.name} ${query} ${place}`, `${distribution(times)}${mark}`);
    }
  }
  for (const table of list.tables) await db.query(`truncate ${table} cascade`);
}

async function measure(api: Parley, url: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i += 1) {
    const startedMs = performance.now();
    const { status, body } = await api.call('GET', url);
    times.push(performance.now() - startedMs);
    if (status !== 200) throw new Error(`${url}: ${status} ${JSON.stringify(body)}`);
  }
  return times;
}

/** After row i, counted from the oldest. */
async function cursorAt({ prefix, list }: List, i: number): Promise<string> {
  if (prefix === undefined) return base64(`${list}:${i}`);
  const { rows } = await db.query<{ id: string }>('select uuid_of($1) as id', [i]);
  return base64(fromUuid(prefix, rows[0]!.id));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function uuid(byte: string): string {
  return `01900000-0000-7000-8000-0000000000${byte}`;
}
