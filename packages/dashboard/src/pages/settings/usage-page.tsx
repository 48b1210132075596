import { useQuery } from '@tanstack/react-query';
import { ok, parley } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { count, decimal } from '../../ui/figure.tsx';
import { Needing } from '../../ui/needing.tsx';
import { TroubleNote } from '../../ui/trouble.tsx';
import { SettingsFrame } from './settings-frame.tsx';
import './settings.css';

/** Shows the quotas of the namespace and its work in progress. */
export function UsagePage() {
  return (
    <SettingsFrame title="Usage">
      <Needing scope="read">
        <Usage />
      </Needing>
    </SettingsFrame>
  );
}

const LOOK_MS = 5_000;

function Usage() {
  const usage = useQuery({
    queryKey: ['usage'],
    enabled: useCan('read'),
    refetchInterval: LOOK_MS,
    queryFn: ({ signal }) => ok(parley.GET('/v1/usage', { signal })),
  });
  if (usage.error) return <TroubleNote error={usage.error} onRetry={() => void usage.refetch()} />;
  if (!usage.data) return <p role="status">Loading…</p>;
  const { quotas, in_flight: inFlight } = usage.data;
  return (
    <div className="columns">
      <section className="card stack">
        <h2>Namespace quotas</h2>
        {Object.entries(quotas).map(([name, used]) => (
          <Used key={name} name={name} {...used} />
        ))}
      </section>
      <section className="card stack">
        <h2>In progress now</h2>
        {Object.entries(inFlight).map(([name, { namespace }]) => (
          <Used key={name} name={name} {...namespace} />
        ))}
      </section>
    </div>
  );
}

const MANY = 0.8;
const GIBIBYTE = 2 ** 30;

function Used({ name, used, limit }: { name: string; used: number; limit: number | null }) {
  const label = name.replace('api', 'API').replace('_bytes', '').replaceAll('_', ' ');
  const shown = (value: number): string =>
    name.endsWith('_bytes') ? `${decimal(value / GIBIBYTE, 2)} GiB` : count(value);
  const text = limit === null ? `${shown(used)}, no limit` : `${shown(used)} of ${shown(limit)}`;
  return (
    <div className="used">
      <span>{label}</span>
      <span className="numeric small">{text}</span>
      {limit === null ? null : (
        <meter min={0} max={limit} high={limit * MANY} value={used} aria-label={label} />
      )}
    </div>
  );
}
