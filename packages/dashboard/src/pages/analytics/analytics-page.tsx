import { useMutation } from '@tanstack/react-query';
import { troubleOf } from '../../data/parley.ts';
import { saveFile } from '../../data/save-file.ts';
import { AgentFilter } from '../../ui/agent-filter.tsx';
import { Button } from '../../ui/button.tsx';
import { ClearFilters, Filters, SelectFilter, useFilters, type Search } from '../../ui/filters.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Page } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import {
  CHANNELS,
  GROUPINGS,
  PERIOD_DEFAULT,
  periodOf,
  PERIODS,
  readTable,
  useAnalytics,
  type Analytics,
} from './analytics-data.ts';
import { changeOf, costFigures, FIGURES } from './figures.ts';
import { Groups } from './groups.tsx';
import { longText, Trend } from './trend.tsx';
import '../../ui/delta.css';
import './analytics.css';

/** Shows conversation metrics over time and by group, compared with the previous period. */
export function AnalyticsPage() {
  const [search] = useFilters();
  return (
    <Page title="Analytics" actions={<Download search={search} />}>
      <Needing scope="read">
        <Filters>
          <SelectFilter
            name="period"
            label="Period"
            any={PERIOD_DEFAULT.name}
            options={PERIODS.filter((one) => one !== PERIOD_DEFAULT)}
          />
          <SelectFilter name="by" label="Group by" any="agent" options={GROUPINGS} />
          <AgentFilter />
          <SelectFilter name="channel" label="Channel" options={CHANNELS} />
          {search['topic'] ? <SelectFilter name="topic" label="Topic" options={[]} /> : null}
          {search['person'] ? <SelectFilter name="person" label="Person" options={[]} /> : null}
          <ClearFilters names={['agent_id', 'channel', 'topic', 'person']} />
        </Filters>
        <Loaded search={search} />
      </Needing>
    </Page>
  );
}

function Loaded({ search }: { search: Search }) {
  const { data, error, refetch } = useAnalytics(search);
  if (error) return <TroubleNote error={error} onRetry={() => void refetch()} />;
  if (!data) return <span className="skeleton" />;
  return <Shown analytics={data} search={search} />;
}

function Shown({ analytics, search }: { analytics: Analytics; search: Search }) {
  const [, set] = useFilters();
  const { total, previous } = analytics;
  const { name, before } = periodOf(search);
  const figures = [...FIGURES, ...costFigures(total)];
  const chosen = figures.find(({ key }) => key === search['figure']) ?? figures[0]!; // `FIGURES` is not empty.
  return (
    <>
      <ul className="analytics-figures">
        {figures.map((figure) => {
          const change = changeOf(figure, total, previous.total);
          return (
            <li key={figure.key}>
              <button
                type="button"
                className="analytics-figure"
                aria-pressed={figure === chosen}
                onClick={() => set({ figure: figure === figures[0] ? undefined : figure.key })}
              >
                <span className="small muted">{figure.name}</span>
                <strong className="numeric">{figure.text(figure.of(total))}</strong>
                <span className="small muted">{figure.note?.(total)}</span>
                {change ? (
                  <span className={`delta delta-${change.way}`} title={`against ${before}`}>
                    {change.text}
                    <span className="unseen"> against {before}</span>
                  </span>
                ) : null}
              </button>
            </li>
          );
        })}
      </ul>
      <section className="card stack-small" aria-labelledby="trend">
        <div className="spread">
          <h2 id="trend">{chosen.name}</h2>
          <span className="muted small">
            In {name}, compared with {chosen.text(chosen.of(previous.total))} in {before}
          </span>
        </div>
        <Trend
          figure={chosen}
          analytics={analytics}
          summary={`${chosen.name} in ${name}: ${chosen.text(chosen.of(total))}.`}
        />
        <Values figure={chosen} analytics={analytics} />
      </section>
      <Groups analytics={analytics} before={before} />
    </>
  );
}

/** Lists the values of the chart, because not everybody can read a chart. */
function Values({
  figure,
  analytics: { buckets, interval },
}: {
  figure: (typeof FIGURES)[number];
  analytics: Analytics;
}) {
  return (
    <details>
      <summary className="small">Values as a table</summary>
      <div
        className="analytics-scroll"
        tabIndex={0}
        role="region"
        aria-label={`${figure.name} as a table`}
      >
        <table className="analytics-values">
          <thead>
            <tr>
              <th scope="col">Start</th>
              <th scope="col">{figure.name}</th>
            </tr>
          </thead>
          <tbody>
            {buckets.map((bucket) => (
              <tr key={bucket.at}>
                <th scope="row">{longText(bucket.at, interval)}</th>
                <td className="numeric">{figure.text(figure.of(bucket))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Download({ search }: { search: Search }) {
  const toast = useToast();
  const saving = useMutation({
    mutationFn: () => readTable(search),
    onSuccess: (table) => saveFile(`analytics-${new Date().toISOString().slice(0, 10)}.csv`, table),
    onError: (error) =>
      toast({ text: `The download failed: ${troubleOf(error).detail}`, tone: 'bad' }),
  });
  return (
    <Button isBusy={saving.isPending} onClick={() => saving.mutate()}>
      Download CSV
    </Button>
  );
}
