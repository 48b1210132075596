import { useConversation, useTranscript } from '../../data/conversations.ts';
import type { Escalation } from '../../data/escalations.ts';
import { useCan } from '../../data/me.ts';
import { ParleyError } from '../../data/parley.ts';
import { Transcript } from '../../transcript/transcript.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Needing } from '../../ui/needing.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { draftOf, Reply } from './reply.tsx';
import { useSaying } from './saying.ts';

/** Shows the conversation live, with the reply box. */
export function Talk({
  escalation,
  isMine,
  takesFocus,
}: {
  escalation: Escalation;
  isMine: boolean;
  takesFocus: boolean;
}) {
  const { conversation_id: id } = escalation;
  const { data: conversation } = useConversation(id);
  const { data, error, refetch } = useTranscript(id);
  const saying = useSaying(escalation);
  const canWrite = useCan('write');
  // On a phone, the note and the actions are above the transcript and are needed first, so the view starts at the top.
  const startsAtEnd = isMine || !window.matchMedia('(max-width: 52rem)').matches;
  return (
    <>
      <div className="escalation-turns" tabIndex={0} role="group" aria-label="Conversation">
        {!error || data ? null : isErased(error) ? (
          <p className="muted">This conversation was erased.</p>
        ) : (
          <TroubleNote error={error} onRetry={() => void refetch()} />
        )}
        {data && conversation ? (
          <Transcript
            key={String(startsAtEnd)}
            turns={data.turns}
            startedAt={conversation.started_at}
            userName={conversation.user_id}
            startsAtEnd={startsAtEnd}
          />
        ) : null}
        <Unsent saying={saying} />
      </div>
      {isMine && canWrite ? (
        <Reply escalation={escalation} takesFocus={takesFocus} onSay={saying.say} />
      ) : (
        <Draft text={draftOf(escalation.id)} />
      )}
      {isMine && !canWrite ? <Needing scope="write">{null}</Needing> : null}
    </>
  );
}

/** Returns true if the error means that the conversation was erased. Its escalation is kept for the statistics. */
function isErased(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 404;
}

/** Shows the unsent reply if the escalation ended while somebody was writing. */
function Draft({ text }: { text: string }) {
  if (text.trim() === '') return null;
  return (
    <div className="escalation-draft stack-small">
      <p className="small muted">Not sent:</p>
      <Code text={text} label="Your unsent reply" wrap />
    </div>
  );
}

/** Shows replies that the user has not received yet. */
function Unsent({ saying }: { saying: ReturnType<typeof useSaying> }) {
  return saying.unsent.map(({ key, text, error }) => (
    <div key={key} className="escalation-unsent stack-small">
      <p className="preserved">{text}</p>
      {error ? (
        <>
          <TroubleNote error={error} onRetry={() => saying.again(key)} />
          <Button size="small" onClick={() => saying.forget(key)}>
            Discard
          </Button>
        </>
      ) : (
        <p className="small muted">Sending…</p>
      )}
    </div>
  ));
}
