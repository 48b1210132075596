import { memo, type ReactNode } from 'react';
import type { Turn } from '../data/conversations.ts';
import { useAgentNames } from '../data/names.ts';
import { Status } from '../ui/status.tsx';
import { durationText } from '../ui/time.tsx';
import { removedText } from './redaction-words.ts';
import { RichText } from './rich-text.tsx';
import { ToolCall } from './tool-call.tsx';
import { TurnFacts } from './turn-facts.tsx';

type Shown = {
  turn: Turn;
  startedAt: number;
  userName: string | null;
  agentName: string;
  isOpen: boolean;
  /** Whether the address of the page names this turn. */
  isFound?: boolean;
  actions?: (turn: Turn) => ReactNode;
};

/** Shows a turn. It is memoized, because a stored turn never changes. */
export const TurnItem = memo(function TurnItem({
  turn,
  startedAt,
  userName,
  agentName,
  isOpen,
  isFound = false,
  actions,
}: Shown) {
  const who = useSpeaker(turn, userName, agentName);
  const at = new Date(startedAt * 1_000 + turn.started_at_ms);
  return (
    <div className={`turn turn-${turn.role}${isFound ? ' turn-found' : ''}`} data-turn={turn.index}>
      <div className="turn-said">
        <p className="turn-head">
          <strong>{who}</strong>
          {turn.agent_version !== undefined && turn.role === 'agent' ? (
            <span className="muted small">version {turn.agent_version}</span>
          ) : null}
          <time
            className="muted small numeric"
            dateTime={at.toISOString()}
            title={`${exact.format(at)}, ${durationText(turn.started_at_ms / 1_000)} after the start`}
          >
            {clock.format(at)}
          </time>
          {turn.interrupted ? (
            <Status tone="warn" title="The reply was cut short">
              interrupted
            </Status>
          ) : null}
          {actions?.(turn)}
        </p>
        {turn.tool_call ? <ToolCall turn={turn} isOpen={isOpen} /> : null}
        {turn.tool_call || turn.text === '' ? null : (
          <RichText text={turn.text} isMarkdown={isMarkdown(turn)} />
        )}
        {turn.redacted ? <p className="muted small">{removedText(turn.redacted)}</p> : null}
        {turn.error ? (
          <p className="turn-error small">
            <Status tone="bad">{turn.error.code.replaceAll('_', ' ')}</Status> {turn.error.detail}
          </p>
        ) : null}
      </div>
      <TurnFacts turn={turn} isOpen={isOpen} />
    </div>
  );
});

/** Returns true if the turn may contain Markdown. Models write it, and so may human agents. */
function isMarkdown({ role }: Turn): boolean {
  return role === 'agent' || role === 'human';
}

function useSpeaker(
  { role, agent_id, name = 'Human agent' }: Turn,
  userName: string | null,
  agentName: string,
): string {
  const names = useAgentNames();
  const agent = (agent_id && names.get(agent_id)) || agentName;
  return { user: userName ?? 'User', agent, human: name, tool: 'Tool', system: 'Parley' }[role];
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
