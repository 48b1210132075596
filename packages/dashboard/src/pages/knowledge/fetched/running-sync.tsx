import { useSync, useStopSync } from '../../../data/syncs.ts';
import { isCode } from '../../../data/parley.ts';
import { ActButton } from '../../../ui/button.tsx';
import { count } from '../../../ui/figure.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';

/** Shows the progress of the running sync and a button to stop it. */
export function RunningSync({ sourceId, id }: { sourceId: string; id: string }) {
  const { data: sync } = useSync(sourceId, id);
  const stopping = useStopSync(sourceId);
  const isQueued = !sync || sync.status === 'queued';
  const { found, read, changed, failed } = sync ?? { found: 0, read: 0, changed: 0, failed: 0 };
  return (
    <section className="card stack-small" aria-label="Sync in progress">
      <header className="spread">
        <h2>{isQueued ? 'Sync queued' : 'Sync in progress'}</h2>
        <ActButton needs="write" isBusy={stopping.isPending} onClick={() => stopping.mutate(id)}>
          Stop sync
        </ActButton>
      </header>
      <progress
        aria-label="Read"
        {...(found > 0 && { max: found, value: Math.min(read, found) })}
      />
      <p className="small muted numeric">
        {count(found)} found, {count(read)} read, {count(changed)} changed, {count(failed)} failed
      </p>
      {stopping.error && !isCode(stopping.error, 'sync_finished') ? (
        <TroubleNote error={stopping.error} />
      ) : null}
    </section>
  );
}
