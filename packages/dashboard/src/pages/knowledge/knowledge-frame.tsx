import type { ReactNode } from 'react';
import { Needing } from '../../ui/needing.tsx';
import { Page, Tabs } from '../../ui/page.tsx';
import './knowledge.css';

const TABS = [
  { to: '/knowledge', name: 'Sources' },
  { to: '/knowledge/gaps', name: 'Gaps' },
  { to: '/knowledge/search', name: 'Search' },
];

export function KnowledgeFrame({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Page title={title} heading="Knowledge" actions={actions}>
      <Tabs label="Knowledge" tabs={TABS} />
      <Needing scope="read">{children}</Needing>
    </Page>
  );
}
