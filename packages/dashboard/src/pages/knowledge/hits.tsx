import { Fragment } from 'react';
import { Link } from '@tanstack/react-router';
import { isUsed, type Answering, type Hit } from '../../data/knowledge.ts';
import { useSourceNames } from '../../data/names.ts';
import { decimal } from '../../ui/figure.tsx';
import { Status } from '../../ui/status.tsx';

/** Lists the passages found, best first. A line separates those that the agent would use from the others. */
export function Hits({
  hits,
  answering,
  answerId,
}: {
  hits: readonly Hit[];
  answering: Answering;
  /** ID of the gap whose answer is highlighted. */
  answerId?: string;
}) {
  const used = hits.filter((hit, rank) => isUsed(answering, hit, rank)).length;
  if (hits.length === 0)
    return <p className="card muted">No passage contains any of these words.</p>;
  return (
    <ol className="hits" aria-label="Passages, best first">
      {hits.map((hit, rank) => (
        <Fragment key={hit.chunk_id}>
          {rank === used ? <UsedLine hit={hit} used={used} answering={answering} /> : null}
          <HitItem hit={hit} isAnswer={hit.source_id === answerId} isUsed={rank < used} />
        </Fragment>
      ))}
      {used === hits.length ? <UsedLine used={used} answering={answering} /> : null}
    </ol>
  );
}

function UsedLine({ hit, used, answering }: { hit?: Hit; used: number; answering: Answering }) {
  const { minScore, topK } = answering;
  const isFull = hit !== undefined && hit.score >= minScore;
  return (
    <li className="hits-line small">
      {used === 0 ? 'An answer would use none of these passages' : '↑ Used in an answer'}
      {isFull ? ` (at most ${topK} passages)` : ` (minimum score ${minScore})`}
    </li>
  );
}

function HitItem({
  hit,
  isAnswer,
  isUsed: used,
}: {
  hit: Hit;
  isAnswer: boolean;
  isUsed: boolean;
}) {
  return (
    <li className={used ? 'hit' : 'hit hit-unused'}>
      <div className="hit-score">
        <strong className="numeric">{decimal(hit.score, 2)}</strong>
        <span className="hit-bar" aria-hidden="true">
          <span style={{ width: `${hit.score * 100}%` }} />
        </span>
      </div>
      <div className="stack-small">
        <p className="spread small">
          <strong>{hit.heading}</strong>
          <span className="row">
            {isAnswer ? <Status tone="ok">this answer</Status> : null}
            <HitOrigin sourceId={hit.source_id} />
          </span>
        </p>
        <p className="preserved">{unwrapped(hit.text)}</p>
        <p className="muted small">{whyIn(hit)}</p>
      </div>
    </li>
  );
}

/** Explains the score: which words of the question the passage contains, and which it does not. */
function whyIn({ why: { matched, missing, likeness } }: Hit): string {
  const has = matched.map(
    ({ word, as, in: place }) =>
      `${word}${as === word ? '' : ` (as ${as})`}${place === 'text' ? '' : ', in the heading'}`,
  );
  return [
    has.length > 0 ? `Contains ${has.join('; ')}.` : '',
    missing.length > 0 ? `Does not contain ${missing.join(', ')}.` : '',
    likeness === null ? '' : `Heading similarity: ${decimal(likeness, 2)}.`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function HitOrigin({ sourceId }: { sourceId: string }) {
  const names = useSourceNames();
  if (sourceId.startsWith('gap_')) {
    return <Link to={`/knowledge/gaps/${sourceId}`}>answer to a gap</Link>;
  }
  return <Link to={`/knowledge/sources/${sourceId}`}>{names.get(sourceId) ?? 'source'}</Link>;
}

/** Joins lines that were wrapped at a fixed width. Lists and tables keep their line breaks. */
function unwrapped(text: string): string {
  return text.replaceAll(/(?<=[^\n|])\n(?=[\p{L}"'(])/gu, ' ');
}
