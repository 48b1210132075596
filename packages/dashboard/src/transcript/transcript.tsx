import { Fragment, useEffect, type ReactNode } from 'react';
import type { Turn } from '../data/conversations.ts';
import { Button } from '../ui/button.tsx';
import { useLiveText, type LiveText } from './live-text.ts';
import { RichText } from './rich-text.tsx';
import { TurnItem } from './turn-item.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';
import './transcript.css';

/**
 * Shows the turns of a conversation. Scrolls to new turns while the reader is at the end. Known turns must stay the
 * same objects when `turns` is read again, so that each turn renders only once.
 */
export function Transcript({
  turns,
  startedAt,
  userName,
  agentName = 'Agent',
  said,
  reply,
  startsAtEnd = false,
  isOpen = false,
  found,
  actions,
}: {
  turns: readonly Turn[];
  /** Start of the conversation in Unix seconds. */
  startedAt: number;
  userName?: string | null;
  /** Speaker name for turns of an agent whose own name is not known. */
  agentName?: string | undefined;
  /** The user's last message, shown until its turn is stored. */
  said?: string | null;
  /** The reply in progress, or null. */
  reply?: LiveText | null;
  /** Whether the end is shown first, for conversations in progress. */
  startsAtEnd?: boolean;
  /** Expands the passages, timings and tool calls. */
  isOpen?: boolean;
  /** Index of the turn to scroll to, such as the one that a search has found. */
  found?: number | undefined;
  /** Returns the actions for a turn. It must be the same function in each render. */
  actions?: (turn: Turn) => ReactNode;
}) {
  const { list, end, isAtEnd, toEnd } = useStickToEnd(startsAtEnd);
  useEffect(() => {
    if (found === undefined) return;
    list.current?.querySelector(`[data-turn="${found}"]`)?.scrollIntoView({ block: 'center' });
  }, [found, list]);
  return (
    <div className={isOpen ? 'transcript transcript-open' : 'transcript'}>
      <div ref={list} className="transcript-turns" role="log" aria-label="Transcript">
        {turns.map((turn, at) => (
          <Fragment key={turn.index}>
            {isOpen ? null : <Day turn={turn} before={turns[at - 1]} startedAt={startedAt} />}
            <TurnItem
              turn={turn}
              startedAt={startedAt}
              userName={userName ?? null}
              agentName={agentName}
              isOpen={isOpen}
              isFound={turn.index === found}
              {...(actions && { actions })}
            />
          </Fragment>
        ))}
        {said ? (
          <div className="turn turn-user">
            <div className="turn-said">
              <p className="turn-head">
                <strong>{userName ?? 'User'}</strong>
              </p>
              <RichText text={said} isMarkdown={false} />
            </div>
          </div>
        ) : null}
        {reply ? <ReplyUnderWay reply={reply} agentName={agentName} /> : null}
      </div>
      <div ref={end} className="transcript-end" />
      {isAtEnd ? null : (
        <Button size="small" className="transcript-to-end" onClick={toEnd}>
          Scroll to the end ↓
        </Button>
      )}
    </div>
  );
}

/** Shows the date above the first turn of each day. */
function Day({
  turn,
  before,
  startedAt,
}: {
  turn: Turn;
  before: Turn | undefined;
  startedAt: number;
}) {
  const timeOf = ({ started_at_ms: ms }: Turn): Date => new Date(startedAt * 1_000 + ms);
  const at = timeOf(turn);
  const isSameDay =
    before !== undefined &&
    timeOf(before).getDate() === at.getDate() &&
    turn.started_at_ms - before.started_at_ms < DAY_MS;
  return isSameDay ? null : <p className="transcript-day small muted">{day.format(at)}</p>;
}

const DAY_MS = 86_400_000;
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });

/** Shows the growing reply. It is hidden from screen readers, which read the turn once it is stored. */
function ReplyUnderWay({ reply, agentName }: { reply: LiveText; agentName: string }) {
  const text = useLiveText(reply);
  return (
    <div className="turn turn-agent" aria-live="off">
      <div className="turn-said">
        <p className="turn-head">
          <strong>{agentName}</strong>
          <span className="muted small">{text === '' ? 'thinking…' : 'replying…'}</span>
        </p>
        <div className="turn-growing">
          <RichText text={text} isMarkdown isPartial />
        </div>
      </div>
    </div>
  );
}
