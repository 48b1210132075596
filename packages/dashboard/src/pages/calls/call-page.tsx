import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranscript } from '../../data/conversations.ts';
import { useAgentNames } from '../../data/names.ts';
import { ok, parley, type ItemOf } from '../../data/parley.ts';
import { Transcript } from '../../transcript/transcript.tsx';
import { AgentLink } from '../../ui/agent-link.tsx';
import { ActButton } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Page, ReadPage, UnreadPage } from '../../ui/page.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { Thing } from '../../ui/thing.tsx';
import { durationText, Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';
import { CallStatus } from './call-status.tsx';

type CallOf = ItemOf<'/v1/calls'>;

const BACK = { to: '/calls', name: 'Calls' };

export function CallPage() {
  return (
    <ReadPage title="Call" back={BACK}>
      <Call />
    </ReadPage>
  );
}

function Call() {
  const { callId } = useParams({ strict: false }) as { callId: string };
  const [isEnding, setEnding] = useState(false);
  const queryClient = useQueryClient();
  const toast = useToast();
  const params = { path: { id: callId } };
  const query = useQuery({
    queryKey: ['calls', callId],
    queryFn: ({ signal }) => ok(parley.GET('/v1/calls/{id}', { params, signal })),
  });
  const call = query.data;
  if (!call) return <UnreadPage title="Call" back={BACK} query={query} />;
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
      <WithPanel label="About this call" startsOpen panel={<Facts call={call} />}>
        {call.conversation_id ? (
          <Said call={call} conversationId={call.conversation_id} />
        ) : (
          <p className="card muted">Nobody answered, so nothing was said.</p>
        )}
        <Pairs name="Metadata" value={call.metadata} />
        <Pairs name="Variables" value={call.variables} />
      </WithPanel>
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

/** Shows the transcript. The time of each turn is counted from the moment when the call was answered. */
function Said({ call, conversationId }: { call: CallOf; conversationId: string }) {
  const { data, error, refetch } = useTranscript(conversationId);
  const names = useAgentNames();
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <p role="status">Loading…</p>;
  return (
    <Transcript
      turns={data.turns}
      startedAt={call.answered_at ?? call.created}
      userName={call.user_id}
      agentName={names.get(call.agent_id)}
    />
  );
}

function Pairs({ name, value }: { name: string; value: object }) {
  if (Object.keys(value).length === 0) return null;
  return (
    <section className="stack-small">
      <h2>{name}</h2>
      <Json value={value} label={name} />
    </section>
  );
}

function Facts({ call }: { call: CallOf }) {
  return (
    <dl className="facts card">
      <dt>Status</dt>
      <dd>
        <CallStatus call={call} />{' '}
        <span className="muted">{call.ended_reason?.replaceAll('_', ' ')}</span>
      </dd>
      <dt>Conversation</dt>
      <dd>{call.conversation_id ? <Thing id={call.conversation_id} /> : 'none (not answered)'}</dd>
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
      <dt>Duration</dt>
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
  );
}
