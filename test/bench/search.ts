import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { newUuid } from '../../src/ids.ts';
import { searchableText } from '../../src/knowledge/passages/question-words.ts';
import { searchKnowledge } from '../../src/knowledge/search-knowledge.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { insertChunks } from '../../src/knowledge/passages/knowledge-chunks.sql.ts';
import { indexOwner } from '../../src/knowledge/passages/knowledge-postings.sql.ts';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { createPool, type Pool } from '../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { createSeeded } from '../random/seeded.ts';
import { distribution, ms, print } from './figures.ts';

/**
 * How long a search takes, one client at a time: over a source of 10,000 passages, then of 100,000 with the
 * small one beside it, then of 100,000 more in 700 sources: by their ids, and all of the namespace. Words are
 * as frequent as in a language (Zipf); questions are made of words that stand together, with every fifth
 * mistyped or asked of nobody.
 *
 *   node test/bench/search.ts [URL of an empty database]     about five minutes
 */

const QUESTIONS = 2_000;
const WARM_UP = 50;
const VOCABULARY = 40_000;
const SYLLABLES =
  'ba cor de fin gu ha jel ka lo mir nu op pra qui rem so tan ul ve wil xa yor zi bre cha dro'.split(
    ' ',
  );
/** As many of all words are such as no search looks at. */
const STOP_WORDS = ['the', 'of', 'and', 'to', 'in', 'is', 'it', 'you', 'that', 'for', 'on', 'are'];
const seeded = createSeeded(5);
const log = pino({ level: 'silent' });

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const given = process.argv[2];
const postgres = given === undefined ? createEmbeddedPostgres({ dataDir: folder, log }) : undefined;
const databaseUrl = given ?? (await postgres!.start()).url;
await migrate({ databaseUrl, log });
const pool = createPool(databaseUrl, { log, max: 1 });
pool.options.query_timeout = 600_000;
try {
  const small = await fill(pool, { passages: 10_000, sources: 1 });
  await measure('10,000 passages', small);
  const large = await fill(pool, { passages: 100_000, sources: 1 });
  await measure('100,000 passages', large);
  await measure('10,000 passages beside 100,000 of another', small);
  const spread = await fill(pool, { passages: 100_000, sources: 700, namespace: 'spread' });
  await measure('100,000 passages in 700 sources', spread);
  await measure('100,000 passages, all of a namespace', { ...spread, sourceIds: 'all' });
  await measure('10,000 passages beside 200,000 of others', small);
} finally {
  await pool.end();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

type Filled = { namespace: string; sourceIds: readonly string[] | 'all'; texts: string[] };

async function fill(
  db: Pool,
  {
    passages,
    sources,
    namespace = 'default',
  }: { passages: number; sources: number; namespace?: string },
): Promise<Filled> {
  const texts = Array.from({ length: passages }, () => passage());
  const sourceIds: string[] = [];
  const startedMs = performance.now();
  for (let at = 0; at < sources; at += 1) {
    const from = Math.floor((at * passages) / sources);
    const to = Math.floor(((at + 1) * passages) / sources);
    sourceIds.push(await fillSource(db, namespace, texts.slice(from, to)));
  }
  const what = `indexed ${passages} passages in ${sources} source${sources === 1 ? '' : 's'}`;
  print(what, ms(performance.now() - startedMs));
  await db.query('vacuum analyze');
  return { namespace, sourceIds, texts };
}

async function fillSource(db: Pool, namespace: string, texts: readonly string[]): Promise<string> {
  const [sourceId, documentId] = [newUuid(), newUuid()];
  // Before the transaction, which may not be idle for so long.
  const chunks = texts.map((text, position) => {
    const heading = text.split(' ', 3).join(' ');
    const words = { headingWords: searchableText(heading), textWords: searchableText(text) };
    return { id: newUuid(), position, heading, text, ...words };
  });
  await inTransaction(db, async (client) => {
    await client.query(
      `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
       values ($1, $3, $2, $1, 1, 'api', 'file', '{}')`,
      [sourceId, sourceId, namespace],
    );
    await client.query(
      `insert into knowledge_documents
         (id, namespace, source_id, path, title, content_hash, bytes, chunks)
       values ($1, $4, $2, 'all', '', '', 0, $3)`,
      [documentId, sourceId, texts.length, namespace],
    );
    await insertChunks(client, { namespace, sourceId, documentId }, chunks);
    await client.query('set local statement_timeout = 0');
    await indexOwner(client, sourceId);
  });
  return sourceId;
}

async function measure(what: string, { namespace, sourceIds, texts }: Filled): Promise<void> {
  const scope = { namespace, agentId: newUuid(), sourceIds };
  const times: number[] = [];
  for (let i = -WARM_UP; i < QUESTIONS; i += 1) {
    const query = question(seeded.pick(texts));
    const startedMs = performance.now();
    await searchKnowledge(pool, { scope, query, limit: 5 });
    if (i >= 0) times.push(performance.now() - startedMs);
  }
  print(`search, ${what}`, distribution(times));
}

/** 60 to 260 words. */
function passage(): string {
  return Array.from({ length: 100 + seeded.below(240) }, () => word(rank())).join(' ');
}

function question(text: string): string {
  const words = text.split(' ');
  const from = seeded.below(words.length - 10);
  const asked = words.slice(from, from + 3 + seeded.below(8));
  const at = seeded.below(asked.length);
  const odd = seeded.below(10);
  if (odd === 0) asked[at] = mistyped(asked[at]!);
  if (odd === 1) asked[at] = word(VOCABULARY + seeded.below(VOCABULARY));
  return `Could you please tell me ${asked.join(' ')}?`;
}

function mistyped(text: string): string {
  const at = seeded.below(text.length);
  return text.slice(0, at) + 'aeinrst'[seeded.below(7)] + text.slice(at + 1);
}

/** The most frequent words first, each as often as its rank says. */
function rank(): number {
  const share = (seeded.below(1_000_000) + 1) / 1_000_000;
  return Math.floor(VOCABULARY ** share) - 1;
}

/** Always the same one for a number; the frequent ones are short. */
function word(number: number): string {
  const stop = STOP_WORDS[number % 40];
  if (number < 40) return stop ?? 'with';
  let text = '';
  for (let left = number + SYLLABLES.length; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    text += SYLLABLES[left % SYLLABLES.length];
  }
  return text;
}
