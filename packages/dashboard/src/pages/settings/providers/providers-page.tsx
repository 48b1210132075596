import type { ItemOf } from '../../../data/parley.ts';
import { useCan } from '../../../data/me.ts';
import { useList } from '../../../data/use-list.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Needing } from '../../../ui/needing.tsx';
import { Status } from '../../../ui/status.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { CopyId } from '../../../ui/copy-id.tsx';
import { Time } from '../../../ui/time.tsx';
import { SettingsFrame } from '../settings-frame.tsx';

type Provider = ItemOf<'/v1/model_providers'>;

/** Lists the model providers of the namespace, and links to the form that connects another one. */
export function ProvidersPage() {
  return (
    <SettingsFrame title="Model providers" actions={useCan('write') ? <Connect /> : null}>
      <Needing scope="read">
        <Providers />
      </Needing>
    </SettingsFrame>
  );
}

function Connect() {
  return (
    <ButtonLink kind="primary" to="/settings/providers/new">
      Connect a model
    </ButtonLink>
  );
}

const COLUMNS: Column<Provider>[] = [
  { name: 'Name', cell: ({ name }) => name },
  {
    name: 'State',
    width: '8rem',
    cell: ({ ready, status_message }) => (
      <Status tone={ready ? 'ok' : 'bad'} {...(status_message && { title: status_message })}>
        {ready ? 'ready' : 'not ready'}
      </Status>
    ),
  },
  { name: 'Details', cell: ({ status_message }) => status_message ?? '–', isWide: true },
  {
    name: 'Base URL',
    cell: ({ base_url }) => <span title={base_url}>{base_url}</span>,
    isWide: true,
  },
  { name: 'Default model', cell: ({ chat }) => chat?.default_model ?? '–', isWide: true },
  { name: 'Managed by', cell: ({ managed_by }) => managed_by, width: '7rem', isWide: true },
  { name: 'Changed', cell: ({ updated }) => <Time at={updated} />, width: '7rem', isWide: true },
  { name: 'ID', cell: ({ id }) => <CopyId id={id} />, width: '8rem', isWide: true },
];

function Providers() {
  const list = useList('providers', '/v1/model_providers', { enabled: useCan('read') });
  const canWrite = useCan('write');
  return (
    <Table
      label="Model providers"
      list={list}
      columns={COLUMNS}
      href={({ id }) => `/settings/providers/${id}`}
      narrow={({ base_url: url }) => url}
      empty={
        <>
          <p>
            No model is connected. Agents that name no provider use the one from Parley’s settings.
            If there is none, they can only quote your knowledge.
          </p>
          {canWrite ? <Connect /> : null}
        </>
      }
    />
  );
}
