import { z } from 'zod';
import { uuidTimeMs } from '../../ids.ts';
import { createdAt, unixSec } from '../../platform/http/fields.ts';
import type { StoredPassage } from './knowledge-chunks.sql.ts';
import { hitIds, type KnowledgeHit } from './search-passages.ts';

const passage = {
  source_id: z.string().meta({ description: 'ks_…; of an answer to a gap: gap_….' }),
  document_id: z.string().meta({ description: 'doc_…; of an answer to a gap: gap_….' }),
  chunk_id: z.string().meta({ description: 'chk_…' }),
  heading: z.string().meta({ description: 'Headings above it; of an answer: the question.' }),
  text: z.string(),
};

const Why = z
  .strictObject({
    matched: z
      .array(
        z.strictObject({
          word: z.string().meta({ description: 'A word of the question, as its stem.' }),
          as: z.string().meta({
            description:
              'As the passage has it: the same, one corrected, or one that means the same.',
          }),
          in: z.enum(['heading', 'text', 'both']),
          weight: z
            .number()
            .min(0)
            .max(1)
            .meta({ description: 'What part of the question it is.' }),
        }),
      )
      .meta({ description: 'What the passage has of the question, what weighs most first.' }),
    missing: z.array(z.string()).meta({ description: 'Stems of words that it has not.' }),
    likeness: z.number().min(0).max(1).nullable().meta({
      description: 'How alike the question and the heading are; null: the heading is no question.',
    }),
  })
  .meta({ id: 'SearchHitReason', description: 'Why a passage was chosen.' });

export const SearchHit = z
  .strictObject({
    ...passage,
    score: z.number().min(0).max(1).meta({
      description:
        'How probable it is that it answers the question; never above that of a better hit.',
    }),
    similarity: z.number().nullable().meta({
      description: 'How alike it is by its meaning, up to 1; null: it was not compared.',
    }),
    why: Why,
    given: z.boolean().nullable().meta({
      description:
        'With `agent_id`: whether a reply to this is given it, by `top_k` and `min_score` of the agent.',
    }),
  })
  .meta({ id: 'SearchHit', description: 'A passage that has some of what was asked.' });

/**
 * Returns a hit for the REST API. `given` says whether a reply of the agent would get the passage; `null` if the search
 * names no agent.
 */
export function hitView(hit: KnowledgeHit, given: boolean | null): z.output<typeof SearchHit> {
  return {
    ...hitIds(hit),
    heading: hit.heading,
    text: hit.text,
    score: rounded(hit.score),
    similarity: typeof hit.similarity === 'number' ? rounded(hit.similarity) : null,
    why: {
      matched: hit.why.matched.map((one) => ({ ...one, weight: rounded(one.weight) })),
      missing: hit.why.missing,
      likeness: hit.why.likeness === null ? null : rounded(hit.why.likeness),
    },
    given,
  };
}

function rounded(number: number): number {
  return Math.round(number * 10_000) / 10_000;
}

export const Passage = z
  .strictObject({
    id: z.string().meta({ description: 'chk_…' }),
    created: createdAt,
    ...passage,
    document_title: z.string().nullable().meta({ description: 'null: an answer to a gap.' }),
    path: z.string().nullable().meta({ description: 'What the document is called in its source.' }),
    url: z.string().nullable().meta({ description: 'Where people open it; null: nowhere.' }),
  })
  .meta({ id: 'KnowledgeChunk', description: 'A passage of knowledge, as it is indexed.' });

export function passageView(row: StoredPassage): z.output<typeof Passage> {
  const ids = hitIds(row);
  return {
    id: ids.chunk_id,
    created: unixSec(uuidTimeMs(row.chunkId)),
    ...ids,
    heading: row.heading,
    text: row.text,
    document_title: row.documentTitle,
    path: row.path,
    url: row.url,
  };
}
