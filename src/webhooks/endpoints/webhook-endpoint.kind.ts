import { definitionOf, printerColumn } from '../../platform/resources/schema/kind-definition.ts';
import { webhookEndpointSpec, webhookEndpointStatus } from './webhook-endpoint.ts';

export const WEBHOOK_ENDPOINT_KIND = definitionOf({
  kind: 'WebhookEndpoint',
  idPrefix: 'we',
  resource: 'webhooks',
  shortNames: ['whe'],
  description: 'An HTTP endpoint that receives signed events, each at least once.',
  spec: webhookEndpointSpec,
  status: webhookEndpointStatus,
  columns: [
    printerColumn('Health', 'string', '.status.health', 'How the latest deliveries went.'),
    printerColumn('URL', 'string', '.spec.url', 'Address events are sent to.'),
    printerColumn('Events', 'string', '.spec.eventTypes', 'Events sent; empty: all.'),
    printerColumn('Suspended', 'boolean', '.spec.suspend', 'Whether it is switched off.'),
    printerColumn('Last-Success', 'date', '.status.lastSuccessTime', 'Last acknowledged delivery.'),
  ],
  selectableFields: ['.spec.url', '.spec.suspend', '.status.health'],
});
