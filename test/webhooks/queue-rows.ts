import { newUuid } from '../../src/ids.ts';
import type { Columns, Rows } from '../platform/postgres/rows.ts';

/** Tables of the rows that these add; `useRows` empties them. */
export const QUEUE_TABLES = [
  'events',
  'delivery_queue',
  'deliveries',
  'delivery_attempts',
  'webhook_endpoints',
  'jobs',
];

type New = { id?: string } & Columns;

/** Adds rows about deliveries. Each returns the id of its row, and each column may be another one. */
export function queueRows(stored: Pick<Rows, 'add'>) {
  const add = async (table: string, { id = newUuid(), ...columns }: New): Promise<string> => {
    await stored.add(table, { id, namespace: 'default', ...columns });
    return id;
  };
  const ofEvent = { event_id: newUuid(), event_type: 'agent.published', trigger: 'schedule' };
  return {
    addEvent: (columns: New = {}) =>
      add('events', { type: 'agent.published', body: Buffer.from('{}'), ...columns }),
    addQueued: (columns: New & { endpoint_id: string }) =>
      add('delivery_queue', { ...ofEvent, ...columns }),
    addDelivery: (columns: New & { endpoint_id: string }) =>
      add('deliveries', { ...ofEvent, status: 'delivered', attempt_count: 1, ...columns }),
    addEndpoint: (columns: New = {}) => {
      const id = newUuid();
      const declared = { name: `e-${id}`, uid: id, generation: 1, managed_by: 'api', headers: {} };
      const spec = { url: 'https://example.com/', event_types: [], description: '', metadata: {} };
      return add('webhook_endpoints', { id, ...declared, ...spec, enabled: true, ...columns });
    },
    addJob: (columns: New & { endpoint_id: string }) => {
      const what = { type: 'replay', mode: 'failed', status: 'running', actor: 'key', types: [] };
      const span = { since: new Date(0), until: new Date(), total: 1 };
      return add('jobs', { ...what, ...span, ...columns });
    },
  };
}
