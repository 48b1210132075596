import { useId, useState } from 'react';
import {
  useAnswering,
  useHits,
  isUsed,
  QUESTION_MAX,
  type Gap,
  type Hit,
} from '../../data/knowledge.ts';
import { Button } from '../../ui/button.tsx';
import { decimal } from '../../ui/figure.tsx';
import { Status } from '../../ui/status.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { Hits } from './hits.tsx';

/** Searches again for the question of a gap, in the same or different words, to show what the agent would find now. */
export function Asked({ gap }: { gap: Gap }) {
  const [text, setText] = useState(gap.question);
  const [question, setQuestion] = useState(gap.question);
  const id = useId();
  const answering = useAnswering(gap.agent_id);
  const { data: hits, error, isFetching, refetch } = useHits(question, { agentId: gap.agent_id });
  const ask = (): void => {
    if (text === question) void refetch();
    setQuestion(text.trim());
  };
  return (
    <section className="stack-small" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {gap.status === 'open' ? 'Closest passages' : 'Passages found now'}
      </h2>
      <form
        className="asking"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <label htmlFor={id} className="unseen">
          Question
        </label>
        <input
          id={id}
          value={text}
          maxLength={QUESTION_MAX}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" isBusy={isFetching} disabled={text.trim() === ''}>
          Ask again
        </Button>
      </form>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {hits && gap.answer !== null ? (
        <Verdict
          gap={gap}
          hits={hits}
          minScore={answering.minScore}
          isFound={(hit, rank) => isUsed(answering, hit, rank)}
        />
      ) : null}
      {hits ? <Hits hits={hits} answering={answering} answerId={gap.id} /> : null}
    </section>
  );
}

function Verdict({
  gap,
  hits,
  minScore,
  isFound,
}: {
  gap: Gap;
  hits: readonly Hit[];
  minScore: number;
  isFound: (hit: Hit, rank: number) => boolean;
}) {
  const rank = hits.findIndex(({ source_id: sourceId }) => sourceId === gap.id);
  const hit = hits[rank];
  return (
    <p role="status">
      {hit && isFound(hit, rank) ? (
        <>
          <Status tone="ok">Found</Status> The answer is passage {rank + 1} of {hits.length}, with a
          score of {decimal(hit.score, 2)}; the agent’s minimum score is {decimal(minScore, 2)}.
        </>
      ) : (
        <>
          <Status tone="bad">Not found</Status>{' '}
          {hit
            ? `The answer has a score of ${decimal(hit.score, 2)}; the agent’s minimum score is ${decimal(minScore, 2)}.`
            : 'The answer contains none of the words in this question.'}
        </>
      )}
    </p>
  );
}
