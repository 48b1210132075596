import { useState } from 'react';
import { SYNC_LOOK_MS } from '../../../data/knowledge.ts';
import { isOver, useSync, type Sync } from '../../../data/syncs.ts';
import { useList } from '../../../data/use-list.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { count } from '../../../ui/figure.tsx';
import { Status, type Tone } from '../../../ui/status.tsx';
import { Table } from '../../../ui/table.tsx';
import { msText, Time } from '../../../ui/time.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';

const TONES: Record<Sync['status'], Tone> = {
  queued: 'muted',
  running: 'info',
  succeeded: 'ok',
  failed: 'bad',
  canceled: 'muted',
};

const WORDS: Record<Sync['trigger'], string> = {
  request: 'request',
  declared: 'declared',
  schedule: 'schedule',
  retry: 'retry',
};

/** Lists the syncs of a source with their changes and problems. */
export function PastSyncs({ sourceId }: { sourceId: string }) {
  const [shown, setShown] = useState<string | null>(null);
  const list = useList('sources', '/v1/knowledge/sources/{id}/syncs', {
    path: { id: sourceId },
    refreshMs: (rows) => (rows.every(isOver) ? false : SYNC_LOOK_MS),
  });
  return (
    <section className="stack-small">
      <h2>Syncs</h2>
      <Table
        label="Syncs"
        list={list}
        empty="No syncs yet."
        columns={[
          { name: 'Status', cell: (sync) => <State sync={sync} />, width: '8.5rem' },
          { name: 'When', cell: (sync) => <Time at={sync.requested_at} />, width: '8rem' },
          { name: 'Trigger', cell: ({ trigger }) => WORDS[trigger], isWide: 'very' },
          {
            name: 'Read',
            cell: ({ read }) => count(read),
            width: '5rem',
            align: 'end',
            isWide: true,
          },
          { name: 'Changed', cell: changesOf, width: 'minmax(0, 2fr)', isWide: true },
          { name: 'Duration', cell: tookOf, width: '6rem', align: 'end', isWide: true },
          {
            name: 'Problems',
            cell: (sync) => <Problems sync={sync} onShow={() => setShown(sync.id)} />,
            width: '7rem',
            align: 'end',
          },
        ]}
      />
      <Dialog
        title="Documents not read"
        isOpen={shown !== null}
        onClose={() => setShown(null)}
        isWide
      >
        {shown === null ? null : <ProblemList sourceId={sourceId} id={shown} />}
      </Dialog>
    </section>
  );
}

function State({ sync: { status, error } }: { sync: Sync }) {
  return (
    <Status tone={TONES[status]} {...(error && { title: error })}>
      {status}
    </Status>
  );
}

function changesOf({ result, changed }: Sync): string {
  if (result === null) return count(changed);
  const { added, updated, removed } = result;
  return `${count(added)} added, ${count(updated)} updated, ${count(removed)} removed`;
}

function tookOf({ result }: Sync): string {
  return result ? msText(result.duration_sec * 1_000) : '–';
}

function Problems({ sync, onShow }: { sync: Sync; onShow: () => void }) {
  const { failed, skipped, status } = sync;
  if (failed + skipped === 0 && status !== 'failed') return <span className="muted">none</span>;
  return (
    <Button size="small" onClick={onShow}>
      Show {failed + skipped > 0 ? count(failed + skipped) : 'why'}
    </Button>
  );
}

function ProblemList({ sourceId, id }: { sourceId: string; id: string }) {
  const { data: sync, error } = useSync(sourceId, id);
  if (!sync) return error ? <TroubleNote error={error} /> : <p role="status">Loading…</p>;
  const problems = sync.problems ?? [];
  const { failed, skipped } = sync;
  return (
    <div className="stack-small">
      {sync.error ? <p className="problem">{sync.error}</p> : null}
      <p className="muted">
        Failed documents, which keep their previous content: {count(failed)}. Skipped documents,
        which searches no longer find: {count(skipped)}.
        {failed + skipped > problems.length
          ? ` This list shows the first ${count(problems.length)}.`
          : ''}
      </p>
      <ul className="stack-small" aria-label="Documents not read">
        {problems.map(({ path, kind, reason }) => (
          <li key={path}>
            <Status tone={kind === 'failed' ? 'bad' : 'muted'}>{kind}</Status>{' '}
            <span className="mono">{path}</span>
            <br />
            <span className="small muted">{reason}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
