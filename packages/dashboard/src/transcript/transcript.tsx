import type { ReactNode } from 'react';
import type { Turn } from '../data/conversations.ts';
import { Button } from '../ui/button.tsx';
import { useLiveText, type LiveText } from './live-text.ts';
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
  actions,
}: {
  turns: readonly Turn[];
  /** Start of the conversation in Unix seconds. Times of turns are relative to it. */
  startedAt: number;
  userName?: string | null;
  /** Speaker name for turns without an agent. */
  agentName?: string | undefined;
  /** The user's last message, shown until its turn is stored. */
  said?: string | null;
  /** The reply in progress, or null. */
  reply?: LiveText | null;
  /** Whether the end is shown first, for conversations in progress. */
  startsAtEnd?: boolean;
  /** Expands the passages, timings and tool calls. */
  isOpen?: boolean;
  /** Returns the actions for a turn. It must be the same function in each render. */
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
        <p className="turn-text preserved turn-growing">{text}</p>
      </div>
    </div>
  );
}
