import { found } from '../../errors.ts';
import { toUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { readPassages } from '../passages/read-passages.sql.ts';
import { listQuestions, type GapQuestion } from './gap-questions.sql.ts';
import { readGap, type ClosePassage, type GapRow } from './knowledge-gaps.sql.ts';

/**
 * A gap (a question that an agent could not answer) with all its wordings. It includes the current content of the
 * passages that matched best when the question was first asked.
 */
export type GapDetail = Omit<GapRow, 'closest'> & {
  questions: readonly GapQuestion[];
  closest: readonly (ClosePassage & Said)[];
};

/**
 * Current content of a passage. Both fields are `null` if the passage no longer exists, because a source was indexed
 * again or an answer was changed.
 */
type Said = { heading: string | null; text: string | null };

/** Returns a gap with its wordings and closest passages. @throws ApiError not_found */
export async function readGapDetail(
  db: Db,
  key: { namespace: string; id: string },
): Promise<GapDetail> {
  return detailOf(db, found(await readGap(db, key), 'knowledge gap'));
}

export async function detailOf(db: Db, row: GapRow): Promise<GapDetail> {
  const questions = await listQuestions(db, row.id);
  const ids = row.closest.flatMap(({ chunk_id: id }) => toUuid('chk', id) ?? []);
  const there =
    ids.length > 0 ? await readPassages(db, { namespace: row.namespace, ids }) : new Map();
  const closest = row.closest.map((close): GapDetail['closest'][number] => {
    const said: Said | undefined = there.get(toUuid('chk', close.chunk_id) ?? '');
    return { ...close, heading: said?.heading ?? null, text: said?.text ?? null };
  });
  return { ...row, questions, closest };
}
