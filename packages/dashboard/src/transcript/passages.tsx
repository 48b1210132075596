import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Turn } from '../data/conversations.ts';
import { useSourceNames } from '../data/names.ts';
import { isCode, ok, parley } from '../data/parley.ts';
import { shortId } from '../ui/copy-id.tsx';
import { counted, decimal } from '../ui/figure.tsx';
import { DocumentLink } from './document-link.tsx';
import { TroubleNote } from '../ui/trouble.tsx';

type Retrieval = NonNullable<Turn['retrieval']>;
type Passage = Retrieval['chunks'][number];

/** Shows the passages found for a turn: those used in the answer and those only considered. */
export function Passages({ retrieval, isOpen }: { retrieval: Retrieval; isOpen: boolean }) {
  const { chunks, considered = [], query } = retrieval;
  const found = chunks.length + considered.length;
  return (
    <details className="passages" open={isOpen}>
      <summary>
        {found === 0
          ? 'Nothing found'
          : chunks.length === 0
            ? `The answer uses none of ${counted(found, 'passage')}`
            : `The answer uses ${chunks.length} of ${counted(found, 'passage')}`}
      </summary>
      <p className="muted">
        Query: <q>{query}</q>
      </p>
      <ul>
        {chunks.map((passage) => (
          <PassageItem key={passage.chunk_id} passage={passage} isUsed />
        ))}
        {considered.map((passage) => (
          <PassageItem key={passage.chunk_id} passage={passage} />
        ))}
      </ul>
    </details>
  );
}

/** Loads the text of the passage when it is opened. */
function PassageItem({ passage, isUsed }: { passage: Passage; isUsed?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const names = useSourceNames();
  const { source_id: sourceId, chunk_id: chunkId, score } = passage;
  const isAnswer = sourceId.startsWith('gap_');
  return (
    <li>
      <details
        className={isUsed ? 'passage passage-used' : 'passage'}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>
          <span className="passage-use">{isUsed ? 'used' : 'considered'}</span>{' '}
          <span className="passage-source">
            {isAnswer ? 'answer to a gap' : (names.get(sourceId) ?? shortId(sourceId))}
          </span>{' '}
          <span
            className="numeric passage-score"
            title="Share of the question that the passage covers, 0 to 1"
          >
            {decimal(score, 2)}
          </span>
        </summary>
        <p>
          <Link to={isAnswer ? `/knowledge/gaps/${sourceId}` : `/knowledge/sources/${sourceId}`}>
            {isAnswer ? 'Go to the gap' : 'Go to the source'}
          </Link>
        </p>
        {isOpen ? <PassageText id={chunkId} /> : null}
      </details>
    </li>
  );
}

function PassageText({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['sources', 'chunk', id],
    queryFn: async ({ signal }) =>
      ok(parley.GET('/v1/knowledge/chunks/{id}', { params: { path: { id } }, signal })),
  });
  if (isCode(error, 'not_found')) {
    return (
      <p className="muted">
        This passage no longer exists, because the source has been synced since.
      </p>
    );
  }
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <p className="muted">Loading…</p>;
  const title = data.document_title || data.path;
  return (
    <>
      {title ? (
        <p className="muted">
          <DocumentLink title={title} url={data.url} />
        </p>
      ) : null}
      <blockquote className="preserved">
        {data.heading ? <strong>{data.heading}</strong> : null}
        {data.heading ? '\n' : ''}
        {data.text}
      </blockquote>
    </>
  );
}
