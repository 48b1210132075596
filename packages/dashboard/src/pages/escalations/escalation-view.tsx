import { useState } from 'react';
import {
  customerOf,
  reasonText,
  useEscalation,
  useReview,
  useSelf,
  type Escalation,
} from '../../data/escalations.ts';
import { ActButton } from '../../ui/button.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { useComplete, useDecline, type Accepting } from './acts.ts';
import { CustomerPanel } from './customer-panel.tsx';
import { ReleaseDialog } from './release-dialog.tsx';
import { EndDialog } from './end-dialog.tsx';
import { HandOverNote } from './hand-over-note.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Notes } from './notes.tsx';
import { StateNote } from './state-note.tsx';
import { Talk } from './talk.tsx';

export function EscalationView({
  id,
  accepting,
  takesFocus,
  onTaken,
}: {
  id: string;
  accepting: Accepting;
  takesFocus: boolean;
  /** Called when the signed-in person has undone a completion. Receives the ID of the new escalation. */
  onTaken: (id: string) => void;
}) {
  const { data: escalation, error, refetch } = useEscalation(id);
  if (error && !escalation) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (!escalation) return <p role="status">Loading…</p>;
  return <Found {...{ escalation, accepting, takesFocus, onTaken }} />;
}

function Found({
  escalation,
  accepting,
  takesFocus,
  onTaken,
}: {
  escalation: Escalation;
  accepting: Accepting;
  takesFocus: boolean;
  onTaken: (id: string) => void;
}) {
  const self = useSelf();
  useReview(escalation);
  const isMine = escalation.status === 'accepted' && escalation.accepted_by?.id === self.id;
  return (
    <>
      <header className="escalation-head stack-small">
        <div className="spread">
          <h2>
            {customerOf(escalation)} · {reasonText(escalation.reason)}
          </h2>
          <Acts escalation={escalation} isMine={isMine} accepting={accepting} onTaken={onTaken} />
        </div>
        <StateNote escalation={escalation} isMine={isMine} />
        <HandOverNote escalation={escalation} />
        <Notes escalation={escalation} />
      </header>
      <CustomerPanel escalation={escalation} />
      <Talk escalation={escalation} isMine={isMine} takesFocus={takesFocus} />
    </>
  );
}

function Acts({
  escalation,
  isMine,
  accepting,
  onTaken,
}: {
  escalation: Escalation;
  isMine: boolean;
  accepting: Accepting;
  onTaken: (id: string) => void;
}) {
  const declining = useDecline();
  const completing = useComplete(onTaken);
  const [asks, setAsks] = useState<'decline' | 'complete' | 'release' | 'end' | null>(null);
  const { id, status } = escalation;
  const close = (): void => setAsks(null);
  if (status !== 'requested' && status !== 'accepted') return null;
  return (
    <div className="row">
      {status === 'requested' ? (
        <>
          <ActButton
            needs="write"
            kind="primary"
            isBusy={accepting.isPending}
            onClick={() => accepting.mutate(id)}
          >
            Accept
          </ActButton>
          <ActButton needs="write" onClick={() => setAsks('decline')}>
            Decline
          </ActButton>
        </>
      ) : (
        <ActButton
          needs="write"
          isBusy={completing.isPending}
          onClick={() => (isMine ? completing.mutate(id) : setAsks('complete'))}
        >
          Give back to the agent
        </ActButton>
      )}
      {status === 'accepted' ? (
        <ActButton needs="write" onClick={() => setAsks('release')}>
          Pass to somebody else…
        </ActButton>
      ) : null}
      <ActButton needs="write" onClick={() => setAsks('end')}>
        End the conversation…
      </ActButton>
      <Confirm
        title="Leave the conversation to the agent?"
        isOpen={asks === 'decline'}
        onClose={close}
        action="Decline"
        act={() => declining.mutateAsync(id)}
      >
        <p>The user sees that nobody is available, and the agent continues.</p>
      </Confirm>
      <Confirm
        title="Give the conversation back to the agent?"
        isOpen={asks === 'complete'}
        onClose={close}
        action="Give back to the agent"
        act={() => completing.mutateAsync(id)}
      >
        <p>{escalation.accepted_by?.name} is talking to this user and will be disconnected.</p>
      </Confirm>
      {asks === 'release' ? <ReleaseDialog escalation={escalation} onClose={close} /> : null}
      <EndDialog escalation={escalation} isOpen={asks === 'end'} onClose={close} />
    </div>
  );
}
