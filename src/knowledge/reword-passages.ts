import { createPeriodic, type Periodic } from '../platform/controller/periodic.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Db, Pool } from '../platform/postgres/pool.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import { reindexAnswer } from './gaps/index-answer.ts';
import { lockAnsweredGaps } from './gaps/knowledge-gaps.sql.ts';
import { detectLanguage } from './passages/detect-language.ts';
import { allowLongStatements } from './passages/knowledge-chunks.sql.ts';
import { forgetWords, indexOwner } from './passages/knowledge-postings.sql.ts';
import { searchableText } from './passages/question-words.ts';
import {
  hasOwnerToReword,
  noteReworded,
  readPassagesToReword,
  takeOwnerToReword,
  updateWords,
} from './reword.sql.ts';
import { listDocumentLanguages, setDocumentLanguage } from './sources/knowledge-documents.sql.ts';
import { lockSource } from './sources/knowledge-sources.sql.ts';

const EVERY_MS = 60_000;
/** Number of passages to update in one step. The process can handle requests between two steps. */
const PASSAGES = 100;

/**
 * Creates the background job that updates the search words of passages that an earlier release indexed. Search words
 * are the stems by which a search finds a passage. Each transaction updates the passages of one source, or the answers
 * of one agent. Searches use the old words until it commits. Several processes share the work.
 */
export function createRewording({ pool, log }: { pool: Pool; log: Logger }): Periodic {
  return createPeriodic({
    what: 'updating the word index of passages',
    everyMs: EVERY_MS,
    log,
    run: async () => (await hasOwnerToReword(pool)) && rewordOne(pool),
  });
}

/** Updates the search words of one owner's passages. Returns false if no owner is left to update. */
export async function rewordOne(pool: Pool): Promise<boolean> {
  return inTransaction(pool, async (db) => {
    const owner = await takeOwnerToReword(db);
    if (!owner) return false;
    const { ownerId, isAnswers } = owner;
    await allowLongStatements(db);
    if (isAnswers) await rewordAnswers(db, ownerId);
    else if (await lockSource(db, ownerId)) await rewordSource(db, ownerId);
    await noteReworded(db, ownerId);
    return true;
  });
}

async function rewordSource(db: Db, sourceId: string): Promise<void> {
  const languages = new Set<string | null>();
  for (const { id, language } of await listDocumentLanguages(db, sourceId)) {
    languages.add(await rewordDocument(db, id, language));
  }
  await indexOwner(db, sourceId, [...languages]);
}

/**
 * Updates the search words of a document. Returns the document's language, which an earlier release may have failed to
 * detect.
 */
async function rewordDocument(
  db: Db,
  documentId: string,
  known: string | null,
): Promise<string | null> {
  let language = known;
  for (let after = -1; ;) {
    const passages = await readPassagesToReword(db, { documentId, after, limit: PASSAGES });
    if (passages.length === 0) return language;
    if (after < 0 && known === null) {
      language = detectLanguage(passages.map(({ text }) => text).join('\n'));
      if (language !== null) await setDocumentLanguage(db, { id: documentId, language });
    }
    const words = passages.map(({ id, heading, text }) => ({
      id,
      headingWords: searchableText(heading),
      textWords: searchableText(text),
    }));
    await updateWords(db, words, language);
    after = passages.at(-1)!.position;
  }
}

async function rewordAnswers(db: Db, agentId: string): Promise<void> {
  const forgotten: string[] = [];
  for (const gap of await lockAnsweredGaps(db, agentId)) {
    forgotten.push(...(await reindexAnswer(db, { gap, answer: gap.answer })));
  }
  if (forgotten.length > 0) await forgetWords(db, forgotten);
}
