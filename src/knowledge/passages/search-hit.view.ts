import { z } from 'zod';
import { hitIds, type KnowledgeHit } from './search-passages.ts';

export const SearchHit = z
  .strictObject({
    source_id: z.string().meta({ description: 'ks_…; of an answer to a gap: gap_….' }),
    document_id: z.string().meta({ description: 'doc_…; of an answer to a gap: gap_….' }),
    chunk_id: z.string().meta({ description: 'chk_…' }),
    heading: z.string().meta({ description: 'Headings above it; of an answer: the question.' }),
    text: z.string(),
    score: z.number().min(0).max(1).meta({ description: 'How much of the question is in it.' }),
  })
  .meta({ id: 'SearchHit', description: 'A passage that has some of what was asked.' });

export function hitView(hit: KnowledgeHit): z.output<typeof SearchHit> {
  return {
    ...hitIds(hit),
    heading: hit.heading,
    text: hit.text,
    score: Math.round(hit.score * 10_000) / 10_000,
  };
}
