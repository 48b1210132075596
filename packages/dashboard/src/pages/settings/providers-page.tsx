import type { ItemOf } from '../../data/parley.ts';
import { useCan } from '../../data/me.ts';
import { useList } from '../../data/use-list.ts';
import { Code } from '../../ui/code.tsx';
import { Needing } from '../../ui/needing.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Time } from '../../ui/time.tsx';
import { SettingsFrame } from './settings-frame.tsx';

type Provider = ItemOf<'/v1/model_providers'>;

/** Lists model providers. They use keys of third parties, so they are declared in manifests and not edited here. */
export function ProvidersPage() {
  return (
    <SettingsFrame title="Model providers">
      <Needing scope="read">
        <Providers />
      </Needing>
    </SettingsFrame>
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
  { name: 'Address', cell: ({ base_url }) => <span title={base_url}>{base_url}</span> },
  { name: 'Model', cell: ({ chat }) => chat?.default_model ?? '–', isWide: true },
  { name: 'Managed by', cell: ({ managed_by }) => managed_by, width: '7rem', isWide: true },
  { name: 'Changed', cell: ({ updated }) => <Time at={updated} />, width: '7rem', isWide: true },
  { name: 'Id', cell: ({ id }) => <CopyId id={id} />, width: '8rem', isWide: true },
];

function Providers() {
  const list = useList('providers', '/v1/model_providers', { enabled: useCan('read') });
  const example = [
    `curl ${window.location.origin}/v1/model_providers \\`,
    `  -H "Authorization: Bearer $PARLEY_API_KEY" -H "Content-Type: application/json" \\`,
    `  -d '{"name": "mine", "base_url": "https://api.example.com/v1",`,
    `       "api_key_secret_ref": {"name": "model-key", "key": "api-key"},`,
    `       "chat": {"default_model": "a-model"}}'`,
  ].join('\n');
  return (
    <Table
      label="Model providers"
      list={list}
      columns={COLUMNS}
      empty={
        <>
          <p>
            No model provider is declared. Agents without a provider use the one from Parley’s
            settings, or answer only from their knowledge.
          </p>
          <Code text={example} label="Declare a provider" />
        </>
      }
    />
  );
}
