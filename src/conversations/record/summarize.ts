import type { ConversationRow } from './conversations.sql.ts';
import { leftOpen, type Tally } from './tally.ts';

const SUMMARY_MAX = 1_000;

const ENDINGS: Record<string, string> = {
  api: 'It was ended by request.',
  silence_timeout: 'It ended because nobody said anything more.',
  max_duration: 'It ended because it reached its maximum duration.',
  deleted: 'It was deleted.',
  agent_deleted: 'It ended because its agent was deleted.',
  voicemail: 'Voicemail answered the call.',
  transferred: 'The call was transferred to another number, and somebody answered.',
  platform_error: 'It ended because of an error.',
};

/** Summarizes an ended conversation in plain English, by rule, in at most 1,000 characters. */
export function summarize(
  row: Pick<ConversationRow, 'tally' | 'endedReason' | 'outcome' | 'channel'>,
): string {
  const ending = ENDINGS[row.endedReason ?? ''] ?? 'The call ended.';
  return cut([...sentences(row.tally), ending].join(' '), SUMMARY_MAX);
}

/**
 * Summarizes a live conversation for the human who may take over, in at most 1,000 characters: the user, the tools that
 * were called, and the answered and open questions.
 */
export function summarizeSoFar({
  userId,
  tally,
}: Pick<ConversationRow, 'userId' | 'tally'>): string {
  const who = userId === null ? [] : [`The user is ${userId}.`];
  return cut([...who, ...sentences(tally)].join(' '), SUMMARY_MAX);
}

function sentences(tally: Tally): string[] {
  if (tally.userTurns === 0) return ['The user said nothing.'];
  const asked = tally.told.map(
    ({ question, from }) =>
      `The user asked “${question}” and was answered${from === '' ? '' : ` from “${from}”`}.`,
  );
  const more = tally.answered - tally.told.length;
  const open = tally.open.slice(0, 3).map(({ text }) => `“${text}”`);
  const openMore = leftOpen(tally) - open.length;
  return [
    ...asked,
    ...(more > 0
      ? [`${count(more, 'more question')} ${more === 1 ? 'was' : 'were'} answered.`]
      : []),
    ...(open.length > 0
      ? [`Not answered: ${open.join(', ')}${openMore > 0 ? ` and ${openMore} more` : ''}.`]
      : []),
    ...(tally.isDissatisfied ? ['The user was not satisfied with the last answer.'] : []),
    ...tried(tally),
    ...handover(tally),
    ...(tally.needs === 0 ? ['The user asked nothing.'] : []),
  ];
}

function tried({ tools = [] }: Tally): string[] {
  if (tools.length === 0) return [];
  const names = tools.map(({ name, failed }) =>
    failed === 0 ? name : `${name} (failed${failed === 1 ? '' : ` ${failed} times`})`,
  );
  return [`Tried: ${names.join(', ')}.`];
}

function handover({ escalations, lacksHuman, toldClosed }: Tally): string[] {
  const { requested, accepted, acceptedBy, waitSec } = escalations;
  if (accepted > 0) {
    return [`${acceptedBy ?? 'A human'} took over after ${count(waitSec, 'second')}.`];
  }
  if (requested > 0) return ['A human was requested, but nobody took over.'];
  if (toldClosed) return ['A human was requested while nobody was available.'];
  return lacksHuman ? ['The user asked for a human.'] : [];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Truncates text, but never between the halves of a surrogate pair, which PostgreSQL would refuse. */
function cut(text: string, max: number): string {
  return text.length <= max
    ? text
    : `${text
        .slice(0, max - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}
