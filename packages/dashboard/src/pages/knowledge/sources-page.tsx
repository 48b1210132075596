import { useState } from 'react';
import { useList } from '../../data/use-list.ts';
import type { Source } from '../../data/knowledge.ts';
import { ActButton } from '../../ui/button.tsx';
import { count } from '../../ui/figure.tsx';
import { ClearFilters, Filters, SelectFilter, useFilters } from '../../ui/filters.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewFetched } from './fetched/new-fetched.tsx';
import { KnowledgeFrame } from './knowledge-frame.tsx';
import { NewFile } from './new-file.tsx';
import { NewText } from './new-text.tsx';
import { stateOf } from './source-words.ts';

export function SourcesPage() {
  const [adds, setAdds] = useState<'text' | 'file' | 'website' | 'integration' | null>(null);
  const close = (): void => setAdds(null);
  return (
    <KnowledgeFrame
      title="Knowledge"
      actions={
        <>
          <ActButton needs="write" onClick={() => setAdds('text')}>
            Add a text
          </ActButton>
          <ActButton needs="write" onClick={() => setAdds('website')}>
            Add a website
          </ActButton>
          <ActButton needs="write" onClick={() => setAdds('integration')}>
            Add an integration
          </ActButton>
          <ActButton needs="write" kind="primary" onClick={() => setAdds('file')}>
            Upload a file
          </ActButton>
        </>
      }
    >
      <SourceList />
      <NewText isOpen={adds === 'text'} onClose={close} />
      <NewFetched type="website" isOpen={adds === 'website'} onClose={close} />
      <NewFetched type="integration" isOpen={adds === 'integration'} onClose={close} />
      <NewFile isOpen={adds === 'file'} onClose={close} />
    </KnowledgeFrame>
  );
}

function SourceList() {
  const [{ type, status }] = useFilters();
  const list = useList('sources', '/v1/knowledge/sources', { query: { type, status } });
  return (
    <>
      <Filters>
        <SelectFilter
          name="type"
          label="Type"
          options={['text', 'file', 'website', 'integration']}
        />
        <SelectFilter
          name="status"
          label="Status"
          options={['pending', 'syncing', 'refreshing', 'ready', 'error']}
        />
        <ClearFilters names={['type', 'status']} />
      </Filters>
      <Table
        label="Knowledge sources"
        list={list}
        columns={COLUMNS}
        href={({ id }) => `/knowledge/sources/${id}`}
        narrow={({ type }) => type}
        empty={
          type || status
            ? 'No sources match these filters.'
            : 'There is no knowledge yet. Add a text, a website or an integration, or upload a file. Then select the source in an agent.'
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<Source>[] = [
  { name: 'Name', cell: ({ name }) => name, width: 'minmax(0, 2fr)' },
  { name: 'Status', cell: (source) => <State source={source} />, width: '8.5rem' },
  { name: 'Type', cell: ({ type }) => type, width: '7rem', isWide: true },
  {
    name: 'Documents',
    cell: ({ documents }) => count(documents),
    width: '7rem',
    align: 'end',
    isWide: 'very',
  },
  { name: 'Passages', cell: ({ chunks }) => count(chunks), width: '6rem', align: 'end' },
  { name: 'Managed by', cell: ({ managed_by: owner }) => owner, width: '8rem', isWide: 'very' },
  {
    name: 'Indexed',
    cell: ({ last_synced_at: at }) => <Time at={at} />,
    width: '8rem',
    isWide: true,
  },
];

function State({ source }: { source: Source }) {
  const { name, tone } = stateOf(source);
  return (
    <Status tone={tone} {...(source.status_message && { title: source.status_message })}>
      {name}
    </Status>
  );
}
