import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ok, parley, type ItemOf } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { useList } from '../../data/use-list.ts';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { count } from '../../ui/figure.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Thing } from '../../ui/thing.tsx';
import { Time } from '../../ui/time.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Job = ItemOf<'/v1/jobs'>;

const TONES: Record<Job['status'], Tone> = {
  running: 'info',
  done: 'ok',
  stopped: 'muted',
  failed: 'bad',
};
/** Polling interval in ms while jobs are running. */
const LOOK_MS = 1_000;

/** Lists jobs, which are replays of many events, with their progress. */
export function JobsPage() {
  return (
    <SettingsFrame title="Jobs">
      <Filters>
        <SelectFilter name="status" label="Status" options={Object.keys(TONES)} />
      </Filters>
      <Needing scope="read">
        <Jobs />
      </Needing>
    </SettingsFrame>
  );
}

function Jobs() {
  const [{ status, endpoint_id }] = useFilters();
  const [stopping, setStopping] = useState<Job | null>(null);
  const queryClient = useQueryClient();
  const canRead = useCan('read');
  const list = useList('jobs', '/v1/jobs', { query: { status, endpoint_id }, enabled: canRead });
  const isRunning = list.rows.some((job) => job.status === 'running');
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(
      () => void queryClient.invalidateQueries({ queryKey: ['jobs'] }),
      LOOK_MS,
    );
    return () => clearInterval(timer);
  }, [isRunning, queryClient]);
  const columns: Column<Job>[] = [
    { name: 'Started', cell: ({ created }) => <Time at={created} />, width: '8rem' },
    { name: 'Type', cell: (job) => `${job.type}, ${job.mode}`, width: 'minmax(0, 1fr)' },
    {
      name: 'Status',
      cell: (job) => <Status tone={TONES[job.status]}>{job.status}</Status>,
      width: '7rem',
    },
    { name: 'Progress', cell: (job) => <Progress job={job} /> },
    { name: 'Endpoint', cell: (job) => <Thing id={job.endpoint_id} />, isWide: true },
    {
      name: 'Actions',
      width: '5.5rem',
      cell: (job) =>
        job.status === 'running' ? (
          <ActButton needs="replay" size="small" onClick={() => setStopping(job)}>
            Stop
          </ActButton>
        ) : null,
    },
  ];
  return (
    <>
      <Table
        label="Jobs"
        list={list}
        columns={columns}
        empty={
          <>
            <p>No jobs. A job starts when you replay many events to an endpoint.</p>
            <ButtonLink to="/webhooks">Go to endpoints</ButtonLink>
          </>
        }
      />
      {stopping ? (
        <Confirm
          title="Stop the replay"
          isOpen
          onClose={() => setStopping(null)}
          action="Stop the replay"
          act={async () => {
            await ok(parley.DELETE('/v1/jobs/{id}', { params: { path: { id: stopping.id } } }));
            await queryClient.invalidateQueries({ queryKey: ['jobs'] });
          }}
        >
          <p>
            No more deliveries are created, and those not attempted yet are canceled. Events already
            sent can’t be recalled.
          </p>
        </Confirm>
      ) : null}
    </>
  );
}

function Progress({ job: { progress, error } }: { job: Job }) {
  const { done, total } = progress;
  return (
    <span className="row" title={error ?? undefined}>
      <progress value={done} max={Math.max(total, 1)} aria-label="Progress" />
      <span className="small numeric">
        {count(done)} of {count(total)}
      </span>
    </span>
  );
}
