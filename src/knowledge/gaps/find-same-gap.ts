import type { Db } from '../../platform/postgres/pool.ts';
import { countWords, type WordCounts } from '../passages/count-words.sql.ts';
import type { SearchScope } from '../passages/knowledge-search.sql.ts';
import { wordsIn } from '../passages/phrases.ts';
import english from './english.json' with { type: 'json' };
import { findOpenQuestions, readOpenQuestions, type OpenQuestion } from './gap-questions.sql.ts';
import { commonWords, likeness, type AskedWord } from './same-question.ts';

/**
 * Maximum number of the latest open questions to compare with a new question. In addition, the new question is compared
 * with up to the same number of older questions that contain the rarest word of the new question.
 */
const OPEN_MAX = 500;
/**
 * Number of the most similar open questions to compare in detail. In the detailed comparison, words that are rare in
 * the agent's content weigh more.
 */
const WEIGHED_MAX = 50;

/**
 * Returns the id of the agent's open gap with the most similar question, in any wording. Returns `undefined` if no
 * question is similar enough.
 */
export async function findSameGap(
  db: Db,
  asked: { agentId: string; stems: readonly string[]; scope: SearchScope },
): Promise<string | undefined> {
  const { agentId, stems, scope } = asked;
  const latest = stems.length > 0 ? await readOpenQuestions(db, { agentId, limit: OPEN_MAX }) : [];
  if (latest.length === 0) return undefined;
  const older = latest.length < OPEN_MAX ? [] : await findOlder(db, { ...asked, latest });
  const near = nearest([...latest, ...older], stems);
  const counts = await countWords(db, { scope, stems: distinctStems([{ stems }, ...near]) });
  return best(near, { stems, weigh: weighing(counts, latest) });
}

/**
 * Finds older questions that contain the rarest word of this question. The rarest word is the one that occurs in the
 * fewest of the latest questions.
 */
function findOlder(
  db: Db,
  { agentId, stems, latest }: { agentId: string; stems: readonly string[]; latest: OpenQuestion[] },
): Promise<OpenQuestion[]> {
  const weigh = weighing({ passages: 0, having: new Map() }, latest);
  const [rarest] = stems.map(weigh).toSorted((a, b) => b.weight - a.weight);
  return findOpenQuestions(db, { agentId, stems: [rarest!.stem], limit: OPEN_MAX });
}

/** Returns the questions that have the most words in common with these stems. All words have the same weight. */
function nearest(open: readonly OpenQuestion[], stems: readonly string[]): OpenQuestion[] {
  return open
    .map((question) => ({ question, common: commonWords(stems, question.stems) }))
    .filter(({ common }) => common > 0)
    .toSorted((a, b) => b.common - a.common)
    .slice(0, WEIGHED_MAX)
    .map(({ question }) => question);
}

function best(
  open: readonly OpenQuestion[],
  { stems, weigh }: { stems: readonly string[]; weigh: (stem: string) => AskedWord },
): string | undefined {
  const asked = stems.map(weigh);
  let found: { gapId: string; like: number } | undefined;
  for (const { gapId, stems: theirs } of open) {
    const like = likeness(asked, theirs.map(weigh));
    if (like > (found?.like ?? 0)) found = { gapId, like };
  }
  return found?.gapId;
}

/** Words that only ask whether something exists and say little about the subject. They get a low weight. */
const LIGHT = wordsIn(english.light);
const LIGHTER = 0.3;

/**
 * Returns a function that computes the weight of a word from its rarity in the agent's content and among the agent's
 * gaps. Each gap counts once.
 */
function weighing(
  { passages, having }: WordCounts,
  open: readonly OpenQuestion[],
): (stem: string) => AskedWord {
  const gapsWith = new Map<string, Set<string>>();
  for (const { gapId, stems } of open) {
    for (const stem of stems) gapsWith.set(stem, (gapsWith.get(stem) ?? new Set()).add(gapId));
  }
  const all = passages + new Set(open.map(({ gapId }) => gapId)).size;
  return (stem) => {
    const known = having.get(stem) ?? 0;
    const rarity = Math.log(1 + (all + 0.5) / (known + (gapsWith.get(stem)?.size ?? 0) + 0.5));
    return { stem, weight: LIGHT.has(stem) ? rarity * LIGHTER : rarity, isKnown: known > 0 };
  };
}

function distinctStems(questions: readonly { stems: readonly string[] }[]): string[] {
  return [...new Set(questions.flatMap(({ stems }) => stems))];
}
