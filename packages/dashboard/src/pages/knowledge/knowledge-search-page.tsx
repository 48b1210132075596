import { useId, useState } from 'react';
import { useAnswering, useHits, QUESTION_MAX } from '../../data/knowledge.ts';
import { useAgentNames } from '../../data/names.ts';
import { Button } from '../../ui/button.tsx';
import { counted } from '../../ui/figure.tsx';
import { Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { Hits } from './hits.tsx';
import { KnowledgeFrame } from './knowledge-frame.tsx';

const HITS = 20;

/** Shows what an agent would find now for a question. */
export function KnowledgeSearchPage() {
  return (
    <KnowledgeFrame title="Search knowledge">
      <SearchForm />
      <Found />
    </KnowledgeFrame>
  );
}

function SearchForm() {
  const [{ q = '' }, set] = useFilters();
  const [text, setText] = useState(q);
  const names = useAgentNames();
  const id = useId();
  return (
    <form
      className="stack-small"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        set({ q: text.trim() });
      }}
    >
      <Filters>
        <SelectFilter
          name="agent"
          label="Search as agent"
          any="all sources"
          options={[...names].map(([value, name]) => ({ value, name }))}
        />
        <div className="filter search-question">
          <label htmlFor={id}>Question</label>
          <input
            id={id}
            type="search"
            value={text}
            maxLength={QUESTION_MAX}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        <Button type="submit" kind="primary" disabled={text.trim() === ''}>
          Search
        </Button>
      </Filters>
    </form>
  );
}

function Found() {
  const [{ q = '', agent }] = useFilters();
  const { data: hits, error, isPending, refetch } = useHits(q, { agentId: agent, limit: HITS });
  const answering = useAnswering(agent);
  if (q === '')
    return (
      <p className="card muted">Ask as a user would: “How long do I have to return an order?”</p>
    );
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <p role="status">Searching…</p>;
  return (
    <>
      <p className="small muted" role="status">
        {counted(hits.length, 'passage')}
        {agent
          ? answering.version === null
            ? '. The agent has no live version, so it sees only the answers to its gaps'
            : ` visible to version ${answering.version}, which is live`
          : '. The line marks the default minimum score for agents'}
        .
      </p>
      <Hits hits={hits} answering={answering} />
    </>
  );
}
