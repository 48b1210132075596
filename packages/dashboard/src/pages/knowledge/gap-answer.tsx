import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readGap, showGap, type Gap } from '../../data/knowledge.ts';
import { fieldError, ok, parley, troubleOf } from '../../data/parley.ts';
import { ActButton, Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

export function GapAnswer({ gap }: { gap: Gap }) {
  const [isChanging, setIsChanging] = useState(false);
  const withdrawing = useWithdraw(gap);
  return (
    <section className="card stack">
      <h2>Answer</h2>
      {isChanging ? (
        <ChangeAnswer gap={gap} onDone={() => setIsChanging(false)} />
      ) : (
        <>
          {gap.answer === null ? (
            <p className="muted">This gap was closed without an answer.</p>
          ) : (
            <p className="preserved">{gap.answer}</p>
          )}
          <div className="row">
            <ActButton needs="write" onClick={() => setIsChanging(true)}>
              {gap.answer === null ? 'Give an answer' : 'Change the answer'}
            </ActButton>
            {gap.answer === null ? null : (
              <ActButton
                needs="write"
                isBusy={withdrawing.isPending}
                onClick={() => withdrawing.mutate()}
              >
                Withdraw the answer
              </ActButton>
            )}
          </div>
        </>
      )}
    </section>
  );
}

function ChangeAnswer({ gap, onDone }: { gap: Gap; onDone: () => void }) {
  const [began] = useState(gap.answer);
  const [answer, setAnswer] = useState(gap.answer ?? '');
  const queryClient = useQueryClient();
  const toast = useToast();
  const changing = useMutation({
    mutationFn: () => {
      const params = { path: { id: gap.id } };
      return ok(parley.PATCH('/v1/knowledge/gaps/{id}', { params, body: { answer } }));
    },
    onSuccess: (changed) => {
      showGap(queryClient, changed);
      toast({ text: 'The new answer is active' });
      onDone();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        changing.mutate();
      }}
    >
      {gap.answer === began ? null : (
        <p role="alert" className="card small">
          Somebody else has changed the answer to: <q>{gap.answer ?? 'none'}</q>{' '}
          <Button size="small" onClick={() => setAnswer(gap.answer ?? '')}>
            Take theirs
          </Button>
        </p>
      )}
      <Field label="What the agent should reply" error={fieldError(changing.error, '/answer')}>
        {(control) => (
          <textarea
            {...control}
            rows={6}
            maxLength={8_000}
            value={answer}
            onChange={({ target }) => setAnswer(target.value)}
          />
        )}
      </Field>
      {changing.error ? <TroubleNote error={changing.error} /> : null}
      <div className="row">
        <Button
          type="submit"
          kind="primary"
          isBusy={changing.isPending}
          disabled={answer.trim() === '' || answer === gap.answer}
        >
          Save the answer
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

/** Withdraws the answer. Undo stores the same answer again. */
function useWithdraw(gap: Gap) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const fail = (error: unknown): void => toast({ text: troubleOf(error).detail, tone: 'bad' });
  const params = { path: { id: gap.id } };
  const giveAgain = async (answer: string): Promise<void> => {
    const now = await readGap(gap.id);
    const given =
      now.status === 'open'
        ? parley.POST('/v1/knowledge/gaps/{id}/resolve', { params, body: { answer } })
        : parley.PATCH('/v1/knowledge/gaps/{id}', { params, body: { answer } });
    showGap(queryClient, await ok(given));
  };
  return useMutation({
    mutationFn: async () => {
      const { answer } = gap;
      await ok(parley.DELETE('/v1/knowledge/gaps/{id}/answer', { params }));
      return { answer, now: await readGap(gap.id) };
    },
    onSuccess: ({ answer, now }) => {
      showGap(queryClient, now);
      toast({
        text: 'The answer is withdrawn',
        ...(answer !== null && { undo: () => void giveAgain(answer).catch(fail) }),
      });
    },
    onError: fail,
  });
}
