import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ok, parley, type ItemOf } from '../../data/parley.ts';
import { useList } from '../../data/use-list.ts';
import { useEndpoints, type Job } from '../../data/webhooks.ts';
import { ActButton, ButtonLink } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { shortId } from '../../ui/copy-id.tsx';
import { Progress } from '../../ui/figure.tsx';
import { ClearFilters, Filters, SelectFilter, TextFilter, useFilters } from '../../ui/filters.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Status, type Tone } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { CustomerLink } from '../customers/customer-link.tsx';
import { shortUrl } from '../webhooks/states.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Erasure = ItemOf<'/v1/customer_erasures'>;

const TONES: Record<Job['status'], Tone> = {
  running: 'info',
  done: 'ok',
  stopped: 'muted',
  failed: 'bad',
};
/** Polling interval in ms while jobs are running. */
const LOOK_MS = 1_000;

const whileRunning = (rows: readonly Pick<Job | Erasure, 'status'>[]): number | false =>
  rows.some(({ status }) => status === 'running') && LOOK_MS;

/** Lists background jobs with their progress: event replays and customer erasures. */
export function JobsPage() {
  return (
    <SettingsFrame title="Jobs">
      <Needing scope="read">
        <section className="stack-small" aria-labelledby="replays">
          <h2 id="replays">Event replays</h2>
          <Filters>
            <SelectFilter name="status" label="Status" options={Object.keys(TONES)} />
            <TextFilter name="endpoint_id" label="Endpoint" placeholder="we_…" />
            <ClearFilters names={['status', 'endpoint_id']} />
          </Filters>
          <Replays />
        </section>
        <section className="stack-small" aria-labelledby="erasures">
          <h2 id="erasures">Customer erasures</h2>
          <Erasures />
        </section>
      </Needing>
    </SettingsFrame>
  );
}

const COMMON = {
  started: {
    name: 'Started',
    cell: ({ created }: { created: number }) => <Time at={created} />,
    width: '8rem',
    isWide: true,
  },
  status: {
    name: 'Status',
    cell: ({ status }: Pick<Job, 'status'>) => <Status tone={TONES[status]}>{status}</Status>,
    width: '7rem',
  },
  progress: {
    name: 'Progress',
    cell: ({ progress, error }: Pick<Job, 'progress'> & { error?: Job['error'] }) => (
      <Progress progress={progress} title={error ?? undefined} />
    ),
    width: 'minmax(8.5rem, 1fr)',
  },
  finished: {
    name: 'Finished',
    cell: ({ finished_at: at }: { finished_at: number | null }) => <Time at={at} />,
    width: '8rem',
    isWide: 'very' as const,
  },
};

function Replays() {
  const [{ status, endpoint_id }] = useFilters();
  const [stopping, setStopping] = useState<Job | null>(null);
  const queryClient = useQueryClient();
  const endpoints = useEndpoints();
  const list = useList('jobs', '/v1/jobs', {
    query: { status, endpoint_id },
    refreshMs: whileRunning,
  });
  const nameOf = (id: string): string => {
    const url = endpoints.data?.find((endpoint) => endpoint.id === id)?.url;
    return url === undefined ? shortId(id) : shortUrl(url);
  };
  const columns: Column<Job>[] = [
    COMMON.started,
    {
      name: 'Endpoint',
      width: 'minmax(0, 1.5fr)',
      isWide: true,
      cell: ({ endpoint_id: id }) => nameOf(id),
    },
    {
      name: 'Events',
      width: 'minmax(0, 1.5fr)',
      isWide: true,
      cell: ({ mode, since }) => (
        <>
          {mode}, since <Time at={since} />
        </>
      ),
    },
    COMMON.status,
    COMMON.progress,
    COMMON.finished,
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
        label="Event replays"
        narrow={({ created }) => <Time at={created} />}
        list={list}
        columns={columns}
        empty={
          <>
            <p>No replays. A replay sends many events to an endpoint again.</p>
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

function Erasures() {
  const list = useList('jobs', '/v1/customer_erasures', { refreshMs: whileRunning });
  const columns: Column<Erasure>[] = [
    COMMON.started,
    {
      name: 'Customer',
      width: 'minmax(0, 2fr)',
      cell: ({ user_id: user }) =>
        user === null ? <span className="muted">erased</span> : <CustomerLink userId={user} />,
    },
    COMMON.status,
    COMMON.progress,
    COMMON.finished,
  ];
  return (
    <Table
      label="Customer erasures"
      narrow={({ created }) => <Time at={created} />}
      list={list}
      columns={columns}
      empty={<p>No erasures. To erase all data about a customer, open the customer’s page.</p>}
    />
  );
}
