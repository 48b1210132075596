import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ok, parley } from '../../data/parley.ts';
import { SELDOM } from '../../data/stats.ts';
import { Chart } from '../../ui/chart.tsx';
import { count, counted, percent } from '../../ui/figure.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { msText } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';

/** Target in ms for the latency of a first attempt. */
const TARGET = { value: 500, name: 'target 500 ms' };
const RANGES = {
  hour: { name: 'Last hour', sec: 3_600 },
  day: { name: 'Last 24 hours', sec: 86_400 },
  week: { name: 'Last 7 days', sec: 604_800 },
};
const REFRESH_MS = 15_000;

const bars = (name: string, color: string, values: readonly number[]) =>
  ({ name, color, values, shape: 'bar' }) as const;

/** Shows latency and outcomes of deliveries to an endpoint. Latency includes the receiver's processing time. */
export function EndpointLatency({ endpointId }: { endpointId: string }) {
  const [{ range = 'hour' }, setFilters] = useFilters();
  const { sec } = RANGES[range as keyof typeof RANGES] ?? RANGES.hour;
  const stats = useQuery({
    queryKey: ['deliveries', 'stats', endpointId, sec],
    meta: SELDOM,
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => {
      const from = Math.floor(Date.now() / 1_000) - sec;
      const query = { endpoint_id: endpointId, from };
      return ok(parley.GET('/v1/deliveries/stats', { params: { query }, signal }));
    },
  });
  const chart = useMemo(() => {
    const buckets = stats.data?.buckets ?? [];
    return {
      times: buckets.map(({ at }) => at),
      latency: [
        {
          name: 'median',
          color: '--chart-accent',
          values: buckets.map((one) => one.latency_p50_ms),
        },
        {
          name: '95th percentile',
          color: '--chart-warn',
          values: buckets.map((one) => one.latency_p95_ms),
        },
      ],
      outcomes: [
        bars(
          'acknowledged',
          '--chart-ok',
          buckets.map((one) => one.acknowledged),
        ),
        bars(
          'failed attempts',
          '--chart-bad',
          buckets.map((one) => one.failed_attempts),
        ),
        {
          name: 'failed deliveries',
          color: '--chart-warn',
          values: buckets.map((one) => one.failed),
        },
      ],
    };
  }, [stats.data]);
  return (
    <section className="card stack-small" aria-labelledby="latency">
      <header className="spread">
        <h2 id="latency">Latency and outcomes</h2>
        <select
          aria-label="Time"
          className="range"
          value={range}
          onChange={({ target }) => setFilters({ range: target.value })}
        >
          {Object.entries(RANGES).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </header>
      {stats.error ? (
        <TroubleNote error={stats.error} onRetry={() => void stats.refetch()} />
      ) : null}
      {stats.data ? (
        <div className="charts">
          <Chart
            summary={latencyText(stats.data)}
            times={chart.times}
            series={chart.latency}
            unit=" ms"
            limit={TARGET}
          />
          <Chart
            summary={`${count(stats.data.acknowledged)} acknowledged, ${count(stats.data.failed)} failed, ${count(stats.data.unfinished)} pending; ${count(stats.data.failed_attempts)} of ${counted(stats.data.attempts, 'attempt')} failed.`}
            times={chart.times}
            series={chart.outcomes}
          />
        </div>
      ) : null}
    </section>
  );
}

function latencyText(stats: {
  latency_count: number;
  latency_p50_ms: number | null;
  latency_p95_ms: number | null;
  within_500_ms_rate: number | null;
}): string {
  if (stats.latency_count === 0) return 'No delivery was acknowledged on its first attempt.';
  const within = percent(stats.within_500_ms_rate);
  return `Time from event to acknowledgement on the first attempt: median ${msText(stats.latency_p50_ms)}, 95% within ${msText(stats.latency_p95_ms)}; ${within} within 500 ms.`;
}
