import { newUuid } from '../../src/ids.ts';
import { detectGap } from '../../src/knowledge/gaps/detect-gap.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { inTransaction } from '../../src/platform/postgres/transaction.ts';
import { learn, type Faq } from './faq.ts';

/** A question, and what it asks: two ask the same when `asks` is equal. */
export type Labelled = { text: string; asks: string };

export type Groups = {
  /** Of two questions that became one gap, how many ask the same; 1 when there are no two. */
  precision: number;
  /** Of two that ask the same, how many became one gap. */
  recall: number;
  gaps: number;
  /** Pairs that became one gap and ask different things. */
  wrong: readonly (readonly [string, string])[];
  /** Pairs that ask the same, and became two. */
  missed: readonly (readonly [string, string])[];
};

/** Asks them one after the other, each in a conversation of its own, of a new agent that answers none. */
export async function groupGaps(
  pool: Pool,
  { questions, sourceIds }: { questions: readonly Labelled[]; sourceIds: readonly string[] },
): Promise<Groups> {
  const agentId = newUuid();
  const asked: (Labelled & { gapId: string })[] = [];
  for (const question of questions) {
    const { gapId } = await inTransaction(pool, (db) =>
      detectGap(db, {
        namespace: 'default',
        agentId,
        conversationId: newUuid(),
        question: question.text,
        topScore: 0,
        closest: [],
        scope: async () => ({
          namespace: 'default',
          owners: [...sourceIds, agentId],
          all: false,
        }),
        emit: async () => undefined,
      }),
    );
    asked.push({ ...question, gapId });
  }
  return groupsOf(asked);
}

function groupsOf(asked: readonly (Labelled & { gapId: string })[]): Groups {
  const pairs = asked.flatMap((one, at) =>
    asked.slice(at + 1).map((other) => [one, other] as const),
  );
  const same = pairs.filter(([one, other]) => one.asks === other.asks);
  const grouped = pairs.filter(([one, other]) => one.gapId === other.gapId);
  const right = same.filter(([one, other]) => one.gapId === other.gapId);
  const texts = (of: typeof pairs): (readonly [string, string])[] =>
    of.map(([one, other]) => [one.text, other.text]);
  return {
    precision: grouped.length === 0 ? 1 : right.length / grouped.length,
    recall: same.length === 0 ? 1 : right.length / same.length,
    gaps: new Set(asked.map(({ gapId }) => gapId)).size,
    wrong: texts(grouped.filter(([one, other]) => one.asks !== other.asks)),
    missed: texts(same.filter(([one, other]) => one.gapId !== other.gapId)),
  };
}

/**
 * Questions whose pair is withheld, and the question of the pair itself: those of one pair ask the same. Half
 * of the pairs are known while the others are asked, and the other way round; the counts are summed up.
 */
export async function measureGapGroups(
  pool: Pool,
  { faqs, questions }: Faq,
): Promise<readonly Groups[]> {
  const known = await learn(
    pool,
    faqs.map(({ question, answer }) => [question, `# ${question}\n\n${answer}`]),
  );
  const halves = [0, 1].map(
    (half) => new Set([...known.keys()].filter((_, at) => at % 2 === half)),
  );
  const groups: Groups[] = [];
  for (const [asked, others] of [halves, halves.toReversed()] as [Set<string>, Set<string>][]) {
    const all = [...faqs.map(({ question }) => ({ text: question, faq: question })), ...questions];
    groups.push(
      await groupGaps(pool, {
        questions: all
          .filter(({ faq }) => asked.has(faq))
          .map(({ text, faq }) => ({ text, asks: faq })),
        sourceIds: [...others].map((question) => known.get(question)!),
      }),
    );
  }
  return groups;
}

export function printGroups(groups: readonly Groups[]): void {
  groups.forEach(({ precision, recall, gaps, wrong }, half) => {
    const shares = `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
    process.stdout.write(`gaps of half ${half + 1}, in pairs: ${shares}; ${gaps} gaps\n`);
    if (process.env['VERBOSE'])
      for (const [one, other] of wrong) process.stdout.write(`  ${one} = ${other}\n`);
  });
}
