import { useId } from 'react';
import {
  useAgentId,
  useHistory,
  useVersionDiff,
  type AgentVersion,
  type Declared,
} from '../../data/agents.ts';
import { Actor } from '../../ui/actor.tsx';
import { Filters, useFilters } from '../../ui/filters.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentFrame, type OnRelease } from './agent-frame.tsx';
import { Changes } from './changes.tsx';
import { RolloutCard } from './rollout-card.tsx';
import { VersionAction } from './version-action.tsx';

/** Lists all versions and compares any two of them: `?from=2&to=4`. */
export function AgentVersionsPage() {
  return (
    <AgentFrame tab="Versions">
      {({ agent }, onRelease) => <Versions agent={agent} onRelease={onRelease} />}
    </AgentFrame>
  );
}

type Agent = Declared['agent'];

function Versions({ agent, onRelease }: { agent: Agent; onRelease: OnRelease }) {
  const list = useHistory('/v1/agents/{id}/versions', agent.id);
  return (
    <>
      <RolloutCard agent={agent} />
      <Compared agent={agent} />
      <Table
        label="Versions"
        list={list}
        columns={columnsOf(agent, onRelease)}
        href={({ version }) => `/agents/${agent.id}?version=${version}`}
        narrow={({ created }) => <Time at={created} />}
        empty={<p>No versions yet, because the agent has never been ready.</p>}
      />
    </>
  );
}

function columnsOf(
  agent: Agent,
  onRelease: OnRelease,
): readonly Column<AgentVersion & { id: string }>[] {
  return [
    { name: 'Version', width: '7.5rem', cell: ({ version }) => `Version ${version}` },
    {
      name: 'State',
      width: '5rem',
      cell: ({ version, recalled_at: recalled }) =>
        recalled !== null ? (
          <Status tone="bad">recalled</Status>
        ) : version === agent.active_version ? (
          <Status tone="ok">live</Status>
        ) : null,
    },
    { name: 'Created by', isWide: true, cell: ({ created_by: by }) => <Actor actor={by} /> },
    { name: 'Created', width: '8rem', isWide: true, cell: ({ created }) => <Time at={created} /> },
    {
      name: 'Actions',
      width: 'minmax(8.5rem, 1fr)',
      align: 'end',
      cell: ({ version, recalled_at: recalled }) =>
        recalled === null ? (
          <VersionAction agent={agent} version={version} onRelease={onRelease} size="small" />
        ) : null,
    },
  ];
}

/** Compares two versions, by default the newest version with the one before. */
function Compared({ agent }: { agent: Agent }) {
  const [search] = useFilters();
  const id = useAgentId();
  const titleId = useId();
  const latest = agent.latest_version ?? 0;
  const to = Number(search['to'] ?? latest);
  const from = Number(search['from'] ?? Math.max(1, to - 1));
  const { data, error, refetch } = useVersionDiff(id, from, to);
  if (latest < 2) return null;
  return (
    <section className="card stack" aria-labelledby={titleId}>
      <h2 id={titleId}>Changes between two versions</h2>
      <Filters>
        <VersionChoice name="from" label="From version" value={from} latest={latest} />
        <VersionChoice name="to" label="To version" value={to} latest={latest} />
      </Filters>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {from === to ? <p className="muted">Choose two different versions.</p> : null}
      {data && from !== to ? <Changes changes={data} /> : null}
    </section>
  );
}

function VersionChoice({
  name,
  label,
  value,
  latest,
}: {
  name: string;
  label: string;
  value: number;
  latest: number;
}) {
  const [, set] = useFilters();
  const id = useId();
  const versions = Array.from({ length: latest }, (_, at) => latest - at);
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => set({ [name]: target.value })}>
        {versions.map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </div>
  );
}
