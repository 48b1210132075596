import type { ReactNode } from 'react';
import { isPinned, waitingVersion, type Declared } from '../../data/agents.ts';
import type { Release } from '../../data/agent-writes.ts';
import { Actor } from '../../ui/actor.tsx';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';

/** Shows the conditions of this agent that need attention, each with its remedy. */
export function AgentNotices({
  declared: { agent },
  onRelease,
}: {
  declared: Declared;
  onRelease: (wanted: Release) => void;
}) {
  const waiting = waitingVersion(agent);
  return (
    <>
      {agent.ready ? null : (
        <Notice tone="bad">
          <strong>Not ready: {agent.status.reason}.</strong> {agent.status.message}.{' '}
          {remedyOf(agent)}
        </Notice>
      )}
      {isPinned(agent) ? (
        <PinNotice agent={agent} onUnpin={() => onRelease({ kind: 'unpin' })} />
      ) : null}
      {waiting === null ? null : (
        <Notice
          tone="info"
          action={
            <div className="row">
              <TryLink agent={agent} version={waiting} />
              <ActButton
                needs="publish"
                kind="primary"
                onClick={() => onRelease({ kind: 'publish', version: waiting })}
              >
                Publish version {waiting}
              </ActButton>
            </div>
          }
        >
          <strong>Version {waiting} is a draft.</strong>{' '}
          {agent.active_version === null
            ? 'No conversation can start until the draft is published.'
            : `Version ${agent.active_version} stays live until the draft is published.`}
        </Notice>
      )}
    </>
  );
}

/** Links to the playground with an unpublished version. */
function TryLink({ agent, version }: { agent: Declared['agent']; version: number }) {
  return (
    <ButtonLink
      to="/agents/$agentId/playground"
      params={{ agentId: agent.id } as never}
      search={{ version: String(version) } as never}
    >
      Try version {version}
    </ButtonLink>
  );
}

export function Notice({
  tone,
  children,
  action,
}: {
  tone: 'info' | 'warn' | 'bad';
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`agent-notice agent-notice-${tone}`} role="status">
      <p>{children}</p>
      {action}
    </div>
  );
}

function PinNotice({ agent, onUnpin }: { agent: Declared['agent']; onUnpin: () => void }) {
  const { activation: last } = agent;
  const isFromIt = agent.active_version === agent.pinned_version;
  return (
    <Notice
      tone="warn"
      action={
        <ActButton needs="publish" onClick={onUnpin}>
          Unpin
        </ActButton>
      }
    >
      <strong>Version {agent.pinned_version} is pinned</strong>
      {last && isFromIt ? (
        <>
          {' '}
          by <Actor actor={last.actor} />, <Time at={last.at} />
          {last.reason === null ? null : <>: “{last.reason}”</>}
        </>
      ) : null}
      . New versions are saved but not published. Unpin to publish the latest.
    </Notice>
  );
}

/**
 * Remedies by reason (contract/custom-resources.md#reasons). `{place}` is replaced with words such as `in the agent’s
 * manifest`, which say where the agent can be changed.
 */
const REMEDIES: Record<string, string> = {
  VersionNotFound: 'Pin a version that exists, or unpin the agent.',
  KnowledgeSourceNotFound: 'Create the source, or choose another source {place}.',
  ModelProviderNotFound: 'Declare the provider, or choose another provider {place}.',
  AgentNotFound: 'Create the agent that the tool hands over to, or change the tool {place}.',
  InvalidParameters: 'Fix the tool’s JSON Schema {place}.',
  InvalidUrl: 'Change the tool’s URL {place} to one that Parley is allowed to call.',
  InvalidPrompt: 'Fix the ConfigMap that holds the prompt.',
  Suspended: 'Set spec.suspend to false in the agent’s manifest.',
};

function remedyOf({ managed_by: manager, status: { reason } }: Declared['agent']): string {
  const place = manager === 'api' ? 'on the Prompt page (click Change)' : 'in the agent’s manifest';
  return REMEDIES[reason]?.replace('{place}', place) ?? '';
}
