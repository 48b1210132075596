import { useList } from '../../data/use-list.ts';
import { DocumentLink } from '../../transcript/document-link.tsx';
import { count, decimal } from '../../ui/figure.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { mebibytes } from './uploading.ts';

export function SourceDocuments({ id }: { id: string }) {
  const list = useList('sources', '/v1/knowledge/sources/{id}/documents', { path: { id } });
  return (
    <section className="stack-small">
      <h2>Documents</h2>
      <Table
        label="Documents"
        list={list}
        empty="Nothing is indexed yet."
        columns={[
          {
            name: 'Title',
            cell: ({ title, path, url }) => <DocumentLink title={title || path} url={url} />,
            width: 'minmax(0, 2fr)',
          },
          { name: 'Path', cell: ({ path }) => path, isWide: true },
          {
            name: 'Language',
            cell: ({ language }) => language ?? '–',
            width: '6rem',
            isWide: true,
          },
          { name: 'Passages', cell: ({ chunks }) => count(chunks), width: '6rem', align: 'end' },
          { name: 'Size', cell: ({ bytes }) => sizeText(bytes), width: '6rem', align: 'end' },
          {
            name: 'Updated',
            cell: ({ updated }) => <Time at={updated} />,
            width: '8rem',
            isWide: true,
          },
        ]}
      />
    </section>
  );
}

function sizeText(bytes: number): string {
  return bytes < 100_000 ? `${decimal(bytes / 1024)} KiB` : mebibytes(bytes);
}
