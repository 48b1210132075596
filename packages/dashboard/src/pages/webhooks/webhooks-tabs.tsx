import { Tabs } from '../../ui/page.tsx';

const TABS = [
  { to: '/webhooks', name: 'Endpoints' },
  { to: '/webhooks/deliveries', name: 'Deliveries' },
  { to: '/webhooks/events', name: 'Events' },
];

/** What a webhook is made of: where to, what of it got there, what happened. */
export function WebhooksTabs() {
  return <Tabs label="Webhooks" tabs={TABS} />;
}
