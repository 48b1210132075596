import { fromUuid } from '../../ids.ts';
import {
  findPostings,
  readPassages,
  type AskedWord,
  type PassageRow,
  type SearchScope,
} from './knowledge-search.sql.ts';
import type { FairQueue } from '../../platform/controller/fair-queue.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { askedWords, endsAsQuestion, sentenceText, type AskedWords } from './question-words.ts';
import { rankPassages, termsOf, type Candidate, type Term } from './rank-passages.ts';
import { likenessOf } from './ranking/likeness.ts';
import { falling, scoresOf, TELLING } from './ranking/passage-score.ts';
import { synonymsOf } from './ranking/synonyms.ts';
import { partsOf } from './split-words.ts';
import { whyOf, type Why } from './ranking/why.ts';

/** A passage that matches a question by its words or by its meaning. Ids are UUIDs. */
export type KnowledgeHit = {
  chunkId: string;
  documentId: string | null;
  sourceId: string | null;
  /** Id of the gap if the passage is an answer to a gap. Such a passage has neither source nor document. */
  gapId: string | null;
  heading: string;
  text: string;
  /**
   * Probability that the passage answers the question, from 0 to 1. In a search by words only, it is never higher than
   * the score of the hit before it.
   */
  score: number;
  /** Similarity in meaning to the question; absent or `null` if the meaning was not compared. */
  similarity?: number | null;
  why: Why;
};

/**
 * Returns the public ids of a passage. If the passage is an answer to a knowledge gap
 * (a question that no source answered), the id of the gap serves as its source id and document id.
 */
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

/**
 * Number of the best passages of the word search whose headings are compared with the question. Of the first `WHOLE`
 * passages, the text is read too.
 */
const CANDIDATES = 50;
const WHOLE = 16;
/** Maximum number of answers to gaps that are read in addition to the candidates. */
const ANSWERS = 8;
/**
 * Minimum score of a passage that probably answers the question. Among the top passages, those with at least this score
 * come before the others.
 */
const PROBABLE = 0.5;
/**
 * Weight that the likeness of question and heading has when passages are ordered. All words of the question together
 * have the weight 1.
 */
const LIKENESS = 0.5;
/**
 * Weight that the proximity of the question's words in a passage has when passages are ordered. All words of the
 * question together have the weight 1.
 */
const NEARNESS = 0.1;
/** Closeness of a synonym to the word of the question, from 0 to 1. */
const SYNONYM = 0.35;

/**
 * Returns a function that searches for one question. The function returns at most `limit` matching passages, best
 * first. If `searches` is given, each search waits in this queue, which serves namespaces fairly.
 */
export function searchByWords(
  db: Db,
  { scope, query }: { scope: SearchScope; query: string },
  searches?: FairQueue,
): (limit: number) => Promise<KnowledgeHit[]> {
  return (limit) => {
    const search = (): Promise<KnowledgeHit[]> => searchPassages(db, { scope, query, limit });
    return searches ? searches.run(scope.namespace, search) : search();
  };
}

/** Returns the passages that match a question, best first. Every passage contains some of the question's words. */
export async function searchPassages(
  db: Db,
  { scope, query, limit }: { scope: SearchScope; query: string; limit: number },
): Promise<KnowledgeHit[]> {
  const asked = askedWords(query);
  const words = wordsToFind(asked);
  if (!words.some(({ counts }) => counts)) return [];
  if (scope.owners.length === 0 && scope.all === false) return [];
  const postings = await findPostings(db, { scope, words });
  const terms = termsOf(words, postings);
  const { candidates, whole } = candidatesOf(terms, limit);
  if (candidates.length === 0) return [];
  const ways = terms.flatMap((term) => term.ways);
  const passages = await readPassages(db, {
    places: candidates,
    whole,
    words: [...new Set(ways.map(({ lexeme }) => lexeme))],
  });
  const { sentence } = asked;
  const found = { candidates, terms, sentence, count: postings.passages };
  return ranked(passages, found).slice(0, limit);
}

/** Returns the best passages of the word search. The first `whole` passages are read completely. */
function candidatesOf(
  terms: readonly Term[],
  limit: number,
): { candidates: Candidate[]; whole: number } {
  const asked = { limit: Math.max(CANDIDATES, limit), answers: ANSWERS };
  const { best, answers } = rankPassages(terms, asked);
  const first = new Map(
    [...best.slice(0, Math.max(WHOLE, limit)), ...answers].map((one) => [placeOf(one), one]),
  );
  const rest = best.filter((one) => !first.has(placeOf(one)));
  return { candidates: [...first.values(), ...rest], whole: first.size };
}

function placeOf({ ownerId, position }: { ownerId: string; position: number }): string {
  return `${ownerId} ${position}`;
}

/**
 * Returns the words to search for: those of the question with their parts and synonyms, and those of the context. A
 * word, its parts and its synonyms have the same `term`.
 */
function wordsToFind({ question, context }: AskedWords): AskedWord[] {
  const inQuestion = question.split(' ').map((word) => ({ word, counts: true }));
  const around = context.split(' ').map((word) => ({ word, counts: false }));
  return [...inQuestion, ...around]
    .filter(({ word }) => word !== '')
    .flatMap(({ word, counts }, term) => [
      { term, word, counts, closeness: 1 },
      ...(counts ? [...partsOf(word), ...synonymsOf(word).map(asSynonym)] : []).map((other) => ({
        term,
        counts,
        ...other,
      })),
    ]);
}

const asSynonym = (word: string) => ({ word, closeness: SYNONYM });

type Found = {
  candidates: readonly Candidate[];
  terms: readonly Term[];
  sentence: string;
  /** Number of passages searched. */
  count: number;
};

/**
 * Returns the passages in order, with their scores. The features that determine the scores differ from those that
 * determine the order.
 */
function ranked(passages: readonly PassageRow[], found: Found): KnowledgeHit[] {
  const { candidates, sentence, count } = found;
  const question = found.terms.filter(({ counts }) => counts);
  const asked = question.reduce((sum, { weight }) => sum + weight, 0);
  const places = new Map(candidates.map((one) => [placeOf(one), one]));
  const asking = passages.map(askedIn);
  const likeness = likenessOf(
    { question: sentence, headings: asking.flat().map(sentenceText) },
    { known: new Map(question.map((term) => [term.asked, term])), passages: count },
  ).values();
  const likest = asking.map((ones) => ones.map(() => likeness.next().value ?? 0));
  const nearest = Math.max(0, ...passages.map(({ nearness }) => nearness));
  const rows = passages.flatMap((row, at) => {
    const candidate = places.get(placeOf(row));
    if (!candidate) return [];
    const like = asking[at]!.includes('') ? null : Math.max(...likest[at]!);
    const why = whyOf(question, { ...row, likeness: like });
    // `unlisted` is the share of the question's weight for words that this passage contains, but that have no posting
    // list because too many passages contain them. The points in `candidate` do not include such words.
    const unlisted = why.unlisted / asked;
    const signs = {
      coverage: why.coverage,
      about: candidate.about / asked + unlisted,
      likeness: like,
    };
    const near = nearest === 0 ? 0 : row.nearness / nearest;
    const points = candidate.points / asked + unlisted + LIKENESS * (like ?? 0) + NEARNESS * near;
    const isAnswer = row.asks?.some((one) => isSame(question, one.split(' ')));
    return [{ row, why: why.why, signs, points, isSame: isAnswer ? 1 : 0 }];
  });
  const scores = scoresOf(rows.map(({ signs }) => signs));
  const inOrder = rows
    // If the passage answers a gap with exactly this question, its score is 1, because the answer is certain.
    .map((one, at) => ({ ...one, score: one.isSame ? 1 : scores[at]! }))
    .sort(
      (a, b) =>
        b.isSame - a.isSame ||
        b.points - a.points ||
        b.row.nearness - a.row.nearness ||
        byId(a.row, b.row),
    )
    .filter(({ row }) => row.text !== null);
  const first = probableFirst(inOrder.slice(0, TELLING));
  const all = [...first, ...inOrder.slice(TELLING)];
  const told = falling(all.map(({ score }) => score));
  return all.map(({ row, why }, at) => hitOf(row, { why, score: told[at]! }));
}

function probableFirst<T extends { score: number }>(hits: readonly T[]): T[] {
  return [
    ...hits.filter(({ score }) => score >= PROBABLE),
    ...hits.filter(({ score }) => score < PROBABLE),
  ];
}

/**
 * Returns the questions that a passage answers: its innermost heading, if that is a question, or all questions of a
 * gap. If the passage has no question, the list consists of one empty text.
 */
function askedIn({ heading, gapId, wordings }: PassageRow): string[] {
  const last = heading.slice(heading.lastIndexOf(' > ') + 1);
  // If all questions of a gap were erased, only the words of the answer itself remain.
  if (wordings?.length === 0) return [''];
  if (gapId !== null) return [...new Set([last, ...(wordings ?? [])])];
  return [endsAsQuestion(last) ? last : ''];
}

function hitOf(row: PassageRow, told: Pick<KnowledgeHit, 'why' | 'score'>): KnowledgeHit {
  const { chunkId, documentId, sourceId, gapId, heading, text } = row;
  return { chunkId, documentId, sourceId, gapId, heading, text: text ?? '', ...told };
}

/**
 * Returns true if `asks`, the stems of a gap's question, are exactly the words of the searched question. The answer to
 * the same question is ranked before all other passages.
 */
function isSame(question: readonly Term[], asks: readonly string[]): boolean {
  return (
    asks.length === question.length &&
    asks.every((word) => question.some(({ ways }) => ways.some(({ lexeme }) => lexeme === word)))
  );
}

function byId(a: PassageRow, b: PassageRow): number {
  return a.chunkId < b.chunkId ? -1 : 1;
}
