import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { newUuid } from '../../../src/ids.ts';
import { chunkText } from '../../../src/knowledge/passages/chunk.ts';
import { searchableText } from '../../../src/knowledge/passages/question-words.ts';
import {
  DEFAULT_MIN_SCORE,
  DEFAULT_TOP_K,
  searchKnowledge,
} from '../../../src/knowledge/search-knowledge.ts';
import type { KnowledgeHit } from '../../../src/knowledge/passages/search-passages.ts';
import {
  deleteSourceChunks,
  insertChunks,
} from '../../../src/knowledge/passages/knowledge-chunks.sql.ts';
import { indexOwner } from '../../../src/knowledge/passages/knowledge-postings.sql.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import { pino } from 'pino';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';

let pool: Pool;
let drop: () => Promise<void>;
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'error' }), max: 4 });
  drop = database.drop;
});
afterAll(async () => {
  await pool.end();
  await drop();
});

/** A source with these texts; its uuid. */
async function fill(texts: Record<string, string>): Promise<string> {
  const sourceId = newUuid();
  await pool.query(
    `insert into knowledge_sources (id, namespace, name, uid, generation, managed_by, type, spec)
     values ($1, 'default', $2, $1, 1, 'api', 'text', '{}')`,
    [sourceId, sourceId],
  );
  let position = 0;
  for (const [path, text] of Object.entries(texts)) {
    const documentId = newUuid();
    await pool.query(
      `insert into knowledge_documents
         (id, namespace, source_id, path, title, content_hash, bytes, chunks)
       values ($1, 'default', $2, $3, '', '', 0, 0)`,
      [documentId, sourceId, path],
    );
    const chunks = [...chunkText(text)].map((chunk) => ({
      id: newUuid(),
      position: position++,
      ...chunk,
      headingWords: searchableText(chunk.heading),
      textWords: searchableText(chunk.text),
    }));
    await insertChunks(pool, { namespace: 'default', sourceId, documentId }, chunks);
  }
  await indexOwner(pool, sourceId);
  return sourceId;
}

const search = (sourceIds: string[], query: string, limit = DEFAULT_TOP_K) =>
  searchKnowledge(pool, {
    scope: { namespace: 'default', agentId: null, sourceIds },
    query,
    limit,
  });
const texts = (hits: KnowledgeHit[]): string[] => hits.map(({ text }) => text);

const corpus = z
  .record(
    z.string(),
    z.strictObject({
      texts: z.record(z.string(), z.string()),
      questions: z.array(z.strictObject({ ask: z.string(), in: z.string().nullable() })),
    }),
  )
  .parse(parse(readFileSync(new URL('./retrieval.yaml', import.meta.url), 'utf8')));

describe.each(Object.entries(corpus))('questions about %s', (_name, { texts: all, questions }) => {
  test('find the passage that answers them, and nothing that does not', async () => {
    const source = await fill(all);
    const results: { ask: string; wanted: string | null; got: string | null }[] = [];
    for (const { ask, in: wanted } of questions) {
      const [best] = await search([source], ask);
      const isAnswer = best !== undefined && best.score >= DEFAULT_MIN_SCORE;
      const got = isAnswer ? (best.heading.split(' > ').at(-1) ?? '') : null;
      results.push({ ask, wanted, got });
    }
    const wrong = results.filter(({ wanted, got }) => wanted !== got);
    const answered = results.filter(({ got }) => got !== null);
    const covered = results.filter(({ wanted }) => wanted !== null);
    const right = answered.filter(({ wanted, got }) => wanted === got);
    const figures = {
      precision: right.length / answered.length,
      recall: right.length / covered.length,
    };
    if (figures.precision < 0.93 || figures.recall < 0.93) {
      throw new Error(JSON.stringify({ figures, wrong }, undefined, 1));
    }
  });
});

describe('a search', () => {
  test('finds a mistyped word: one letter less, more, another, or two the wrong way round', async () => {
    const source = await fill({
      a: '# A\n\nReturn parcels within thirty days.\n\n# B\n\nDelivery takes a week.\n\n# C\n\nWarranty lasts for years.',
    });
    for (const typo of ['retrun', 'returnn', 'retur', 'parcles', 'returm']) {
      const [best] = await search([source], typo);
      expect({ typo, text: best?.text }).toEqual({
        typo,
        text: 'Return parcels within thirty days.',
      });
      expect(best!.score).toBeGreaterThanOrEqual(DEFAULT_MIN_SCORE);
      expect(best!.score).toBeLessThan(1);
    }
    expect(await search([source], 'warranti delivary')).toHaveLength(2);
  });

  test('does not take a number or a short word for another', async () => {
    const source = await fill({ a: 'Model 2023 has a red cap.' });
    expect(await search([source], '2024')).toEqual([]);
    expect(await search([source], 'cat')).toEqual([]);
    expect(texts(await search([source], '2023'))).toHaveLength(1);
  });

  test('counts headings, and a passage about the matter goes before one that mentions it', async () => {
    const source = await fill({
      a: '# Refunds\n\nWithin a week, to the card you used.\n\n# Cards\n\nWe take all of them; refunds and fees are told elsewhere, and so are many other things.',
    });
    expect(texts(await search([source], 'refunds'))[0]).toBe(
      'Within a week, to the card you used.',
    );
  });

  test('scores by how much of the question is there: all of it is nearly sure', async () => {
    const source = await fill({
      a: '# A\n\nThe kettle boils water.\n\n# B\n\nWater is wet.\n\n# C\n\nTea is warm.\n\n# D\n\nMilk is white.',
    });
    const [all, some] = await search([source], 'Does the kettle boil water?');
    expect(all!.text).toBe('The kettle boils water.');
    expect(all!.score).toBeGreaterThan(0.95);
    expect(some!.text).toBe('Water is wet.');
    expect(some!.score).toBeLessThan(0.4);
    const [odd] = await search([source], 'Does the kettle boil asparagus?');
    expect(odd!.score).toBeGreaterThan(0.3);
    expect(odd!.score).toBeLessThan(1);
  });

  test('sees the named sources and no other, and what they know does not change the score', async () => {
    const one = await fill({ a: 'We open at nine.' });
    const two = await fill({ a: 'We open at ten.' });
    expect(texts(await search([one], 'open'))).toEqual(['We open at nine.']);
    expect(texts(await search([one, two], 'open')).sort()).toEqual([
      'We open at nine.',
      'We open at ten.',
    ]);
    expect(await search([], 'open')).toEqual([]);
    // A word that only the other one has is unknown here, not corrected to it.
    await fill({ b: 'Zymurgy is taught.' });
    expect(await search([one], 'zymurgi')).toEqual([]);
    const elsewhere = { namespace: 'other', agentId: null, sourceIds: 'all' } as const;
    expect(await searchKnowledge(pool, { scope: elsewhere, query: 'open', limit: 5 })).toEqual([]);
  });

  test('of empty words, of nothing, of anything at all answers', async () => {
    const source = await fill({ a: 'We open at nine.' });
    const odd = [
      '',
      ' ',
      '???',
      'what is it',
      "'; drop table x --",
      '\\',
      ':*',
      '!!&|()',
      "o'clock\\'",
    ];
    for (const query of [...odd, '🙂', 'é'.repeat(5_000), 'open '.repeat(50_000), '\ud800 open']) {
      expect(Array.isArray(await search([source], query))).toBe(true);
    }
    expect(texts(await search([source], 'open '.repeat(50_000)))).toEqual(['We open at nine.']);
  });

  test('meanwhile finds the old passages or the new ones, never one for another', async () => {
    const source = await fill({ a: '# A\n\nThe old gate is open.' });
    const writer = await pool.connect();
    try {
      await writer.query('begin');
      await deleteSourceChunks(writer, source);
      expect(texts(await search([source], 'gate'))).toEqual(['The old gate is open.']);
      await writer.query('commit');
    } finally {
      writer.release();
    }
    expect(await search([source], 'gate')).toEqual([]);
  });
});
