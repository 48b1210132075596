import { Tabs } from '../../ui/page.tsx';

const TABS = [
  { to: '/webhooks', name: 'Endpoints' },
  { to: '/webhooks/deliveries', name: 'Deliveries' },
  { to: '/webhooks/events', name: 'Events' },
];

export function WebhooksTabs() {
  return <Tabs label="Webhooks" tabs={TABS} />;
}
