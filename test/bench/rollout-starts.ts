import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pino } from 'pino';
import { Pool as HttpPool } from 'undici';
import { createPool } from '../../src/platform/postgres/pool.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { startParley, type Answer } from '../roles/parley-process.ts';
import { print, quantile } from './figures.ts';

/**
 * Cost of a rollout for a start, and the shares of its arms. Conversations start in turn with an agent without a rollout
 * and with one in a rollout, so that other load affects both alike. Then many users start conversations, most of them
 * twice. Exits with 1 if the p95 of a start grows by 0.2 ms or more, if the share leaves the band, or if a user has two arms.
 *
 *   npm run bench -- rollout-starts     STARTS (default 100000), PAIRS (default 5000)
 */

const STARTS = Number(process.env['STARTS'] ?? 100_000);
const PAIRS = Number(process.env['PAIRS'] ?? 5_000);
const WARM_UP = 300;
const CONNECTIONS = 16;
const WEIGHT = 25;
const GROWTH_MAX_MS = 0.2;
/** Standard deviations of the 99.9 % band of a binomial distribution. */
const BAND = 3.29;

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const log = pino({ level: 'silent' });
const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'pg'), log });
const databaseUrl = (await postgres.start()).url;
const env = { DATABASE_URL: databaseUrl, PARLEY_RATE_LIMIT: '0' };
const parley = await startParley({ dataDir: folder, env });
const http = new HttpPool(parley.url, { connections: CONNECTIONS, pipelining: 1 });
let failures = 0;
try {
  const [plain, rolling] = [await newAgent(), await newAgent()];
  await beginRollout(rolling);
  await compare(plain, rolling);
  await split(rolling);
} finally {
  await http.close();
  await parley.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(failures > 0 ? 1 : 0);

async function call(
  method: 'POST' | 'PATCH',
  route: string,
  json: object,
): Promise<Answer['body']> {
  const { statusCode, body } = await http.request({
    method,
    path: route,
    headers: { authorization: `Bearer ${parley.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(json),
  });
  const answer: Answer['body'] = await body.json();
  if (statusCode >= 300) throw new Error(`${statusCode} ${JSON.stringify(answer)}`);
  return answer;
}

async function newAgent(): Promise<string> {
  return (await call('POST', '/v1/agents', { prompt: 'You help customers.' })).id;
}

async function beginRollout(id: string): Promise<void> {
  const rollout = {
    steps: [{ weight: WEIGHT, min_conversations: 1_000_000 }],
    checks: [{ metric: 'escalation_rate', worse_by: 0.05 }],
  };
  await call('PATCH', `/v1/agents/${id}`, { publish_policy: 'progressive', rollout });
  await call('PATCH', `/v1/agents/${id}`, { prompt: 'You help customers well.' });
}

function start(agent: string, user: string): Promise<Answer['body']> {
  return call('POST', '/v1/conversations', { agent_id: agent, user_id: user });
}

async function compare(plain: string, rolling: string): Promise<void> {
  const timesMs = new Map<string, number[]>([
    [plain, []],
    [rolling, []],
  ]);
  for (let i = -WARM_UP; i < PAIRS; i += 1) {
    for (const agent of i % 2 === 0 ? [plain, rolling] : [rolling, plain]) {
      const startedMs = performance.now();
      await start(agent, `first-${i}`);
      if (i >= 0) timesMs.get(agent)?.push(performance.now() - startedMs);
    }
  }
  const at = (agent: string, q: number): number => quantile(timesMs.get(agent) ?? [], q);
  for (const q of [0.5, 0.95]) {
    const [without, within] = [at(plain, q), at(rolling, q)];
    const grown = `${within - without < 0 ? '' : '+'}${(within - without).toFixed(2)} ms`;
    print(
      `a start, p${q * 100}, ${PAIRS} of each, in turn`,
      `${without.toFixed(2)} ms without a rollout, ${within.toFixed(2)} ms with one: ${grown}`,
    );
  }
  if (at(rolling, 0.95) - at(plain, 0.95) >= GROWTH_MAX_MS) failures += 1;
}

async function split(agent: string): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < STARTS) {
      const user = `user-${next % Math.ceil(STARTS * 0.6)}`;
      next += 1;
      await start(agent, user);
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const perSec = STARTS / ((performance.now() - startedMs) / 1_000);
  const pool = createPool(databaseUrl, { log, max: 1 });
  pool.options.query_timeout = 120_000;
  const { rows } = await pool.query<{ users: number; ofNew: number; both: number; starts: number }>(
    `select count(*)::int as users, count(*) filter (where arms = 1 and newest = 2)::int as "ofNew",
            count(*) filter (where arms > 1)::int as both, sum(starts)::int as starts
       from (select user_id, count(distinct agent_version) as arms, max(agent_version) as newest,
                    count(*) as starts
               from conversations where user_id like 'user-%' group by user_id) u`,
  );
  await pool.end();
  const { users = 0, ofNew = 0, both = 0, starts = 0 } = rows[0] ?? {};
  const share = WEIGHT / 100;
  const band = BAND * Math.sqrt(users * share * (1 - share));
  print(
    `${starts} starts of ${users} users, ${Math.round(perSec)} starts/s`,
    `${((100 * ofNew) / users).toFixed(2)} % with the new version, ${both} users with both`,
  );
  print(
    `the 99.9 % band of ${WEIGHT} %`,
    `${users * share - band < ofNew && ofNew < users * share + band ? 'kept' : 'left'}: ` +
      `${ofNew} users, expected ${users * share} ± ${Math.round(band)}`,
  );
  const isLost = starts !== STARTS;
  if (both > 0 || isLost || Math.abs(ofNew - users * share) >= band) failures += 1;
}
