import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { newUuid } from '../../src/ids.ts';
import { chunkText } from '../../src/knowledge/passages/chunk.ts';
import { insertChunks } from '../../src/knowledge/passages/knowledge-chunks.sql.ts';
import { indexOwner } from '../../src/knowledge/passages/knowledge-postings.sql.ts';
import { searchableText } from '../../src/knowledge/passages/question-words.ts';
import {
  DEFAULT_MIN_SCORE,
  DEFAULT_TOP_K,
  searchKnowledge,
} from '../../src/knowledge/search-knowledge.ts';
import type { FindByMeaning } from '../../src/knowledge/vectors/find-by-meaning.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { auroc, decided, recallAt, type Decision } from './measures.ts';

/** Questions with their answers, and other ways to ask them. */
export type Faq = z.output<typeof Faq>;
const Faq = z.object({
  source: z.string(),
  faqs: z.array(z.object({ question: z.string(), answer: z.string() })).min(2),
  /** `faq`: the question of the pair that answers it. */
  questions: z.array(z.object({ text: z.string(), faq: z.string() })).min(1),
});

/** The file of a folder, or of a path; undefined: there is none. */
export function readFaq(folderOrFile: string): Faq | undefined {
  const file = folderOrFile.endsWith('.json') ? folderOrFile : path.join(folderOrFile, 'faq.json');
  return existsSync(file) ? Faq.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

export type FaqFigures = {
  faq: { at1: number; at3: number };
  answersOnly: { at1: number; at3: number };
  gap: { precision: number; recall: number; f1: number; auroc: number };
};

/** Makes vectors of what was learnt; then questions are compared by them. */
export type Embedded = { embed: () => Promise<void>; meaning: FindByMeaning };

/** Everything by the search that a turn makes, over passages cut and indexed as those of a source are. */
export async function measureFaq(pool: Pool, data: Faq, embedded?: Embedded): Promise<FaqFigures> {
  const pairs = await learn(
    pool,
    data.faqs.map(({ question, answer }) => [question, `# ${question}\n\n${answer}`]),
  );
  const answers = await learn(
    pool,
    data.faqs.map(({ question, answer }) => [question, answer]),
  );
  await embedded?.embed();
  const meaning = embedded?.meaning;
  const decisions = await decideGaps(pool, { data, sources: pairs, meaning });
  return {
    faq: recall(await ranksOf(pool, { data, sources: pairs, meaning })),
    answersOnly: recall(await ranksOf(pool, { data, sources: answers, meaning })),
    gap: { ...decided(decisions), auroc: auroc(decisions) },
  };
}

/** By the question of its pair, the uuid of the source that is made of it. */
type Sources = ReadonlyMap<string, string>;
type Asked = { data: Faq; sources: Sources; meaning: FindByMeaning | undefined };

/** A source for each, so that one can be withheld. */
export async function learn(
  pool: Pool,
  texts: readonly (readonly [string, string])[],
): Promise<Sources> {
  const sources = new Map<string, string>();
  for (const [question, text] of texts) {
    const [sourceId, documentId] = [newUuid(), newUuid()];
    sources.set(question, sourceId);
    await pool.query(
      `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
       values ($1::uuid, 'default', $1::text, $1::uuid, 1, 'api', 'text', '{}')`,
      [sourceId],
    );
    await pool.query(
      `insert into knowledge_documents
         (id, namespace, source_id, path, title, content_hash, bytes, chunks)
       values ($1, 'default', $2, 'text', '', '', 0, 0)`,
      [documentId, sourceId],
    );
    const chunks = [...chunkText(text)].map((chunk, position) => ({
      id: newUuid(),
      position,
      ...chunk,
      headingWords: searchableText(chunk.heading),
      textWords: searchableText(chunk.text),
    }));
    await insertChunks(pool, { namespace: 'default', sourceId, documentId }, chunks);
    await indexOwner(pool, sourceId);
  }
  return sources;
}

export const search = (
  pool: Pool,
  sourceIds: readonly string[],
  query: string,
  meaning?: FindByMeaning,
) =>
  searchKnowledge(
    pool,
    {
      scope: { namespace: 'default', agentId: null, sourceIds },
      query,
      limit: DEFAULT_TOP_K,
    },
    { meaning },
  );

/** Counted in pairs: of several passages of one the first counts. */
async function ranksOf(
  pool: Pool,
  { data, sources, meaning }: Asked,
): Promise<(number | undefined)[]> {
  const ranks: (number | undefined)[] = [];
  for (const { text, faq } of data.questions) {
    const hits = await search(pool, [...sources.values()], text, meaning);
    const found = [...new Set(hits.map(({ sourceId }) => sourceId))];
    const at = found.indexOf(sources.get(faq) ?? '');
    ranks.push(at < 0 ? undefined : at + 1);
  }
  return ranks;
}

function recall(ranks: readonly (number | undefined)[]): { at1: number; at3: number } {
  return { at1: recallAt(1, ranks), at3: recallAt(3, ranks) };
}

/** Each question with its pair there, which is no gap, and with it withheld, which is one. */
async function decideGaps(pool: Pool, { data, sources, meaning }: Asked): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (const { text, faq } of data.questions) {
    for (const is of [false, true]) {
      const there = [...sources].flatMap(([pair, id]) => (is && pair === faq ? [] : [id]));
      const hits = await search(pool, there, text, meaning);
      const best = Math.max(0, ...hits.map(({ score }) => score));
      decisions.push({ is, said: best < DEFAULT_MIN_SCORE, score: 1 - best });
    }
  }
  return decisions;
}
