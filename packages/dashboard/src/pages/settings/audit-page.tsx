import { useState } from 'react';
import type { ItemOf } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { useList } from '../../data/use-list.ts';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ClearFilters, DateFilter, Filters, TextFilter, useFilters } from '../../ui/filters.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Thing } from '../../ui/thing.tsx';
import { Time } from '../../ui/time.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Line = ItemOf<'/v1/audit_log'>;

const NAMES = ['action', 'actor', 'target', 'created_after', 'created_before'];

export function AuditPage() {
  const [line, setLine] = useState<Line | null>(null);
  return (
    <SettingsFrame title="Audit log">
      <Needing scope="keys">
        <Filters>
          <TextFilter name="action" label="Action" placeholder="agent.published" />
          <TextFilter name="actor" label="Actor" placeholder="session:Ana" />
          <TextFilter name="target" label="Target" placeholder="agt_…" />
          <DateFilter name="created_after" label="From" />
          <DateFilter name="created_before" label="Until" />
          <ClearFilters names={NAMES} />
        </Filters>
        <Lines onShow={setLine} />
      </Needing>
      {line ? <LineDialog line={line} onClose={() => setLine(null)} /> : null}
    </SettingsFrame>
  );
}

function Lines({ onShow }: { onShow: (line: Line) => void }) {
  const [filters] = useFilters();
  const canRead = useCan('keys');
  const query = Object.fromEntries(NAMES.map((name) => [name, filters[name]]));
  const list = useList('audit', '/v1/audit_log', { query, enabled: canRead });
  const columns: Column<Line>[] = [
    { name: 'When', cell: ({ created }) => <Time at={created} />, width: '8rem', isWide: true },
    { name: 'Actor', cell: (one) => <span title={one.actor}>{one.actor}</span>, isWide: true },
    { name: 'Action', cell: ({ action }) => action, width: 'minmax(0, 1.5fr)' },
    { name: 'Target', cell: (one) => <Thing id={one.target} />, isWide: 'very' },
    {
      name: 'Outcome',
      cell: ({ outcome }) => <Status tone={outcome === 'done' ? 'ok' : 'warn'}>{outcome}</Status>,
      width: '7rem',
      isWide: true,
    },
    {
      name: 'Change',
      width: '6rem',
      cell: (one) => (
        <Button size="small" onClick={() => onShow(one)}>
          Show<span className="unseen"> {one.action}</span>
        </Button>
      ),
    },
  ];
  const empty = (
    <p>
      No entries match these filters. Enter the full value, for example <code>agent.published</code>
      .
    </p>
  );
  return (
    <Table
      label="Audit log"
      list={list}
      columns={columns}
      empty={empty}
      narrow={({ created, actor }) => (
        <>
          <Time at={created} />, {actor}
        </>
      )}
    />
  );
}

function LineDialog({ line, onClose }: { line: Line; onClose: () => void }) {
  return (
    <Dialog title={line.action} isOpen onClose={onClose} isWide>
      <dl className="facts">
        <dt>When</dt>
        <dd>
          <Time at={line.created} />
        </dd>
        <dt>Actor</dt>
        <dd>{line.actor}</dd>
        <dt>Target</dt>
        <dd>
          <Thing id={line.target} />
        </dd>
        <dt>From</dt>
        <dd>
          {line.address ?? '–'} <span className="muted">{line.user_agent}</span>
        </dd>
        {line.request_id ? (
          <>
            <dt>Request</dt>
            <dd>
              <CopyId id={line.request_id} />
            </dd>
          </>
        ) : null}
      </dl>
      <div className="columns">
        <section className="stack-small">
          <h3>Before</h3>
          <Json value={line.before} label="Before" />
        </section>
        <section className="stack-small">
          <h3>After</h3>
          <Json value={line.after} label="After" />
        </section>
      </div>
      <section className="stack-small">
        <h3>Detail</h3>
        <Json value={line.detail} label="Detail" />
      </section>
    </Dialog>
  );
}
