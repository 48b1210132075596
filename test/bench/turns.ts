import { Pool as HttpPool } from 'undici';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { createPool } from '../../src/platform/postgres/pool.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { learn } from '../knowledge/passages/knowledge.ts';
import { startParley, type Answer, type Parley } from '../roles/parley-process.ts';
import { createSeeded } from '../random/seeded.ts';
import { distribution, openLoop, print } from './figures.ts';

/**
 * Text turns with the extractive responder: 50 conversations at once over 10,000 passages, first
 * paced, then as fast as they answer. Beside them a bare GET of the same API at the same pace: the
 * ratio says what a turn costs more than any request.
 *
 *   node test/bench/turns.ts      about a minute
 */

const PASSAGES = 10_000;
const CONVERSATIONS = 50;
const RATE = 100;
const SECONDS = 15;
const VOCABULARY = 20_000;
const SYLLABLES =
  'ba cor de fin gu ha jel ka lo mir nu op pra qui rem so tan ul ve wil xa yor'.split(' ');

const seeded = createSeeded(7);
const log = pino({ level: 'silent' });
const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const postgres = createEmbeddedPostgres({ dataDir: path.join(folder, 'pg'), log });
const databaseUrl = (await postgres.start()).url;
let parley: Parley | undefined;
try {
  parley = await startParley({ dataDir: folder, env: { DATABASE_URL: databaseUrl } });
  await bench(parley);
} finally {
  await parley?.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function bench(api: Parley): Promise<void> {
  const texts = Array.from({ length: PASSAGES }, () => passage());
  await fill(texts);
  const http = new HttpPool(api.url, { connections: CONVERSATIONS, pipelining: 1 });
  const call = async (
    method: 'GET' | 'POST',
    route: string,
    json?: unknown,
  ): Promise<Answer['body']> => {
    const { statusCode, body } = await http.request({
      method,
      path: route,
      headers: { authorization: `Bearer ${api.apiKey}`, 'content-type': 'application/json' },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const answer: Answer['body'] = await body.json();
    if (statusCode >= 300) throw new Error(`${statusCode} ${JSON.stringify(answer)}`);
    return answer;
  };
  const agent = await call('POST', '/v1/agents', { prompt: 'x' });
  await attach(agent.id);
  const ids: string[] = [];
  for (let i = 0; i < CONVERSATIONS; i += 1) {
    ids.push((await call('POST', '/v1/conversations', { agent_id: agent.id })).id);
  }
  let next = 0;
  let answered = 0;
  const turn = async (
    id = ids[next++ % ids.length]!,
    text = question(seeded.pick(texts)),
  ): Promise<number> => {
    const startedMs = performance.now();
    const { turns } = await call('POST', `/v1/conversations/${id}/messages`, { text });
    if (turns.at(-1).retrieval?.chunks.length > 0) answered += 1;
    return performance.now() - startedMs;
  };
  const get = async (): Promise<number> => {
    const startedMs = performance.now();
    await call('GET', `/v1/conversations/${ids[next++ % ids.length]!}`);
    return performance.now() - startedMs;
  };
  // Warm: code, caches, and in every connection the plans, which are made for good at the sixth time.
  for (let i = 0; i < 40; i += 1) await Promise.all(ids.map((id) => turn(id)));
  answered = 0;
  print(`bare GET, ${RATE}/s`, distribution(await openLoop({ rate: RATE, seconds: 5 }, get)));
  const paced = await openLoop({ rate: RATE, seconds: SECONDS }, turn);
  print(`turns, ${CONVERSATIONS} conversations, ${RATE}/s`, distribution(paced));
  print('of them answered from a passage', `${answered} of ${paced.length}`);
  await closedLoop('bare GET, as fast as they go', get);
  await closedLoop('turns, as fast as they go', (i) => turn(ids[i]));
  // What a turn costs without the search.
  await closedLoop('small talk, as fast as it goes', (i) => turn(ids[i], 'Thanks!'));
  await http.close();
}

async function closedLoop(what: string, act: (i: number) => Promise<number>): Promise<void> {
  const times: number[] = [];
  const endMs = performance.now() + 10_000;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: CONVERSATIONS }, async (_, i) => {
      while (performance.now() < endMs) times.push(await act(i));
    }),
  );
  const perSec = times.length / ((performance.now() - startedMs) / 1_000);
  print(what, `${Math.round(perSec)}/s  ${distribution(times)}`);
}

async function fill(texts: readonly string[]): Promise<void> {
  const pool = createPool(databaseUrl, { log, max: 1 });
  pool.options.query_timeout = 600_000;
  const passages = texts.map((text) => ({ heading: text.split(' ', 3).join(' '), text }));
  await learn(pool, { name: 'bench', passages });
  await pool.query('vacuum analyze'); // Or autovacuum comes in the middle.
  await pool.end();
}

/** The source was filled behind the operator's back, who would not let an agent name it. */
async function attach(agentId: string): Promise<void> {
  const pool = createPool(databaseUrl, { log, max: 1 });
  await pool.query(
    `update agent_versions set content = content || '{"knowledge": {"sourceNames": ["bench"]}}'`,
  );
  await pool.end();
  if (!agentId.startsWith('agt_')) throw new Error('no agent');
}

/** Words as frequent as in a language (Zipf). */
function word(): string {
  const rank = Math.floor(VOCABULARY ** (seeded.below(1_000_000) / 1_000_000));
  let [text, n] = ['', rank + 20];
  while (n > 0) {
    text += SYLLABLES[n % SYLLABLES.length]!;
    n = Math.floor(n / SYLLABLES.length);
  }
  return text;
}

function passage(): string {
  const sentences = Array.from({ length: 8 }, () =>
    Array.from({ length: 12 }, () => word()).join(' '),
  );
  return `${sentences.join('. ')}.`;
}

function question(text: string): string {
  const words = text.replaceAll('.', '').split(' ');
  const from = seeded.below(words.length - 6);
  return `What is ${words.slice(from, from + 5).join(' ')}?`;
}
