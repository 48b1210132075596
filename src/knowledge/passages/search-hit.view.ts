import { z } from 'zod';
import { uuidTimeMs } from '../../ids.ts';
import { createdAt, unixSec } from '../../platform/http/fields.ts';
import type { StoredPassage } from './knowledge-chunks.sql.ts';
import { hitIds, type KnowledgeHit } from './search-passages.ts';

/** Schemas of the ids that `hitIds` returns. */
export const passageIds = {
  source_id: z.string().meta({
    description:
      'ID of the source (`ks_…`), or of the gap (`gap_…`) if the passage is the answer to a gap.',
  }),
  document_id: z.string().meta({
    description:
      'ID of the document (`doc_…`), or of the gap (`gap_…`) if the passage is the answer to a gap.',
  }),
  chunk_id: z.string().meta({ description: 'ID of the passage, `chk_…`.' }),
};

const passage = {
  ...passageIds,
  heading: z.string().meta({
    description:
      'Headings above the passage, or the question if the passage is the answer to a gap.',
  }),
  text: z.string(),
};

const Why = z
  .strictObject({
    matched: z
      .array(
        z.strictObject({
          word: z.string().meta({ description: 'Stem of a word in the question.' }),
          as: z.string().meta({
            description:
              'Matching word in the passage: the same word, a spelling correction, or a synonym.',
          }),
          in: z.enum(['heading', 'text', 'both']),
          weight: z
            .number()
            .min(0)
            .max(1)
            .meta({ description: "This word's share of the question's total weight." }),
        }),
      )
      .meta({
        description: 'Words of the question that the passage contains, highest weight first.',
      }),
    missing: z
      .array(z.string())
      .meta({ description: "Stems of the question's words that the passage does not contain." }),
    likeness: z.number().min(0).max(1).nullable().meta({
      description:
        'Similarity of the question and the heading. Null if the heading is not a question.',
    }),
  })
  .meta({ id: 'SearchHitReason', description: 'Why a passage was found.' });

export const SearchHit = z
  .strictObject({
    ...passage,
    score: z
      .number()
      .min(0)
      .max(1)
      .meta({
        description:
          'Estimated probability that the passage answers the question. In a search by words only, never ' +
          'higher than the score of a hit that ranks above this one.',
      }),
    similarity: z.number().nullable().meta({
      description:
        'Similarity in meaning of the question and the passage, at most 1. Null if it was not computed.',
    }),
    why: Why,
    given: z
      .boolean()
      .nullable()
      .meta({
        description:
          "Whether a reply would use this passage, according to the agent's `top_k` and `min_score`. " +
          'Null if the request has no `agent_id`.',
      }),
  })
  .meta({ id: 'SearchHit', description: 'A passage that matches the question.' });

/**
 * Returns a hit for the REST API. `given` says whether a reply of the agent would use the passage, or is `null` if the
 * search does not name an agent.
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
    id: z.string().meta({ description: 'ID of the passage, `chk_…`.' }),
    created: createdAt,
    ...passage,
    document_title: z
      .string()
      .nullable()
      .meta({ description: 'Title of the document. Null if the passage is the answer to a gap.' }),
    path: z.string().nullable().meta({ description: 'Name of the document within its source.' }),
    url: z.string().nullable().meta({
      description: 'Address where people can open the document. Null if it has no address.',
    }),
  })
  .meta({ id: 'KnowledgeChunk', description: 'An indexed passage.' });

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
