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
    printerColumn('Health', 'string', '.status.health', 'State of the latest deliveries.'),
    printerColumn('URL', 'string', '.spec.url', 'URL to which events are sent.'),
    printerColumn('Events', 'string', '.spec.eventTypes', 'Event types sent; empty means all.'),
    printerColumn('Suspended', 'boolean', '.spec.suspend', 'Whether deliveries are suspended.'),
    printerColumn(
      'Last-Success',
      'date',
      '.status.lastSuccessTime',
      'Time of the last acknowledged delivery.',
    ),
  ],
  selectableFields: ['.spec.url', '.spec.suspend', '.status.health'],
});
