import { useId } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ok, parley } from '../../../data/parley.ts';
import type { Job } from '../../../data/webhooks.ts';
import { ActButton } from '../../../ui/button.tsx';
import { count } from '../../../ui/figure.tsx';
import { Status, type Tone } from '../../../ui/status.tsx';
import { Time } from '../../../ui/time.tsx';
import { useToast } from '../../../ui/toast.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';

const TONES = {
  running: 'info',
  done: 'ok',
  stopped: 'muted',
  failed: 'bad',
} as const satisfies Record<Job['status'], Tone>;

/** Shows the progress of a replay and a button to stop it. */
export function ReplayProgress({ job }: { job: Job }) {
  const { total, done } = job.progress;
  const labelId = useId();
  return (
    <li className="stack-small">
      <div className="spread">
        <span id={labelId} className="row">
          <Status tone={TONES[job.status]}>{job.status}</Status>
          <span className="numeric">
            {count(done)} of {count(total)}
          </span>
          <span className="muted small">
            {job.mode}, since <Time at={job.since} />
          </span>
        </span>
        {job.status === 'running' ? <Stop job={job} /> : <Time at={job.finished_at} />}
      </div>
      {job.status === 'running' ? (
        <progress aria-labelledby={labelId} max={Math.max(1, total)} value={done} />
      ) : null}
      {job.error ? <p className="problem small">{job.error}</p> : null}
    </li>
  );
}

function Stop({ job: { id } }: { job: Job }) {
  const queryClient = useQueryClient();
  const toast = useToast();
  const stopping = useMutation({
    mutationFn: () => ok(parley.DELETE('/v1/jobs/{id}', { params: { path: { id } } })),
    onSuccess: () => toast({ text: 'Stopped the replay' }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: ['jobs'] }),
  });
  return (
    <>
      <ActButton
        needs="replay"
        size="small"
        isBusy={stopping.isPending}
        onClick={() => stopping.mutate()}
      >
        Stop
      </ActButton>
      {stopping.error ? <TroubleNote error={stopping.error} /> : null}
    </>
  );
}
