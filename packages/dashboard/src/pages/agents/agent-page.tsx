import { useState } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isPinned, useAgentId, useVersion, type Declared } from '../../data/agents.ts';
import { deleteAgent } from '../../data/agent-writes.ts';
import { Actor } from '../../ui/actor.tsx';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { lastFilters } from '../../data/last-filters.ts';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentContentView } from './agent-content.tsx';
import { Embed } from './embed.tsx';
import { AgentForm } from './agent-form.tsx';
import { AgentFrame, type OnRelease } from './agent-frame.tsx';
import { VersionAction } from './version-action.tsx';

/**
 * Shows the content of the agent: either the current declaration, which can be edited, or one version (`?version=`).
 */
export function AgentPage() {
  const [{ version, edit }, set] = useFilters();
  return (
    <AgentFrame tab="Prompt">
      {(declared, onRelease) => {
        if (version !== undefined) {
          return (
            <ContentOfVersion
              agent={declared.agent}
              version={Number(version)}
              onRelease={onRelease}
            />
          );
        }
        const isOurs = declared.agent.managed_by === 'api';
        return isOurs && edit !== undefined ? (
          <AgentForm
            declared={declared}
            isForWidget={edit === 'widget'}
            onClose={() => set({ edit: undefined })}
          />
        ) : (
          <DeclaredContent declared={declared} onEdit={() => set({ edit: '1' })} />
        );
      }}
    </AgentFrame>
  );
}

function DeclaredContent({ declared, onEdit }: { declared: Declared; onEdit: () => void }) {
  const { agent } = declared;
  // If a manifest takes the prompt from a ConfigMap, the agent does not contain the prompt, but its latest version
  // does.
  const { data } = useVersion(agent.id, agent.prompt === null ? agent.latest_version : null);
  return (
    <>
      <div className="spread">
        {agent.managed_by === 'api' ? (
          <p className="muted small">
            <WhatIsShown agent={agent} />
          </p>
        ) : (
          <OwnedElsewhere agent={agent} />
        )}
        {agent.managed_by === 'api' ? (
          <ActButton needs="write" onClick={onEdit}>
            Change
          </ActButton>
        ) : null}
      </div>
      <AgentContentView
        agentId={agent.id}
        content={{ ...agent, prompt: agent.prompt ?? data?.content.prompt ?? '' }}
      >
        <Embed agent={agent} />
      </AgentContentView>
      {agent.managed_by === 'api' ? <DeleteAgent declared={declared} /> : null}
    </>
  );
}

/**
 * Says when saved changes go live. If the live version differs from the content shown, links to the live version
 * instead.
 */
function WhatIsShown({ agent }: { agent: Declared['agent'] }) {
  const { active_version: live, latest_version: latest } = agent;
  if (!isPinned(agent) && agent.publish_policy === 'automatic')
    return 'Saved changes go live immediately.';
  if (!isPinned(agent) && agent.publish_policy === 'progressive')
    return 'Saved changes begin a rollout.';
  if (live === null || live === latest) return 'Saved changes wait until somebody publishes them.';
  return (
    <>
      This is the last saved content.{' '}
      <Link to="/agents/$agentId" params={{ agentId: agent.id }} search={{ version: String(live) }}>
        Version {live} is live
      </Link>
      .
    </>
  );
}

/** Says where the agent is managed, because it can only be changed there. */
function OwnedElsewhere({ agent }: { agent: Declared['agent'] }) {
  const { data } = useVersion(agent.id, agent.latest_version);
  return (
    <p className="small">
      Declared by {data ? <Actor actor={data.created_by} /> : agent.managed_by} and read-only here.
      Change it there, or pin one of its versions, which then stays live.
    </p>
  );
}

function ContentOfVersion({
  agent,
  version,
  onRelease,
}: {
  agent: Declared['agent'];
  version: number;
  onRelease: OnRelease;
}) {
  const { data, error, refetch } = useVersion(useAgentId(), version);
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="muted">Loading</p>;
  return (
    <>
      <div className="spread">
        <p>
          <strong>Version {version}</strong>{' '}
          <span className="muted small">
            created by <Actor actor={data.created_by} />, <Time at={data.created} />
          </span>
        </p>
        <div className="row">
          <VersionAction agent={agent} version={version} onRelease={onRelease} />
          <ButtonLink to="/agents/$agentId" params={{ agentId: agent.id } as never}>
            Show the current content
          </ButtonLink>
        </div>
      </div>
      <AgentContentView agentId={agent.id} content={data.content} />
    </>
  );
}

function DeleteAgent({ declared }: { declared: Declared }) {
  const [isAsked, setIsAsked] = useState(false);
  const navigate = useNavigate();
  const toast = useToast();
  const queryClient = useQueryClient();
  const { name } = declared.agent;
  const deletion = useMutation({
    mutationFn: () => deleteAgent(declared),
    onSuccess: async () => {
      toast({ text: `Deleted ${name}` });
      await navigate({ to: '/agents', search: lastFilters('/agents') });
      void queryClient.invalidateQueries({ queryKey: ['agents'] });
    },
    onError: () => void queryClient.invalidateQueries({ queryKey: ['agents'] }),
  });
  return (
    <p>
      <ActButton needs="write" kind="quiet" onClick={() => setIsAsked(true)}>
        Delete this agent…
      </ActButton>
      <Confirm
        title={`Delete ${name}`}
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        action="Delete the agent"
        typed={name}
        act={() => deletion.mutateAsync()}
      >
        <p>
          No new conversations can start with this agent. Past conversations stay readable. This
          can’t be undone.
        </p>
      </Confirm>
    </p>
  );
}
