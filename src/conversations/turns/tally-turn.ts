import { within } from '../../knowledge/passages/phrases.ts';
import type { AskedQuestion, Tally, TriedTool } from '../record/tally.ts';
import english from './english.json' with { type: 'json' };
import { endsOf, likeness, type UserTurn } from './read-user-turn.ts';
import type { Reply } from './responder.ts';

/** This module updates the tally of a conversation, that is, the stored facts about its turns (record/tally.ts). */

/** Number of moods that are stored: the maximum `count` of a mood rule (agents: `escalation.rules`). */
const MOODS_MAX = 10;
const RECENT_MAX = 6;
const OPEN_MAX = 10;
const SUMMARIZED_MAX = 3;
const SAID_MAX = 2;
const TOOLS_MAX = 10;
/** Maximum length of a question in summaries. The transcript has the whole text. */
const QUESTION_CHARS_MAX = 160;
/**
 * Maximum length of a message in summaries. Messages may be longer than questions, because a message may describe the
 * problem.
 */
const SAID_CHARS_MAX = 300;

/** Minimum similarity, from 0 to 1, of two questions that count as the same. */
const SAME = 0.75;
/**
 * Similarity above which a new question counts as a rephrasing of an open question. An answer to the new question then
 * closes the open one too.
 */
const RELATED = 0.5;
/**
 * Value that replaces `RELATED` if the open question directly precedes the new one. This value is lower, because the
 * agent has just asked the user to rephrase the open question.
 */
const RELATED_NEXT = 0.3;
const IN_OTHER_WORDS = within(english.within.inOtherWords);

/**
 * Returns the earlier occurrence of a question that the user asks again, or undefined if it is not among the recent
 * questions.
 */
export function asksAgain(tally: Tally, user: UserTurn): AskedQuestion | undefined {
  if (user.words.length === 0) return undefined;
  return tally.recent.findLast((asked) => likeness(asked.words, user.words) >= SAME);
}

/** Counts a message from the user, even one that a human answers. */
export function countUser(tally: Tally, user: UserTurn): Tally {
  const heard: Tally = {
    ...tally,
    userTurns: tally.userTurns + 1,
    moods: [...tally.moods, user.mood].slice(-MOODS_MAX),
    moodSum: (tally.moodSum ?? sum(tally.moods)) + user.mood,
    thanks: tally.thanks + (user.isThanks ? 1 : 0),
    complaints: tally.complaints + (user.isComplaint ? 1 : 0),
  };
  if (user.isComplaint) return { ...heard, needs: heard.needs + 1, isDissatisfied: true };
  // If the user says that the problem is solved, all open questions are closed. Thanks only clear `isDissatisfied`, and
  // only directly after an answer or once a human has accepted. At any other time, thanks may be mere politeness.
  if (user.isSolved) {
    const closed = { isDissatisfied: false, lacksHuman: false, open: [], openBeyond: 0, said: [] };
    return { ...heard, ...closed };
  }
  const isEarned = tally.answeredLast || tally.escalations.accepted > 0;
  return user.isThanks && isEarned ? { ...heard, isDissatisfied: false } : heard;
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Counts the reply to a message. `text` is the user's whole message, after redaction. */
export function countReply(
  tally: Tally,
  user: UserTurn,
  reply: Reply,
  text: string = user.question,
): Tally {
  const wanted = {
    ...tally,
    answeredLast: reply.answeredFrom !== undefined,
    offeredHuman: reply.offersHuman === true,
    ...(reply.toolFailuresInRow !== undefined && { toolFailuresInRow: reply.toolFailuresInRow }),
    ...(reply.toolTurns && { tools: countTools(tally.tools ?? [], reply.toolTurns) }),
  };
  const counted = countOutcome(wanted, user, { reply, text });
  // If the reply said that nobody is available, the user still lacks a human, even if the reply also answered a
  // question.
  return reply.isClosed ? { ...counted, lacksHuman: true, toldClosed: true } : counted;
}

function countOutcome(
  wanted: Tally,
  user: UserTurn,
  { reply, text }: { reply: Reply; text: string },
): Tally {
  if (reply.answeredFrom !== undefined) return countAnswer(wanted, user, reply.answeredFrom);
  if (reply.unanswered) return countUnanswered(wanted, user);
  const isNeed = reply.handover !== undefined || reply.isClosed === true;
  return {
    ...wanted,
    needs: wanted.needs + (isNeed ? 1 : 0),
    ...(isTelling(user, isNeed) && { said: withSaid(wanted.said ?? [], text) }),
  };
}

/** Returns true for messages that say what the user needs, unlike a "yes please", a greeting or thanks. */
function isTelling(user: UserTurn, isNeed: boolean): boolean {
  if (user.question !== '' || user.wantsHuman || user.isComplaint) return true;
  return isNeed && !user.isConsent;
}

function withSaid(said: readonly string[], text: string): string[] {
  const words = shorten(text, SAID_CHARS_MAX);
  if (words === '') return [...said];
  return [...said.filter((one) => one !== words), words].slice(-SAID_MAX);
}

/** Counts tool calls by tool name. When the list is full, calls of further tools are not counted. */
function countTools(
  before: readonly TriedTool[],
  turns: NonNullable<Reply['toolTurns']>,
): TriedTool[] {
  const tools = new Map(before.map((tool) => [tool.name, tool]));
  for (const { toolCall, toolResult } of turns) {
    const called = String(toolCall?.['name']);
    const { name, failed } = tools.get(called) ?? { name: called, failed: 0 };
    if (!tools.has(name) && tools.size >= TOOLS_MAX) continue;
    tools.set(name, { name, failed: failed + (toolResult?.['ok'] === false ? 1 : 0) });
  }
  return [...tools.values()];
}

function countAnswer(tally: Tally, user: UserTurn, from: string): Tally {
  const again = asksAgain(tally, user);
  const asked = { text: shorten(user.question), words: user.words, isAnswered: true };
  const told = { question: asked.text, from };
  return {
    ...tally,
    ...remember(tally, asked),
    needs: tally.needs + 1,
    answered: tally.answered + 1,
    unansweredInRow: 0,
    repeats: tally.repeats + (again ? 1 : 0),
    // A user who repeats an answered question shows that the answer did not help.
    isDissatisfied: again?.isAnswered === true,
    lacksHuman: false,
    open: tally.open.filter((open) => !isAnsweredBy(open, tally, user)),
    told: tally.told.length < SUMMARIZED_MAX && !again ? [...tally.told, told] : tally.told,
    ...(tally.said && { said: [] }),
  };
}

/** Returns true if the answer to the current question also answers this open question. */
function isAnsweredBy(open: AskedQuestion, tally: Tally, user: UserTurn): boolean {
  const alike = likeness(open.words, user.words);
  const isLast = tally.recent.at(-1)?.text === open.text;
  if (isLast && (IN_OTHER_WORDS.test(endsOf(user.question).toLowerCase()) || alike >= RELATED_NEXT))
    return true;
  return alike > RELATED;
}

function countUnanswered(tally: Tally, user: UserTurn): Tally {
  const again = asksAgain(tally, user);
  const asked = { text: shorten(user.question), words: user.words, isAnswered: false };
  const isOpen = tally.open.some(({ words }) => likeness(words, user.words) >= SAME);
  const hasRoom = tally.open.length < OPEN_MAX;
  return {
    ...tally,
    ...remember(tally, asked),
    needs: tally.needs + 1,
    unanswered: tally.unanswered + 1,
    unansweredInRow: tally.unansweredInRow + 1,
    repeats: tally.repeats + (again ? 1 : 0),
    open: isOpen || !hasRoom ? tally.open : [...tally.open, asked],
    openBeyond: tally.openBeyond + (isOpen || hasRoom ? 0 : 1),
  };
}

function remember(tally: Tally, asked: AskedQuestion): Pick<Tally, 'recent'> {
  return { recent: [...tally.recent, asked].slice(-RECENT_MAX) };
}

function shorten(text: string, charsMax = QUESTION_CHARS_MAX): string {
  const line = endsOf(text).replaceAll(/\s+/g, ' ').trim();
  if (line.length <= charsMax) return line;
  // `toWellFormed` replaces a lone surrogate, which PostgreSQL would reject.
  return `${line
    .slice(0, charsMax - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}
