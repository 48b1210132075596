import type { ReactNode } from 'react';
import { Page, Tabs } from '../../ui/page.tsx';

const TABS = [
  { to: '/settings', name: 'API keys' },
  { to: '/settings/sessions', name: 'Sessions' },
  { to: '/settings/audit', name: 'Audit log' },
  { to: '/settings/jobs', name: 'Jobs' },
  { to: '/settings/providers', name: 'Model providers' },
  { to: '/settings/telephony', name: 'Telephony' },
  { to: '/settings/usage', name: 'Usage' },
];

export function SettingsFrame({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Page title={title} heading="Settings" actions={actions}>
      <Tabs label="Settings" tabs={TABS} />
      {children}
    </Page>
  );
}
