import { useLocation, useParams } from '@tanstack/react-router';
import { useConversation, useTranscript } from '../../data/conversations.ts';
import { useAgentNames } from '../../data/names.ts';
import { Transcript } from '../../transcript/transcript.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Page, ReadPage } from '../../ui/page.tsx';
import { WithPanel } from '../../ui/panel.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { ConversationFacts } from './conversation-facts.tsx';
import { EraseConversation } from './erase-conversation.tsx';
import { ExportTranscript } from './export-transcript.tsx';
import { Neighbors } from './neighbors.tsx';
import { WhatFollowed } from './what-followed.tsx';
import { ConversationState } from './conversation-state.tsx';
import './conversations.css';

export function ConversationPage() {
  const { conversationId } = useParams({ strict: false }) as { conversationId: string };
  return (
    <ReadPage title="Conversation">
      <OneConversation key={conversationId} conversationId={conversationId} />
    </ReadPage>
  );
}

function OneConversation({ conversationId }: { conversationId: string }) {
  const conversation = useConversation(conversationId);
  const transcript = useTranscript(conversationId);
  const names = useAgentNames();
  const found = useLocation({ select: ({ hash }) => turnIn(hash) });
  const error = conversation.error ?? transcript.error;
  const { data } = conversation;
  const title = `Conversation ${data?.user_id ?? conversationId.slice(-6)}`;
  return (
    <Page
      title={title}
      heading={
        <span className="row">
          {title} <CopyId id={conversationId} />
          {data ? <ConversationState conversation={data} /> : null}
        </span>
      }
      back={{ to: '/conversations', name: 'Conversations' }}
      actions={
        data ? (
          <>
            <Neighbors id={conversationId} />
            <ExportTranscript id={conversationId} />
            <EraseConversation id={conversationId} isOver={data.ended_at !== null} />
          </>
        ) : null
      }
    >
      {error ? (
        <TroubleNote
          error={error}
          onRetry={() => {
            void conversation.refetch();
            void transcript.refetch();
          }}
        />
      ) : null}
      {data && transcript.data ? (
        <WithPanel
          label="About this conversation"
          panel={
            <>
              <ConversationFacts conversation={data} />
              <WhatFollowed conversation={data} />
            </>
          }
        >
          <Transcript
            turns={transcript.data.turns}
            startedAt={data.started_at}
            userName={data.user_id}
            agentName={names.get(data.agent_id)}
            found={found}
          />
        </WithPanel>
      ) : error ? null : (
        <p className="muted" role="status">
          Loading the transcript…
        </p>
      )}
    </Page>
  );
}

/**
 * Returns the index of the turn that the URL fragment names, such as 12 for `turn-12`, or undefined if there is none.
 */
function turnIn(hash: string): number | undefined {
  const index = /^turn-(\d+)$/.exec(hash)?.[1];
  return index === undefined ? undefined : Number(index);
}
