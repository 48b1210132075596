import type { ReactNode } from 'react';
import type { Declared } from '../../data/agents.ts';
import {
  DAYS_DEFAULT,
  daysOf,
  SPANS,
  useStats,
  useVersionStats,
  type AgentStats,
} from '../../data/stats.ts';
import { Delta } from '../../ui/delta.tsx';
import { count, decimal, percent } from '../../ui/figure.tsx';
import { Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { msText } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { AgentFrame } from './agent-frame.tsx';

/** Shows the statistics of several versions side by side. The address selects the versions: `?versions=4,3`. */
export function AgentFiguresPage() {
  return <AgentFrame tab="Analytics">{({ agent }) => <Figures agent={agent} />}</AgentFrame>;
}

type Agent = Declared['agent'];

const SHOWN_MAX = 6;
const SHOWN_DEFAULT = 4;
const OTHER_SPANS = SPANS.filter(({ value }) => Number(value) !== DAYS_DEFAULT);

function Figures({ agent }: { agent: Agent }) {
  const [search, set] = useFilters();
  const days = daysOf(search);
  const { data, error, refetch } = useStats(days);
  const talked = (data?.agents ?? [])
    .filter(({ agent_id: id }) => id === agent.id)
    .map(({ version }) => version);
  const known = descending([...talked, ...(agent.active_version ? [agent.active_version] : [])]);
  const wanted = (search['versions'] ?? '').split(',').map(Number).filter(Boolean);
  const shown =
    wanted.length > 0
      ? descending(wanted).slice(0, SHOWN_MAX)
      : withLive(known, agent.active_version).slice(0, SHOWN_DEFAULT);
  const toggle = (version: number): void => {
    const next = shown.includes(version)
      ? shown.filter((one) => one !== version)
      : [...shown, version];
    set({ versions: descending(next).join(',') });
  };
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  return (
    <>
      <Filters>
        <SelectFilter name="days" label="Period" any="the last 7 days" options={OTHER_SPANS} />
      </Filters>
      {known.length > 1 ? (
        <fieldset className="agent-choice">
          <legend className="small muted">Versions with conversations</legend>
          <div className="row">
            {known.map((version) => (
              <label key={version} className="check">
                <input
                  type="checkbox"
                  checked={shown.includes(version)}
                  disabled={!shown.includes(version) && shown.length >= SHOWN_MAX}
                  onChange={() => toggle(version)}
                />
                {version}
              </label>
            ))}
          </div>
        </fieldset>
      ) : null}
      {data && known.length === 0 ? (
        <p className="card muted">No version is live, and there are no conversations yet.</p>
      ) : (
        <SideBySide agent={agent} versions={shown} days={days} />
      )}
    </>
  );
}

function descending(versions: readonly number[]): number[] {
  return [...new Set(versions)].toSorted((a, b) => b - a);
}

/** Omits the newest versions if necessary, so that the live version is among the first `SHOWN_DEFAULT` versions. */
function withLive(known: readonly number[], live: number | null): readonly number[] {
  const at = live === null ? -1 : known.indexOf(live);
  return at < SHOWN_DEFAULT ? known : known.slice(at - SHOWN_DEFAULT + 1);
}

type Row = {
  name: string;
  of: (stats: AgentStats) => number | null;
  shown: (value: number | null, stats: AgentStats) => ReactNode;
  good: 'up' | 'down' | 'neither';
  unit: 'points' | 'value' | 'ms';
  isCompared?: boolean;
};

const rate = (value: number | null) => percent(value);
const ROWS: readonly Row[] = [
  {
    name: 'Conversations',
    of: (one) => one.conversations,
    shown: count,
    good: 'neither',
    unit: 'value',
  },
  { name: 'In progress', of: (one) => one.active, shown: count, good: 'neither', unit: 'value' },
  {
    name: 'Resolved',
    of: (one) => one.resolution_rate,
    shown: rate,
    good: 'up',
    unit: 'points',
    isCompared: true,
  },
  {
    name: 'Escalated',
    of: (one) => one.escalation_rate,
    shown: rate,
    good: 'down',
    unit: 'points',
    isCompared: true,
  },
  {
    name: 'CSAT',
    of: (one) => one.csat_average,
    shown: (value, { csat_count: of }) => (value === null ? '–' : `${decimal(value)} of ${of}`),
    good: 'up',
    unit: 'value',
    isCompared: true,
  },
  {
    name: 'CSAT, predicted',
    of: (one) => one.csat_predicted_average,
    shown: (value, { csat_predicted_error: error }) =>
      error === null ? decimal(value) : `${decimal(value)} ± ${decimal(error)}`,
    good: 'up',
    unit: 'value',
    isCompared: true,
  },
  { name: 'Questions', of: (one) => one.questions, shown: count, good: 'neither', unit: 'value' },
  {
    name: 'Gaps',
    of: (one) => one.gap_rate,
    shown: rate,
    good: 'down',
    unit: 'points',
    isCompared: true,
  },
  {
    name: 'Reply time, median',
    of: (one) => one.turn_latency_p50_ms,
    shown: (value) => msText(value),
    good: 'down',
    unit: 'ms',
    isCompared: true,
  },
  {
    name: 'Reply time, 95th percentile',
    of: (one) => one.turn_latency_p95_ms,
    shown: (value) => msText(value),
    good: 'down',
    unit: 'ms',
    isCompared: true,
  },
];

function SideBySide({
  agent,
  versions,
  days,
}: {
  agent: Agent;
  versions: readonly number[];
  days: number;
}) {
  const results = useVersionStats(agent.id, versions, days);
  const failed = results.find(({ error }) => error !== null);
  if (failed) return <TroubleNote error={failed.error} onRetry={() => void failed.refetch()} />;
  return (
    <div
      className="card agent-scroll"
      tabIndex={0}
      role="region"
      aria-label="Statistics by version"
    >
      <table className="agent-figures">
        <thead>
          <tr>
            <td />
            {versions.map((version) => (
              <th key={version} scope="col">
                Version {version}
                {version === agent.active_version ? ', live' : ''}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map(({ name, of, shown, good, unit, isCompared }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {versions.map((version, at) => {
                const stats = results[at]?.data;
                const before = results[at + 1]?.data;
                return (
                  <td key={version}>
                    {stats && isCompared ? (
                      <Delta
                        now={of(stats)}
                        before={before && of(before)}
                        good={good}
                        unit={unit}
                        against={`version ${versions[at + 1]}`}
                      />
                    ) : null}{' '}
                    {stats ? shown(of(stats), stats) : <span className="skeleton" />}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
