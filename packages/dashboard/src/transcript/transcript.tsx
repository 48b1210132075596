import type { ReactNode } from 'react';
import type { Turn } from '../data/conversations.ts';
import { Button } from '../ui/button.tsx';
import { useLiveText, type LiveText } from './live-text.ts';
import { TurnItem } from './turn-item.tsx';
import { useStickToEnd } from './use-stick-to-end.ts';
import './transcript.css';

/**
 * What was said and done, turn by turn. Turns that are appended are followed while the reader is at the
 * end. A turn is drawn once: `turns` may be read again whole, as long as known ones keep their identity.
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
  /** Of the conversation, Unix seconds: the times of turns count from it. */
  startedAt: number;
  userName?: string | null;
  /** Of whom a turn does not say which agent it is. */
  agentName?: string | undefined;
  /** What the user has just said, until its turn is stored. */
  said?: string | null;
  /** The reply to it as it comes; null: none is under way. */
  reply?: LiveText | null;
  /** For talking: the end is shown first, not the beginning. */
  startsAtEnd?: boolean;
  /** What was looked up and what it took stands open beside the turns. */
  isOpen?: boolean;
  /** What can be done with a turn; the same function each time. */
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
          To the end ↓
        </Button>
      )}
    </div>
  );
}

/** Not read out word by word: the turn is, once it is stored. */
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
