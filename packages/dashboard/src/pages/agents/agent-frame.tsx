import { useState, type ReactNode } from 'react';
import {
  agentName,
  useAgent,
  useAgentId,
  useHistory,
  useRecalledVersions,
  type Declared,
} from '../../data/agents.ts';
import type { Release } from '../../data/agent-writes.ts';
import { useCan } from '../../data/me.ts';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Page, ReadPage, Tabs, UnreadPage } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentNotices, Notice } from './agent-notices.tsx';
import { AgentState } from './agent-state.tsx';
import { ReleaseDialog } from './release-dialog.tsx';
import './agents.css';

const BACK = { to: '/agents', name: 'Agents' };

/** Called by a page to make another version live. */
export type OnRelease = (wanted: Release) => void;

/** The frame around every page of an agent: its name, the live version, and notices that need action. */
export function AgentFrame({
  tab,
  children,
}: {
  /** Name of the page, for the title of the browser tab. */
  tab: string;
  children: (declared: Declared, onRelease: OnRelease) => ReactNode;
}) {
  const id = useAgentId();
  const query = useAgent(useCan('read') ? id : '');
  const { data, error, refetch } = query;
  const [wanted, setWanted] = useState<Release | null>(null);
  if (!data) {
    return (
      <ReadPage title="Agent" back={BACK}>
        <UnreadPage title="Agent" back={BACK} query={query} />
      </ReadPage>
    );
  }
  const { agent } = data;
  return (
    <Page
      title={`${agentName(agent)}: ${tab}`}
      heading={agentName(agent)}
      back={BACK}
      actions={<AgentActions agent={agent} onRelease={setWanted} />}
    >
      <div className="row small muted">
        <AgentState agent={agent} />
        <ManagedBy agent={agent} />
        <span className="mono">{agent.name}</span>
        <CopyId id={agent.id} />
      </div>
      <AgentNotices declared={data} onRelease={setWanted} />
      <NotActedOn agent={agent} />
      <AgentTabs id={id} />
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {children(data, setWanted)}
      {wanted ? (
        <ReleaseDialog declared={data} wanted={wanted} onClose={() => setWanted(null)} />
      ) : null}
    </Page>
  );
}

/**
 * Lists settings that have no effect in this installation. A missing model gets its own notice, because without a model
 * the agent ignores its prompt.
 */
function NotActedOn({ agent: { ready, status_message: message } }: { agent: Declared['agent'] }) {
  const all =
    ready && message ? message.split('; ').filter((one) => one.startsWith('no effect ')) : [];
  const withoutModel = all.find((one) => one.startsWith('no effect without a model'));
  const others = all.filter((one) => one !== withoutModel);
  return (
    <>
      {withoutModel === undefined ? null : (
        <NoModel settings={withoutModel.replace(/^.*?\): /, '')} />
      )}
      {others.length === 0 ? null : (
        <p className="muted small">Some settings have {others.join('; ')}.</p>
      )}
    </>
  );
}

function NoModel({ settings }: { settings: string }) {
  return (
    <Notice
      tone="warn"
      action={<ButtonLink to="/settings/providers/new">Connect a model</ButtonLink>}
    >
      <strong>This agent has no model.</strong> It ignores its prompt and can only quote its
      knowledge. Connect a model and select it in the agent’s settings, or set PARLEY_MODEL_URL for
      all agents. These settings have no effect: {settings}.
    </Notice>
  );
}

function AgentActions({ agent, onRelease }: { agent: Declared['agent']; onRelease: OnRelease }) {
  const back = useRollbackVersion(agent);
  return (
    <>
      {back === null ? null : (
        <ActButton needs="publish" onClick={() => onRelease({ kind: 'rollback', version: back })}>
          Roll back…
        </ActButton>
      )}
      <ButtonLink to="/agents/$agentId/playground" params={{ agentId: agent.id } as never}>
        Talk to the agent
      </ButtonLink>
    </>
  );
}

/**
 * Returns the default target of a rollback: the highest version below the live version that was live before and is not
 * recalled. If there is no such version, returns the version directly below the live version. Returns null if version 1
 * or no version is live.
 */
function useRollbackVersion({ id, active_version: live }: Declared['agent']): number | null {
  const { rows } = useHistory('/v1/agents/{id}/activations', id);
  const recalled = useRecalledVersions(id);
  if (live === null || live < 2) return null;
  const been = rows
    .map(({ to_version: to }) => to)
    .filter((version) => version < live && !recalled.has(version));
  return been.length === 0 ? live - 1 : Math.max(...been);
}

function AgentTabs({ id }: { id: string }) {
  const params = { agentId: id };
  const tabs = [
    { to: '/agents/$agentId', name: 'Prompt', params },
    { to: '/agents/$agentId/versions', name: 'Versions', params },
    { to: '/agents/$agentId/activations', name: 'Release history', params },
    { to: '/agents/$agentId/figures', name: 'Analytics', params },
    { to: '/agents/$agentId/playground', name: 'Playground', params },
  ];
  return <Tabs label="Agent" tabs={tabs} />;
}

const MANAGERS = { kubernetes: 'Kubernetes', file: 'a manifest file' } as const;

function ManagedBy({ agent: { managed_by: by } }: { agent: Declared['agent'] }) {
  if (by === 'api') return null;
  return (
    <Status tone="info" title={`Declared in ${MANAGERS[by]}. Change the agent there.`}>
      managed by {MANAGERS[by]}
    </Status>
  );
}
