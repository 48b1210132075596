import { useCallback } from 'react';
import type { Turn } from '../../data/conversations.ts';
import { Transcript } from '../../transcript/transcript.tsx';
import { Button } from '../../ui/button.tsx';
import { Status } from '../../ui/status.tsx';
import { msText } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { CopyCurl } from './copy-curl.tsx';
import type { Talk } from './talk.ts';

/** Shows one conversation with one version, and how each reply was generated. */
export function TalkView({
  talk,
  version,
  isLive,
  isAlone,
  agentName,
  greeting,
  onClose,
}: {
  talk: Talk;
  version: number;
  isLive: boolean;
  isAlone: boolean;
  agentName: string;
  /** The agent's first message, shown before the conversation starts. */
  greeting?: string | undefined;
  onClose?: () => void;
}) {
  const { conversation, turns, seen } = talk;
  const id = conversation?.id;
  const actions = useCallback(
    (turn: Turn) => (turn.role === 'user' && id ? <CopyCurl id={id} text={turn.text} /> : null),
    [id],
  );
  const isEmpty = turns.length === 0 && talk.said === null;
  return (
    <section className="playground-talk" aria-label={`Talk with version ${version}`}>
      {isAlone ? null : (
        <header className="spread">
          <h2>
            Version {version} {isLive ? <Status tone="ok">live</Status> : null}
          </h2>
          {onClose ? (
            <Button size="small" kind="quiet" onClick={onClose}>
              Close
            </Button>
          ) : null}
        </header>
      )}
      {isEmpty ? (
        <p className="playground-empty muted preserved">
          {greeting
            ? `The agent starts with: “${greeting}”`
            : 'This agent has no first message. Write or speak first.'}
        </p>
      ) : (
        <Transcript
          turns={turns}
          startedAt={conversation?.started_at ?? 0}
          agentName={agentName}
          said={talk.said}
          reply={talk.reply}
          actions={actions}
          startsAtEnd
          isOpen
        />
      )}
      {conversation?.status === 'escalated' ? (
        <p className="playground-note" role="status">
          The agent requested a human agent and stays silent until one accepts. In a test, nobody is
          notified.
        </p>
      ) : null}
      {talk.error ? <TroubleNote error={talk.error} onRetry={talk.again} /> : null}
      {seen.totalMs === null ? null : (
        <p className="small muted numeric">
          Measured in this browser: first token {msText(seen.firstTokenMs)}, whole reply{' '}
          {msText(seen.totalMs)}
        </p>
      )}
    </section>
  );
}
