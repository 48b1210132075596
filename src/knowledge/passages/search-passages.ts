import { fromUuid } from '../../ids.ts';
import { findPostings, readPassages, type PassageRow } from './knowledge-search.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { askedWords, isNoise } from './question-words.ts';
import { rankPassages, termsOf, type Candidate, type Term } from './rank-passages.ts';

/** A passage that has some of a question. Ids are uuids. */
export type KnowledgeHit = {
  chunkId: string;
  documentId: string | null;
  sourceId: string | null;
  /** Of an answer to a gap, which has neither source nor document. */
  gapId: string | null;
  heading: string;
  text: string;
  /** 0 to 1: how much of the question is in it, rare words counting most. */
  score: number;
};

/** Where a passage is from, in public ids; an answer has its gap as source and document. */
export function hitIds(hit: Pick<KnowledgeHit, 'chunkId' | 'documentId' | 'sourceId' | 'gapId'>): {
  source_id: string;
  document_id: string;
  chunk_id: string;
} {
  const gap = hit.gapId === null ? '' : fromUuid('gap', hit.gapId);
  return {
    source_id: hit.sourceId === null ? gap : fromUuid('ks', hit.sourceId),
    document_id: hit.documentId === null ? gap : fromUuid('doc', hit.documentId),
    chunk_id: fromUuid('chk', hit.chunkId),
  };
}

/** So many are read, more than are asked for, to order them by how near their words are. */
const CANDIDATES = 12;

/**
 * The passages that have most of a question, best first; all with a score above 0.
 * @param owners uuids of sources and of agents; called only when there is something to look for
 */
export async function searchPassages(
  db: Db,
  input: { owners: () => Promise<readonly string[]>; query: string; limit: number },
): Promise<KnowledgeHit[]> {
  const { limit } = input;
  const asked = askedWords(input.query);
  if (asked.question === '') return [];
  const owners = await input.owners();
  if (owners.length === 0) return [];
  const postings = await findPostings(db, { owners, ...asked });
  // Noise only when no passage has it: "id" may be one of their words.
  const terms = termsOf(postings.filter((row) => row.lexeme !== null || !isNoise(row.asked)));
  const candidates = rankPassages(terms, Math.max(CANDIDATES, limit));
  if (candidates.length === 0) return [];
  const passages = await readPassages(db, {
    places: candidates,
    words: terms.flatMap(({ lexeme }) => lexeme ?? []),
    unwalked: terms.flatMap(({ lexeme, isUnwalked }) => (isUnwalked && lexeme) || []),
  });
  return scored(passages, { candidates, terms }).slice(0, limit);
}

/** A score is the weight found divided by the weight of the question. */
function scored(
  passages: readonly PassageRow[],
  { candidates, terms }: { candidates: readonly Candidate[]; terms: readonly Term[] },
): KnowledgeHit[] {
  const asked = terms.filter(({ counts }) => counts).reduce((sum, { weight }) => sum + weight, 0);
  const places = new Map(candidates.map((one) => [`${one.ownerId} ${one.position}`, one]));
  const question = new Set(terms.flatMap(({ lexeme, counts }) => (counts && lexeme) || []));
  const ranked = passages.flatMap(({ ownerId, position, nearness, has, asks, ...hit }) => {
    const candidate = places.get(`${ownerId} ${position}`);
    if (!candidate) return [];
    const more = terms.filter(({ lexeme, isUnwalked }) => isUnwalked && has.includes(lexeme ?? ''));
    const found = more.reduce(
      (sum, { counts, weight, closeness }) => (counts ? sum + weight * closeness : sum),
      candidate.found,
    );
    const points = candidate.points + found - candidate.found;
    const isAnswer = asks !== null && isSame(question, asks) ? 1 : 0;
    return [{ points, nearness, isAnswer, hit: { ...hit, score: Math.min(1, found / asked) } }];
  });
  ranked.sort(
    (a, b) =>
      b.isAnswer - a.isAnswer ||
      b.points - a.points ||
      b.nearness - a.nearness ||
      byId(a.hit, b.hit),
  );
  return ranked.map(({ hit }) => hit);
}

/** The very question that somebody has answered: that goes before what only has its words. */
function isSame(question: ReadonlySet<string>, asks: readonly string[]): boolean {
  return asks.length === question.size && asks.every((word) => question.has(word));
}

function byId(a: KnowledgeHit, b: KnowledgeHit): number {
  return a.chunkId < b.chunkId ? -1 : 1;
}
