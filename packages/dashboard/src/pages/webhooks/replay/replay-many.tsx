import { useState } from 'react';
import { useList } from '../../../data/use-list.ts';
import type { Endpoint, Job } from '../../../data/webhooks.ts';
import { ActButton } from '../../../ui/button.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { ReplayProgress } from './replay-progress.tsx';

/** Number of replays shown here. The jobs page lists all of them. */
const SHOWN = 3;
const LOOK_MS = 500;

/** Starts replays of many events and shows their progress, even after a reload. */
export function ReplayMany({ endpoint }: { endpoint: Endpoint }) {
  const [isOpen, setIsOpen] = useState(false);
  const jobs = useList('jobs', '/v1/jobs', {
    query: { endpoint_id: endpoint.id },
    refreshMs: (rows: readonly Job[]) =>
      rows.some(({ status }) => status === 'running') ? LOOK_MS : false,
  });
  return (
    <section className="card stack-small" aria-labelledby="replay">
      <header className="spread">
        <h2 id="replay">Send events again</h2>
        <ActButton needs="replay" disabled={!endpoint.enabled} onClick={() => setIsOpen(true)}>
          Replay since…
        </ActButton>
      </header>
      {endpoint.enabled ? null : (
        <p className="small">The endpoint is disabled. Enable it, then replay the missed events.</p>
      )}
      {jobs.rows.length === 0 ? (
        <p className="muted">After an outage, replay all failed or missed events in one go.</p>
      ) : (
        <ul className="stack-small">
          {jobs.rows.slice(0, SHOWN).map((job) => (
            <ReplayProgress key={job.id} job={job} />
          ))}
        </ul>
      )}
      {isOpen ? <ReplayDialog endpoint={endpoint} onClose={() => setIsOpen(false)} /> : null}
    </section>
  );
}
