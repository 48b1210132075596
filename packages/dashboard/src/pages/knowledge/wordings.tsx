import { Link } from '@tanstack/react-router';
import { useGapCheck, type GapDetail } from '../../data/knowledge.ts';
import { count, decimal } from '../../ui/figure.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

/** Lists the wordings of a gap, and whether each one has an answer now. */
export function Wordings({ gap }: { gap: GapDetail }) {
  const { data: check, error, refetch } = useGapCheck(gap.id);
  const answered = new Map(check?.questions.map((one) => [one.question, one.answered]));
  const missed = check?.questions.filter((one) => !one.answered).length ?? 0;
  if (gap.questions.length === 0) return null;
  return (
    <section className="stack-small" aria-label="Asked in these words">
      <h2>Asked in these words</h2>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {check ? <p role="status">{verdictOf(gap, missed)}</p> : null}
      <ul className="stack-small">
        {gap.questions.map(({ text, count: asked, last_asked_at: at }) => (
          <li key={text}>
            <q>{text}</q>{' '}
            <span className="muted small numeric">
              {asked === 1 ? 'once' : `${count(asked)} times`}, last <Time at={at} />
            </span>{' '}
            {answered.get(text) === true ? <Status tone="ok">answered</Status> : null}
            {answered.get(text) === false ? <Status tone="warn">not found</Status> : null}
          </li>
        ))}
      </ul>
      <CloseThen gap={gap} />
    </section>
  );
}

function verdictOf({ status, questions }: GapDetail, missed: number): string {
  const all = questions.length;
  if (status === 'open')
    return missed === 0
      ? 'Content that was indexed after the question was asked now answers it.'
      : 'Nothing answers the question yet.';
  if (missed === 0) return 'All wordings have an answer.';
  return `No answer for ${missed} of ${all} wordings.`;
}

/** Shows the passages that matched best when the question was first asked. */
function CloseThen({ gap: { closest } }: { gap: GapDetail }) {
  if (closest.length === 0)
    return (
      <p className="muted small">No passage was close to the question when it was first asked.</p>
    );
  return (
    <details className="small">
      <summary>Closest passages when first asked</summary>
      <ol className="stack-small">
        {closest.map(({ chunk_id: id, source_id: source, heading, text, score }) => (
          <li key={id}>
            <span className="numeric">{decimal(score, 2)}</span>{' '}
            <Link
              to={
                source.startsWith('gap_')
                  ? `/knowledge/gaps/${source}`
                  : `/knowledge/sources/${source}`
              }
            >
              {heading ?? 'a deleted passage'}
            </Link>
            {text === null ? null : <p className="preserved muted">{text}</p>}
          </li>
        ))}
      </ol>
    </details>
  );
}
