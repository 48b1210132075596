import type { ConversationRow } from './conversations.sql.ts';
import { cut } from './excerpt.ts';
import { leftOpen, type Tally } from './tally.ts';

const SUMMARY_MAX = 1_000;

const ENDINGS: Record<string, string> = {
  api: 'It was ended through the API.',
  silence_timeout: 'It ended because nobody said anything more.',
  max_duration: 'It ended because it reached its maximum duration.',
  deleted: 'It was deleted.',
  agent_deleted: 'It ended because its agent was deleted.',
  voicemail: 'Voicemail answered the call.',
  transferred: 'The call was transferred to another number, and somebody answered.',
  platform_error: 'It ended because of an error.',
};

/** Summarizes an ended conversation in plain English, using rules, in at most 1,000 characters. */
export function summarize(
  row: Pick<ConversationRow, 'tally' | 'endedReason' | 'outcome' | 'channel'>,
): string {
  const { tally } = row;
  const ending = ENDINGS[row.endedReason ?? ''] ?? 'The call ended.';
  const isRequested = tally.escalations.requested > 0 || tally.toldClosed === true;
  const said = isRequested ? quotes(tally) : [];
  const middle = [...asked(tally), ...said, ...state(tally), ...handover(tally)];
  return cut([...about(tally, middle), ending].join(' '), SUMMARY_MAX);
}

/**
 * Summarizes a live conversation for the human who may take over, in at most 1,000 characters: the user, the messages
 * that nobody has answered, the tools that were called, and the answered and open questions. With `isWaiting`, the user
 * is still waiting for a human, so the summary does not say how the request ended.
 */
export function summarizeSoFar(
  { userId, tally }: Pick<ConversationRow, 'userId' | 'tally'>,
  { isWaiting }: { isWaiting: boolean },
): string {
  const who = userId === null ? [] : [`The user is ${userId}.`];
  const how = isWaiting ? earlier(tally) : handover(tally);
  const middle = [...quotes(tally), ...asked(tally), ...lastAsked(tally), ...state(tally), ...how];
  return cut([...who, ...about(tally, middle)].join(' '), SUMMARY_MAX);
}

function about(tally: Tally, middle: readonly string[]): readonly string[] {
  if (tally.userTurns === 0) return ['The user said nothing.'];
  const isSilent = tally.needs === 0 && !tally.said?.length;
  return isSilent ? [...middle, 'The user asked nothing.'] : middle;
}

/** Quotes the request for a human, and other messages that nobody has answered. */
function quotes({ said = [] }: Tally): string[] {
  return said.length === 0 ? [] : [`The user said ${said.map(quoted).join(' and ')}.`];
}

const OPEN_SHOWN = 3;

function asked(tally: Tally): string[] {
  const told = tally.told.map(
    ({ question, from }) =>
      `The user asked ${quoted(question)} and was answered${from === '' ? '' : ` from ${quoted(from)}`}.`,
  );
  const more = tally.answered - tally.told.length;
  const open = tally.open.slice(0, OPEN_SHOWN).map(({ text }) => quoted(text));
  const openMore = leftOpen(tally) - open.length;
  return [
    ...told,
    ...(more > 0
      ? [`${count(more, 'more question')} ${more === 1 ? 'was' : 'were'} answered.`]
      : []),
    ...(open.length > 0
      ? [`Not answered: ${open.join(', ')}${openMore > 0 ? ` and ${openMore} more` : ''}.`]
      : []),
  ];
}

/**
 * Quotes the user's last question, unless the summary already quotes it among the answered or the open questions. It is
 * often the reason why a human is needed.
 */
function lastAsked({ recent, told, open }: Tally): string[] {
  const last = recent.at(-1)?.text;
  const shown = [
    ...told.map(({ question }) => question),
    ...open.slice(0, OPEN_SHOWN).map(({ text }) => text),
  ];
  return last === undefined || shown.includes(last) ? [] : [`The user last asked ${quoted(last)}.`];
}

function state(tally: Tally): string[] {
  return [
    ...(tally.isDissatisfied ? ['The user was not satisfied with the last answer.'] : []),
    ...tried(tally),
  ];
}

function tried({ tools = [] }: Tally): string[] {
  if (tools.length === 0) return [];
  const names = tools.map(({ name, failed }) =>
    failed === 0 ? name : `${name} (failed${failed === 1 ? '' : ` ${failed} times`})`,
  );
  return [`Tools called: ${names.join(', ')}.`];
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

/** Describes how earlier requests ended, for a conversation that is waiting for a human. */
function earlier({ escalations }: Tally): string[] {
  const { accepted, acceptedBy, declined, timedOut } = escalations;
  if (accepted > 0) return [`${acceptedBy ?? 'A human'} had taken over before.`];
  return declined + timedOut > 0 ? ['Nobody accepted an earlier request for a human.'] : [];
}

function quoted(text: string): string {
  return `“${text}”`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
