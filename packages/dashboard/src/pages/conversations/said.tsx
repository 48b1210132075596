import type { ListedConversation } from '../../data/conversations.ts';
import './said.css';

/** Shows the last message of a conversation or, in a search, the sentence that matches it. */
export function Said({
  conversation: { last_message: last, match },
  sought,
}: {
  conversation: ListedConversation;
  sought: string | undefined;
}) {
  const quoted = match ?? last;
  if (!quoted) return <p className="said muted">No messages yet</p>;
  return (
    <p className="said muted" title={quoted.text}>
      {quoted.role === 'user' ? null : <strong>{SPEAKERS[quoted.role ?? 'summary']}: </strong>}
      {match && sought ? <Marked text={match.text} words={sought.split(/\s+/)} /> : quoted.text}
    </p>
  );
}

const SPEAKERS = { agent: 'Agent', human: 'Human agent', summary: 'Summary' };

/** Shows the topics and the summary, or a dash if the conversation has not ended. */
export function SummaryText({ conversation }: { conversation: ListedConversation }) {
  const { summary, judgement } = conversation;
  const topics = judgement?.topics ?? [];
  if (summary === null) return <span className="muted">–</span>;
  return (
    <p className="said-summary small" title={summary}>
      {topics.length > 0 ? <strong>{topics.join(', ')} · </strong> : null}
      {summary}
    </p>
  );
}

/** Highlights the words in a text, ignoring case. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return partsOf(text, words).map(({ at, part, isMarked }) =>
    isMarked ? <mark key={at}>{part}</mark> : part,
  );
}

type Part = { at: number; part: string; isMarked: boolean };

function partsOf(text: string, words: readonly string[]): Part[] {
  const lower = text.toLowerCase();
  const sought = words.map((word) => word.toLowerCase()).filter((word) => word !== '');
  const parts: Part[] = [];
  let from = 0;
  while (from < text.length) {
    const next = firstOf(lower, sought, from);
    const start = next?.at ?? text.length;
    if (start > from) parts.push({ at: from, part: text.slice(from, start), isMarked: false });
    if (!next) break;
    from = start + next.length;
    parts.push({ at: start, part: text.slice(start, from), isMarked: true });
  }
  return parts;
}

/**
 * Returns the first occurrence of any of the words at or after an index. If several words start at the same
 * position, returns the longest.
 */
function firstOf(
  text: string,
  words: readonly string[],
  from: number,
): { at: number; length: number } | undefined {
  return words
    .map((word) => ({ at: text.indexOf(word, from), length: word.length }))
    .filter(({ at }) => at >= 0)
    .toSorted((one, other) => one.at - other.at || other.length - one.length)[0];
}
