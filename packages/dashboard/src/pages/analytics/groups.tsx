import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useAgentNames } from '../../data/names.ts';
import { AgentLink } from '../../ui/agent-link.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { Button } from '../../ui/button.tsx';
import type { Analytics, Group } from './analytics-data.ts';
import { changeOf, costFigures, FIGURES } from './figures.ts';

const TITLES = {
  agent: 'Agents',
  version: 'Versions',
  channel: 'Channels',
  topic: 'Topics',
  person: 'People',
} as const;

const EMPTY = {
  agent: 'No conversations in this period.',
  version: 'No conversations in this period.',
  channel: 'No conversations in this period.',
  topic:
    'No conversation in this period has a topic. Topics come from a model that judges ended conversations. To turn this on, set “Judge ended conversations” to “by a model as well” in the agent’s settings.',
  person: 'Nobody accepted an escalation in this period.',
} as const;

/** Shows the metrics of each group side by side, the groups with the most conversations first. */
export function Groups({ analytics, before }: { analytics: Analytics; before: string }) {
  const { groups, group_by: by, total, has_more: hasMore } = analytics;
  if (by === null) return null;
  const figures = [...FIGURES, ...costFigures(total)];
  if (groups.length === 0) return <p className="card muted">{EMPTY[by]}</p>;
  return (
    <>
      <div className="card analytics-scroll" tabIndex={0} role="region" aria-label={TITLES[by]}>
        <table className="analytics-groups">
          <thead>
            <tr>
              <th scope="col">{TITLES[by]}</th>
              {figures.map(({ key, name }) => (
                <th key={key} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={keyOf(group)}>
                <th scope="row">
                  <Name by={by} group={group} />
                </th>
                {figures.map((figure) => {
                  const change = changeOf(figure, group.total, group.previous);
                  return (
                    <td key={figure.key}>
                      {figure.text(figure.of(group.total))}
                      {change ? (
                        <span className={`delta delta-${change.way}`} title={`against ${before}`}>
                          {change.text}
                        </span>
                      ) : null}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore ? (
        <p className="muted small">
          The {groups.length} groups with the most conversations are shown.
        </p>
      ) : null}
    </>
  );
}

function keyOf({ agent_id: agent, version, channel, topic, person }: Group): string {
  return JSON.stringify([agent, version, channel, topic, person?.id]);
}

/** Shows the name of a group. Agents and versions link to their pages. Other names become a filter when clicked. */
function Name({ by, group }: { by: keyof typeof TITLES; group: Group }): ReactNode {
  const [, set] = useFilters();
  const names = useAgentNames();
  switch (by) {
    case 'agent':
      return <AgentLink id={group.agent_id ?? ''} />;
    case 'version':
      return (
        <Link
          to="/agents/$agentId/figures"
          params={{ agentId: group.agent_id ?? '' } as never}
          search={{ versions: String(group.version) } as never}
        >
          {names.get(group.agent_id ?? '') ?? 'Agent'}, version {group.version}
        </Link>
      );
    case 'channel':
      return (
        <Filtering onClick={() => set({ channel: group.channel ?? '' })}>
          {group.channel?.replaceAll('_', ' ')}
        </Filtering>
      );
    case 'topic':
      return (
        <Filtering onClick={() => set({ topic: group.topic ?? '', by: undefined })}>
          {group.topic}
        </Filtering>
      );
    case 'person':
      return (
        <Filtering onClick={() => set({ person: group.person?.id ?? '', by: undefined })}>
          {group.person?.name ?? group.person?.id}
        </Filtering>
      );
    default:
      return by satisfies never;
  }
}

function Filtering({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button kind="quiet" size="small" title="Show only these conversations" onClick={onClick}>
      {children}
    </Button>
  );
}
