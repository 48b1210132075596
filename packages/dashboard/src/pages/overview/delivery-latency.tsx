import { useMemo } from 'react';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { ok, parley } from '../../data/parley.ts';
import { SELDOM } from '../../data/stats.ts';
import { Chart } from '../../ui/chart.tsx';
import { count } from '../../ui/figure.tsx';
import { msText } from '../../ui/time.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import type { Schemas } from '@parley/client';

type DeliveryStats = Schemas['DeliveryStats'];

const TARGET_MS = 500;
const LIMIT = { value: TARGET_MS, name: `target ${TARGET_MS} ms` };
const HOURS = 6;

/** Shows the time from an event to its acknowledgement, compared with the target of 500 ms. */
export function DeliveryLatency() {
  const { data, error, refetch } = useDeliveryStats();
  return (
    <section className="card stack-small" aria-labelledby="delivery-latency">
      <div className="spread">
        <h2 id="delivery-latency">Deliveries</h2>
        <span className="muted small">last {HOURS} hours</span>
      </div>
      {error ? <TroubleNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? <Latency stats={data} /> : error ? null : <span className="skeleton" />}
    </section>
  );
}

function Latency({ stats }: { stats: DeliveryStats }) {
  const { latency_p50_ms: p50, latency_p95_ms: p95, within_500_ms_rate: within } = stats;
  const summary =
    within === null
      ? `No events were delivered in the last ${HOURS} hours.`
      : `Half of the events arrived within ${msText(p50)}, 95 of 100 within ${msText(p95)}; ${share(within)} within ${TARGET_MS} ms.`;
  return (
    <>
      <p>
        <strong className="numeric overview-number">{share(within)}</strong>{' '}
        <span className="muted">
          within {TARGET_MS} ms · median {msText(p50)} · 95th percentile {msText(p95)}
        </span>
      </p>
      <p className="small">
        <Link to="/webhooks/deliveries">{count(stats.acknowledged)} acknowledged</Link>
        {', '}
        <Link to="/webhooks/deliveries" search={{ status: 'pending' }}>
          {count(stats.unfinished)} in progress
        </Link>
        {', '}
        <Link to="/webhooks/deliveries" search={{ status: 'failed' }}>
          {count(stats.failed)} failed
        </Link>
      </p>
      {within === null ? (
        <p className="muted small">{summary}</p>
      ) : (
        <LatencyChart stats={stats} summary={summary} />
      )}
    </>
  );
}

function LatencyChart({ stats, summary }: { stats: DeliveryStats; summary: string }) {
  const { times, series } = useMemo(
    () => ({
      times: stats.buckets.map(({ at }) => at),
      series: [
        {
          name: 'median',
          color: '--chart-accent',
          values: stats.buckets.map(({ latency_p50_ms: ms }) => ms),
        },
        {
          name: '95th percentile',
          color: '--chart-warn',
          values: stats.buckets.map(({ latency_p95_ms: ms }) => ms),
        },
      ],
    }),
    [stats.buckets],
  );
  return <Chart summary={summary} times={times} series={series} unit=" ms" limit={LIMIT} />;
}

const shares = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });

/** Formats a rate without rounding up to 100%: `0.9987` becomes `99.8%`. */
function share(rate: number | null): string {
  return rate === null ? '–' : shares.format(Math.floor(rate * 1_000) / 1_000);
}

function useDeliveryStats() {
  return useQuery({
    queryKey: ['deliveries', 'stats', HOURS],
    meta: SELDOM,
    queryFn: async ({ signal }): Promise<DeliveryStats> => {
      const to = Math.floor(Date.now() / 1_000) + 1;
      const query = { from: to - HOURS * 3_600, to, bucket_sec: 600 };
      const params = { query };
      return ok(parley.GET('/v1/deliveries/stats', { params, signal }));
    },
  });
}
