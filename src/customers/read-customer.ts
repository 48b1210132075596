import { countCallsOf, type CallFigures } from '../calls/customer-calls.sql.ts';
import {
  countConversationsOf,
  firstConversationAt,
  listRecentOf,
  type CustomerFigures,
  type CustomerKey,
  type RecentConversation,
} from '../conversations/customer-conversations.sql.ts';
import { found } from '../errors.ts';
import type { Db } from '../platform/postgres/pool.ts';

/** Maximum number of conversations, and of calls, that the statistics count. */
const COUNTED_MAX = 10_000;
/** Number of newest conversations that are searched for open questions. */
const RECENT_MAX = 100;
const QUESTIONS_MAX = 20;
/** Number of oldest conversations that are searched for the first one that is not a test. */
const OLDEST_MAX = 1_000;

type OpenQuestion = { conversationId: string; question: string };

/** Statistics about a customer. Times are Unix milliseconds. */
export type CustomerRead = {
  userId: string;
  firstSeenAt: number | null;
  lastSeenAt: number | null;
  figures: CustomerFigures;
  calls: CallFigures;
  open: OpenQuestion[];
  isTruncated: boolean;
};

/**
 * Reads a customer's statistics. The work is bounded, however many conversations a `user_id` has.
 * @throws ApiError not_found if no conversation and no call has this user
 */
export async function readCustomer(db: Db, key: CustomerKey): Promise<CustomerRead> {
  const [figures, calls, first, recent] = await Promise.all([
    countConversationsOf(db, { ...key, limit: COUNTED_MAX + 1 }),
    countCallsOf(db, { ...key, limit: COUNTED_MAX + 1 }),
    firstConversationAt(db, { ...key, limit: OLDEST_MAX }),
    listRecentOf(db, { ...key, limit: RECENT_MAX }),
  ]);
  const isKnown = figures.looked > 0 || calls.total > 0;
  found(isKnown ? figures : undefined, 'customer');
  const turns = recent.map(({ startedAt, lastTurnMs }) => startedAt + (lastTurnMs ?? 0));
  const known = (times: (number | null)[]): number[] => times.filter((time) => time !== null);
  return {
    userId: key.userId,
    firstSeenAt: extreme(Math.min, known([first, figures.firstAt, calls.firstAt])),
    lastSeenAt: extreme(Math.max, known([...turns, calls.lastAt])),
    figures,
    calls,
    open: openIn(recent),
    isTruncated: figures.looked > COUNTED_MAX || calls.total > COUNTED_MAX,
  };
}

function extreme(of: (...times: number[]) => number, times: readonly number[]): number | null {
  return times.length === 0 ? null : of(...times);
}

/** Returns the open questions. They come from the model's judgement or, if none exists, from the turns. */
function openIn(recent: readonly RecentConversation[]): OpenQuestion[] {
  return recent
    .flatMap(({ id, judgement, open }) => {
      const isJudged = judgement !== null && judgement.error === null;
      const questions = isJudged ? judgement.open_questions : (open ?? []).map(({ text }) => text);
      return questions.map((question) => ({ conversationId: id, question }));
    })
    .slice(0, QUESTIONS_MAX);
}
