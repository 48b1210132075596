import { useId, useState } from 'react';
import { useAnswering, useHits, QUESTION_MAX } from '../../data/knowledge.ts';
import { useAgentNames } from '../../data/names.ts';
import { Button } from '../../ui/button.tsx';
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
          label="As this agent sees it"
          any="all sources and answers"
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
    return <p className="card muted">Ask as a user would: “How long is a return free?”</p>;
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (isPending) return <p role="status">Searching…</p>;
  return (
    <>
      <p className="small muted" role="status">
        {hits.length} passages
        {agent
          ? answering.version === null
            ? '; the agent has no live version, and sees the answers to its gaps alone'
            : `, as version ${answering.version}, which is live, sees them`
          : '; the line is where an agent begins that says nothing else'}
        .
      </p>
      <Hits hits={hits} answering={answering} />
    </>
  );
}
