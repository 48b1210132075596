import { useConversation } from '../../data/conversations.ts';
import type { Escalation } from '../../data/escalations.ts';
import { Actor } from '../../ui/actor.tsx';
import { Status } from '../../ui/status.tsx';
import { durationText, Time, useNowSec, Waiting } from '../../ui/time.tsx';
import { LABELS } from './escalation-words.ts';

/** Remaining waiting time in seconds below which a countdown appears. */
const NEAR_SEC = 60;

/**
 * Describes the state of an escalation in a sentence: how long the user has waited, who accepted and when, or how the
 * escalation ended.
 */
export function StateNote({ escalation, isMine }: { escalation: Escalation; isMine: boolean }) {
  return (
    <p role="status" className="small">
      <Status tone={LABELS[escalation.status].tone}>{LABELS[escalation.status].name}</Status>{' '}
      <Words escalation={escalation} isMine={isMine} />
    </p>
  );
}

function Words({ escalation, isMine }: { escalation: Escalation; isMine: boolean }) {
  const { status, accepted_by: by, finished_at: finishedAt } = escalation;
  switch (status) {
    case 'requested':
      return <WaitingWords escalation={escalation} />;
    case 'accepted':
      return (
        <>
          {isMine ? 'You' : <strong>{by?.name}</strong>} accepted the escalation{' '}
          <Time at={escalation.accepted_at} inText />, after a wait of{' '}
          {durationText(escalation.wait_sec ?? 0)}.
          {isMine ? ' The agent is silent until you give the conversation back.' : ''}
        </>
      );
    case 'declined':
      return (
        <>
          Declined <Time at={finishedAt} inText />, so the agent continued.
        </>
      );
    case 'timed_out':
      return (
        <>
          Nobody accepted the escalation in time, so the agent continued{' '}
          <Time at={finishedAt} inText />.
          {escalation.reviewed_by === null ? null : (
            <>
              {' '}
              Seen by <Actor actor={escalation.reviewed_by} />, <Time at={escalation.reviewed_at} />
              .
            </>
          )}
        </>
      );
    case 'completed':
      return <CompletedWords escalation={escalation} />;
    case 'canceled':
      return (
        <>
          The conversation ended <Time at={finishedAt} inText />, before anybody accepted the
          escalation.
        </>
      );
    default:
      return status satisfies never;
  }
}

/** Says that the human agent gave the conversation back to the AI agent, or that the conversation ended before that. */
function CompletedWords({ escalation }: { escalation: Escalation }) {
  const { accepted_by: by, finished_at: finishedAt } = escalation;
  const { data: conversation } = useConversation(escalation.conversation_id);
  const who = by?.name ?? 'Somebody';
  const endedAt = conversation?.ended_at ?? null;
  const isByEnd = endedAt !== null && finishedAt !== null && endedAt - finishedAt <= 1;
  return isByEnd ? (
    <>
      The conversation ended <Time at={finishedAt} inText />, while {who} handled it
      {conversation?.outcome ? `: ${conversation.outcome}` : ''}.
    </>
  ) : (
    <>
      {who} gave the conversation back to the agent <Time at={finishedAt} inText />.
    </>
  );
}

function WaitingWords({ escalation }: { escalation: Escalation }) {
  const leftSec = escalation.times_out_at - useNowSec();
  return (
    <>
      The user has been waiting for <Waiting at={escalation.requested_at} />.{' '}
      {leftSec > NEAR_SEC ? (
        <span className="muted">
          The agent continues <Time at={escalation.times_out_at} inText /> if nobody accepts.
        </span>
      ) : (
        <strong className="escalation-near">
          {leftSec > 0
            ? `The agent continues in ${durationText(leftSec)}.`
            : 'Nobody accepted in time.'}
        </strong>
      )}
    </>
  );
}
