import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { DEFAULT_MIN_SCORE, searchKnowledge } from '../../../src/knowledge/search-knowledge.ts';
import type { KnowledgeHit } from '../../../src/knowledge/passages/search-passages.ts';
import { useRows } from '../../platform/postgres/rows.ts';
import { learnTexts } from './knowledge.ts';

const shops = z
  .record(
    z.string(),
    z.strictObject({
      texts: z.record(z.string(), z.string()),
      questions: z.array(
        z.strictObject({
          ask: z.string(),
          in: z.string().nullable(),
          unsure: z.boolean().optional(),
        }),
      ),
    }),
  )
  .parse(parse(readFileSync(new URL('languages.yaml', import.meta.url), 'utf8')));

const rows = useRows();

describe.each(Object.entries(shops))('questions in %s', (_, { texts, questions }) => {
  let learnt: Awaited<ReturnType<typeof learnTexts>>;
  beforeAll(async () => {
    learnt = await learnTexts(rows.pool, texts);
  });
  const search = (query: string): Promise<KnowledgeHit[]> => {
    const scope = { namespace: 'default', agentId: null, sourceIds: [learnt.sourceId] };
    return searchKnowledge(rows.pool, { scope, query, limit: 5 });
  };
  const answers = questions.filter((one) => one.in !== null);
  const gaps = questions.filter((one) => one.in === null);

  test.each(answers)('$ask is answered by $in', async ({ ask, in: path, unsure }) => {
    const [first] = await search(ask);
    expect(learnt.documents.get(first?.documentId ?? '')).toBe(path);
    if (!unsure) expect(first!.score).toBeGreaterThanOrEqual(DEFAULT_MIN_SCORE);
  });

  test.runIf(gaps.length > 0).each(gaps)('$ask is a gap', async ({ ask }) => {
    const hits = await search(ask);
    expect(hits.filter(({ score }) => score >= DEFAULT_MIN_SCORE)).toEqual([]);
  });
});
