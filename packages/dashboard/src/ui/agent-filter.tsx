import { useId, useState } from 'react';
import { useAgentNamesOnceRead, useEveryAgentName } from '../data/names.ts';
import { useFilters } from './filters.tsx';

/** Maximum number of agents that the filter offers in a drop-down list. With more agents, it is a text field. */
const LOOKED_AT_MAX = 25;

export function AgentFilter() {
  const [search, set] = useFilters();
  const names = useAgentNamesOnceRead();
  const chosen = search['agent_id'] ?? '';
  const choose = (id: string): void =>
    set({ agent_id: id === '' ? undefined : id, agent_version: undefined });
  // Waits for the names, because replacing a drop-down list with a text field would discard a choice.
  if (names === undefined) {
    return (
      <div className="filter" aria-busy>
        <label>Agent</label>
        <span className="skeleton" />
      </div>
    );
  }
  const Choice = names.size > LOOKED_AT_MAX ? TypedAgent : LookedAtAgent;
  return <Choice key={chosen} chosen={chosen} choose={choose} names={names} />;
}

type Choosing = {
  chosen: string;
  choose: (id: string) => void;
  names: ReadonlyMap<string, string>;
};

function LookedAtAgent({ chosen, choose, names }: Choosing) {
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>Agent</label>
      <select id={id} value={chosen} onChange={({ target }) => choose(target.value)}>
        <option value="">any</option>
        {chosen !== '' && !names.has(chosen) ? <option value={chosen}>{chosen}</option> : null}
        {[...names].map(([agentId, name]) => (
          <option key={agentId} value={agentId}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Loads all names when the field gets the focus. */
function TypedAgent({ chosen, choose, names }: Choosing) {
  const id = useId();
  const [isWanted, setWanted] = useState(false);
  const every = useEveryAgentName(isWanted) ?? names;
  const shownNow = every.get(chosen) ?? chosen;
  const [text, setText] = useState<string>();
  const idOf = (name: string): string | undefined =>
    [...every].find(([agentId, known]) => known === name || agentId === name)?.[0];
  return (
    <div className="filter">
      <label htmlFor={id}>Agent</label>
      <input
        id={id}
        type="search"
        list={`${id}-names`}
        autoComplete="off"
        placeholder="any"
        value={text ?? shownNow}
        onFocus={() => setWanted(true)}
        onChange={({ target }) => {
          setText(target.value);
          const found = target.value === '' ? '' : idOf(target.value);
          if (found !== undefined && found !== chosen) choose(found);
        }}
        // Text that matches no agent is discarded.
        onBlur={() => setText(undefined)}
      />
      <datalist id={`${id}-names`}>
        {isWanted
          ? [...every].map(([agentId, name]) => <option key={agentId} value={name} />)
          : null}
      </datalist>
    </div>
  );
}
