import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ok, parley } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { ActButton } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { Thing } from '../../ui/thing.tsx';
import { durationText, Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';
import { CallStatus } from './call-status.tsx';

const BACK = { to: '/calls', name: 'Calls' };

export function CallPage() {
  return useCan('read') ? (
    <Call />
  ) : (
    <Page title="Call" back={BACK}>
      <Needing scope="read">{null}</Needing>
    </Page>
  );
}

function Call() {
  const { callId } = useParams({ strict: false }) as { callId: string };
  const [isEnding, setEnding] = useState(false);
  const queryClient = useQueryClient();
  const toast = useToast();
  const params = { path: { id: callId } };
  const {
    data: call,
    error,
    refetch,
  } = useQuery({
    queryKey: ['calls', callId],
    queryFn: ({ signal }) => ok(parley.GET('/v1/calls/{id}', { params, signal })),
  });
  if (error) {
    return (
      <Page title="Call" back={BACK}>
        <TroubleNote error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (!call)
    return (
      <Page title="Call" back={BACK}>
        {<p role="status">Loading…</p>}
      </Page>
    );
  const actions =
    call.ended_at === null ? (
      <ActButton needs="write" kind="danger" onClick={() => setEnding(true)}>
        Hang up
      </ActButton>
    ) : null;
  return (
    <Page
      title="Call"
      heading={`${call.from ?? call.provider} → ${call.to ?? 'agent'}`}
      actions={actions}
      back={BACK}
    >
      <dl className="facts card">
        <dt>Status</dt>
        <dd>
          <CallStatus call={call} />{' '}
          <span className="muted">{call.ended_reason?.replaceAll('_', ' ')}</span>
        </dd>
        <dt>Conversation</dt>
        <dd>
          {call.conversation_id ? <Thing id={call.conversation_id} /> : 'none (not answered)'}
        </dd>
        <dt>Agent</dt>
        <dd>
          <AgentLink id={call.agent_id} />
        </dd>
        <dt>Started</dt>
        <dd>
          <Time at={call.created} />
        </dd>
        <dt>Answered</dt>
        <dd>
          <Time at={call.answered_at} />
        </dd>
        <dt>Ended</dt>
        <dd>
          <Time at={call.ended_at} never="in progress" />
        </dd>
        <dt>Length</dt>
        <dd>{call.duration_sec === null ? '–' : durationText(call.duration_sec)}</dd>
        <dt>Provider</dt>
        <dd>
          {call.provider} <span className="muted mono">{call.provider_call_id}</span>
        </dd>
        {call.transfer && (
          <>
            <dt>Transferred</dt>
            <dd>
              {call.transfer.to ?? 'number erased'}{' '}
              <span className="muted">{call.transfer.status.replaceAll('_', ' ')}</span>
            </dd>
          </>
        )}
        <dt>User</dt>
        <dd>
          <CustomerLink userId={call.user_id} />
        </dd>
        <dt>ID</dt>
        <dd>
          <CopyId id={call.id} shown={call.id} />
        </dd>
      </dl>
      <div className="columns">
        <section className="stack-small">
          <h2>Metadata</h2>
          <Json value={call.metadata} label="Metadata" />
        </section>
        <section className="stack-small">
          <h2>Variables</h2>
          <Json value={call.variables} label="Variables" />
        </section>
      </div>
      <Confirm
        title="Hang up"
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        action="Hang up"
        act={async () => {
          await ok(parley.POST('/v1/calls/{id}/end', { params }));
          toast({ text: 'The call has ended' });
          await queryClient.invalidateQueries({ queryKey: ['calls'] });
        }}
      >
        <p>This hangs up and ends the conversation. It can’t be resumed.</p>
      </Confirm>
    </Page>
  );
}
