import type { Agent } from '../../data/parley.ts';
import { isPinned, waitingVersion } from '../../data/agents.ts';
import { Status } from '../../ui/status.tsx';
import './agents.css';

/** Shows which version is live, and any unusual conditions in a word or two. */
export function AgentState({ agent }: { agent: Agent }) {
  return (
    <>
      {agent.active_version === null ? (
        <Status tone="warn">not published</Status>
      ) : (
        <Status tone="ok">version {agent.active_version} is live</Status>
      )}
      <AgentFlags agent={agent} />
    </>
  );
}

/** Shows unusual conditions. Most agents have none. */
export function AgentFlags({ agent }: { agent: Agent }) {
  const waiting = waitingVersion(agent);
  return (
    <span className="agent-flags">
      {agent.ready ? null : (
        <Status tone="bad" title={agent.status.message}>
          not ready
        </Status>
      )}
      {isPinned(agent) ? <Status tone="warn">pinned</Status> : null}
      {waiting === null ? null : <Status tone="info">version {waiting} is a draft</Status>}
    </span>
  );
}
