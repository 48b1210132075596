import { useId, useState } from 'react';
import { CHANNELS, CONVERSATION_STATUSES, OUTCOMES } from '../../data/conversations.ts';
import { Button } from '../../ui/button.tsx';
import {
  DateFilter,
  Filters,
  SelectFilter,
  TextFilter,
  useFilters,
  type Search,
} from '../../ui/filters.tsx';
import { AgentFilter } from '../../ui/agent-filter.tsx';
import { isOfInputMethod } from '../../../../widget/src/text/input-method.ts';

/** Filters in the section “More filters”, which opens automatically if one of them is set. */
const MORE = [
  'agent_version',
  'user_id',
  'from',
  'to',
  'created_after',
  'created_before',
  'ended_after',
  'ended_before',
  'call_id',
  'test',
] as const;
const METADATA = 'metadata.';

export function ConversationFilters() {
  const [search, set] = useFilters();
  const isFiltered = Object.keys(search).some((name) => name !== 'order');
  const isMore = Object.keys(search).some(
    (name) => name.startsWith(METADATA) || MORE.some((one) => one === name),
  );
  const [isOpen, setOpen] = useState(isMore);
  const none = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
  return (
    <div className="stack-small">
      <Filters>
        <TextFilter name="q" label="Search" placeholder="words or user" />
        <AgentFilter />
        <SelectFilter name="status" label="Status" options={CONVERSATION_STATUSES} />
        <SelectFilter name="outcome" label="Outcome" options={OUTCOMES} />
        <SelectFilter name="channel" label="Channel" options={CHANNELS} />
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
        {isFiltered ? (
          <Button kind="quiet" onClick={() => set(none)}>
            Clear
          </Button>
        ) : null}
      </Filters>
      {isOpen ? <MoreFilters search={search} set={set} /> : null}
    </div>
  );
}

function MoreFilters({
  search,
  set,
}: {
  search: Search;
  set: (changed: Record<string, string | undefined>) => void;
}) {
  return (
    <div className="filters" role="group" aria-label="More filters">
      <TextFilter name="agent_version" label="Version" placeholder="4" />
      <TextFilter name="user_id" label="User" />
      <DateFilter name="created_after" label="Started after" />
      <DateFilter name="created_before" label="Started before" />
      <DateFilter name="ended_after" label="Ended after" />
      <DateFilter name="ended_before" label="Ended before" />
      <TextFilter name="call_id" label="Call ID" placeholder="call_…" />
      <TextFilter name="from" label="Call from" placeholder="+491701234567" />
      <TextFilter name="to" label="Call to" placeholder="+49301234567" />
      <MetadataFilter search={search} set={set} />
      <label className="check">
        <input
          type="checkbox"
          checked={search['test'] === 'true'}
          onChange={({ target }) => set({ test: target.checked ? 'true' : undefined })}
        />
        Include tests
      </label>
    </div>
  );
}

/** A metadata filter. Enter adds a pair such as `plan=gold`, and a click on a pair removes it. */
function MetadataFilter({
  search,
  set,
}: {
  search: Search;
  set: (changed: Record<string, string | undefined>) => void;
}) {
  const id = useId();
  const pairs = Object.entries(search).filter(([name]) => name.startsWith(METADATA));
  return (
    <div className="filter">
      <label htmlFor={id}>Metadata</label>
      <input
        id={id}
        placeholder="plan=gold ↵"
        onKeyDown={({ key, currentTarget, nativeEvent }) => {
          const [name, value] = pairOf(currentTarget.value);
          if (key !== 'Enter' || isOfInputMethod(nativeEvent) || !name || !value) return;
          currentTarget.value = '';
          set({ [METADATA + name]: value });
        }}
      />
      {pairs.map(([name, value]) => (
        <Button
          key={name}
          size="small"
          aria-label={`Remove ${name.slice(METADATA.length)}=${value}`}
          onClick={() => set({ [name]: undefined })}
        >
          {name.slice(METADATA.length)}={value} ✕
        </Button>
      ))}
    </div>
  );
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? ['', ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}
