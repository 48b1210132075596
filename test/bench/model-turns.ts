import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { startRoles } from '../roles/parley-process.ts';
import { parentOf } from './delivery/cpu.ts';
import { createBounds } from './bounds.ts';
import { bareRequests } from './figures.ts';
import {
  benchCancels,
  benchStreams,
  benchTokens,
  benchTurns,
  createConversations,
} from './model-conversations.ts';
import { benchLayer } from './model-layer.ts';
import type { StubProcess } from './model-load.ts';

/**
 * Turns with a model: a stub in a process of its own, asked by the bare `openai` client, by our
 * `Model`, and by conversations over REST. All in one run: the differences are ours. A time is that of
 * the whole turn without what the stub took between its first and its last token; CPU is of the API
 * process alone, PostgreSQL's beside it, beginning and end of conversations included.
 *
 *   node test/bench/model-turns.ts [--quick] [--only=layer,json,sse,tokens,cancel,streams]
 *     about three minutes; --turns=N of each line, --profiles=FOLDER: CPU profiles of the processes
 */

const PARTS = ['layer', 'json', 'sse', 'tokens', 'cancel', 'streams'] as const;
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: PARTS.join(',') },
    turns: { type: 'string' },
    profiles: { type: 'string' },
  },
});
const asked = values.only.split(',');
const unknown = asked.filter((part) => !PARTS.some((known) => known === part));
if (unknown.length > 0) throw new Error(`--only=${PARTS.join(',')}; there is no ${unknown.join()}`);
const turns = Number(values.turns ?? (values.quick ? 200 : 1_000));

const child = fork(path.join(import.meta.dirname, 'model-stub.ts'));
const [{ url }] = (await once(child, 'message')) as [{ url: string }];
const stub: StubProcess = { url, child };
const bounds = createBounds();
try {
  if (asked.includes('layer')) await benchLayer(stub, turns, bounds);
  if (asked.some((part) => part !== 'layer')) await overRest();
} finally {
  child.disconnect();
}
bounds.finish();

async function overRest(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
  const log = pino({ level: 'silent' });
  const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'pg'), log });
  const databaseUrl = (await postgres.start()).url;
  try {
    const parley = await startRoles({
      databaseUrl,
      env: {
        PARLEY_MODEL_URL: url,
        PARLEY_MODEL_KEY: 'sk-bench',
        PARLEY_MODEL: 'stub-1',
        PARLEY_LIMIT_MESSAGE_STREAMS: '0',
      },
      envOf: { api: profiled() },
    });
    const talk = await createConversations({ parley });
    try {
      const postmaster = await postmasterOf(databaseUrl);
      const bench = { parley, api: parley.pids.at(-1)!, postmaster, stub, turns };
      if (asked.includes('json')) await benchTurns(bench, talk, 'json');
      if (asked.includes('sse')) await benchTurns(bench, talk, 'sse');
      if (asked.includes('tokens')) await benchTokens(bench, talk);
      if (asked.includes('cancel')) {
        bounds.baseline('GET /v1/agents', await bareRequests(parley));
        await benchCancels(bench, talk, bounds);
      }
      if (asked.includes('streams')) await benchStreams(bench, talk);
    } finally {
      await talk.close();
      await parley.stop();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function profiled(): Record<string, string> {
  const { profiles } = values;
  if (profiles === undefined) return {};
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${path.resolve(profiles)}` };
}

async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return parentOf(rows[0]!.pid);
  } finally {
    await client.end();
  }
}
