import type { ReactNode } from 'react';
import type { Turn } from '../data/conversations.ts';
import { Button } from '../ui/button.tsx';
import { useLiveText, type LiveText } from './live-text.ts';
import { TurnItem } from './turn-item.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';
import './transcript.css';

/**
 * Shows the turns of a conversation. Scrolls along with new turns while the reader is at the end. Known turns
 * must keep their identity when `turns` is read again, so that each turn renders once.
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
  actions,
}: {
  turns: readonly Turn[];
  /** Start of the conversation in Unix seconds. Times of turns are relative to it. */
  startedAt: number;
  userName?: string | null;
  /** Name for turns without an agent. */
  agentName?: string | undefined;
  /** The user's last message, until its turn is stored. */
  said?: string | null;
  /** The reply in progress, or null. */
  reply?: LiveText | null;
  /** Shows the end first, for conversations in progress. */
  startsAtEnd?: boolean;
  /** Expands the passages, timings and tool calls. */
  isOpen?: boolean;
  /** Actions for a turn. Must be a stable function. */
  actions?: (turn: Turn) => ReactNode;
}) {
  const { list, end, isAtEnd, toEnd } = useStickToEnd(startsAtEnd);
  return (
    <div className={isOpen ? 'transcript transcript-open' : 'transcript'}>
      <div ref={list} className="transcript-turns" role="log" aria-label="Transcript">
        {turns.map((turn) => (
          <TurnItem
            key={turn.index}
            turn={turn}
            startedAt={startedAt}
            userName={userName ?? null}
            agentName={agentName}
            isOpen={isOpen}
            {...(actions && { actions })}
          />
        ))}
        {said ? (
          <div className="turn turn-user">
            <div className="turn-said">
              <p className="turn-head">
                <strong>{userName ?? 'User'}</strong>
              </p>
              <p className="turn-text preserved">{said}</p>
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

/** Hidden from screen readers while it grows; they read the turn once it is stored. */
function ReplyUnderWay({ reply, agentName }: { reply: LiveText; agentName: string }) {
  const text = useLiveText(reply);
  return (
    <div className="turn turn-agent" aria-live="off">
      <div className="turn-said">
        <p className="turn-head">
          <strong>{agentName}</strong>
          <span className="muted small">{text === '' ? 'thinking…' : 'replying…'}</span>
        </p>
        <p className="turn-text preserved turn-growing">{text}</p>
      </div>
    </div>
  );
}
