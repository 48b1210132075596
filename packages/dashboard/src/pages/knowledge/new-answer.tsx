import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { readGap, showGap, type Gap, type GapDetail } from '../../data/knowledge.ts';
import { useAgentNames } from '../../data/names.ts';
import { fieldError, isCode, ok, parley } from '../../data/parley.ts';
import { ActButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Field } from '../../ui/field.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

const ANSWER_MAX = 8_000;

/** Answers an open gap for its agent, and for other agents that were asked the same question. */
export function NewAnswer({ gap, others }: { gap: Gap; others: readonly Gap[] }) {
  const [answer, setAnswer] = useState('');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [asksToClose, setAsksToClose] = useState(false);
  const queryClient = useQueryClient();
  const toast = useToast();
  const all = [gap, ...others];
  const chosen = all.filter(({ id }) => !left.has(id));

  const resolve = async (body: { answer?: string }): Promise<void> => {
    const done: GapDetail[] = [];
    try {
      for (const { id } of chosen) done.push(await resolveOne(id, body));
    } finally {
      for (const one of done) showGap(queryClient, one);
    }
  };
  const answering = useMutation({
    mutationFn: () => resolve({ answer }),
    onSuccess: () => toast({ text: 'The answer is active. Ask again to check that it is found' }),
    onError: async (error) => {
      // If somebody else answered first, shows their answer.
      if (isCode(error, 'gap_resolved')) showGap(queryClient, await readGap(gap.id));
    },
  });
  return (
    <section className="card stack">
      <h2>Answer</h2>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          answering.mutate();
        }}
      >
        <Field
          label="What the agent should reply"
          hint="Search matches the words of both the question and the answer. The answer takes effect immediately."
          error={fieldError(answering.error, '/answer')}
        >
          {(control) => (
            <textarea
              {...control}
              rows={6}
              maxLength={ANSWER_MAX}
              value={answer}
              onChange={({ target }) => setAnswer(target.value)}
            />
          )}
        </Field>
        {others.length > 0 ? <Agents gaps={all} left={left} onChange={setLeft} /> : null}
        {answering.error ? <TroubleNote error={answering.error} /> : null}
        <div className="row">
          <ActButton
            type="submit"
            needs="write"
            kind="primary"
            isBusy={answering.isPending}
            disabled={answer.trim() === '' || chosen.length === 0}
          >
            Answer the question
          </ActButton>
          <ActButton
            needs="write"
            disabled={chosen.length === 0}
            onClick={() => setAsksToClose(true)}
          >
            Close without an answer…
          </ActButton>
        </div>
      </form>
      <Confirm
        title="Close without an answer?"
        isOpen={asksToClose}
        onClose={() => setAsksToClose(false)}
        action="Close the gap"
        act={() => resolve({})}
      >
        <p>The agent still has no answer. If the question is asked again, it becomes a new gap.</p>
      </Confirm>
    </section>
  );
}

function resolveOne(id: string, body: { answer?: string }): Promise<GapDetail> {
  const params = { path: { id } };
  return ok(parley.POST('/v1/knowledge/gaps/{id}/resolve', { params, body }));
}

function Agents({
  gaps,
  left,
  onChange,
}: {
  gaps: readonly Gap[];
  left: ReadonlySet<string>;
  onChange: (left: ReadonlySet<string>) => void;
}) {
  const names = useAgentNames();
  return (
    <fieldset className="choices">
      <legend>Apply to these agents, which were asked the same question</legend>
      {gaps.map(({ id, agent_id: agentId, count }) => (
        <label key={id} className="check">
          <input
            type="checkbox"
            checked={!left.has(id)}
            onChange={({ target }) => {
              const next = new Set(left);
              if (target.checked) next.delete(id);
              else next.add(id);
              onChange(next);
            }}
          />
          {names.get(agentId) ?? agentId}{' '}
          <span className="muted small">asked {count === 1 ? 'once' : `${count} times`}</span>
        </label>
      ))}
    </fieldset>
  );
}
