import { useId } from 'react';
import { useHistory, waitingVersion } from '../../data/agents.ts';
import type { Agent } from '../../data/parley.ts';

export function VersionPicker({
  agent,
  chosen,
  isDisabled,
  onChoose,
}: {
  agent: Agent;
  chosen: number;
  isDisabled: boolean;
  onChoose: (version: number) => void;
}) {
  const id = useId();
  const { rows, hasMore, loadMore } = useHistory('/v1/agents/{id}/versions', agent.id);
  const draft = waitingVersion(agent);
  const versions = rows.map(({ version }) => version);
  const shown = versions.includes(chosen) ? versions : [chosen, ...versions];
  return (
    <div className="filter">
      <label htmlFor={id}>Version</label>
      <select
        id={id}
        value={chosen}
        disabled={isDisabled}
        onChange={({ target }) => {
          if (target.value === EARLIER) loadMore();
          else onChoose(Number(target.value));
        }}
      >
        {shown.map((version) => (
          <option key={version} value={version}>
            Version {version}
            {version === agent.active_version ? ' · live' : ''}
            {version === draft ? ' · draft' : ''}
          </option>
        ))}
        {hasMore ? <option value={EARLIER}>Show earlier versions</option> : null}
      </select>
    </div>
  );
}

const EARLIER = 'earlier';
