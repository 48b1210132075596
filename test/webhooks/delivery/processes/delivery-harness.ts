import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { encodeEnvelope } from '../../../../src/events/envelope.ts';
import { fromUuid, newUuid } from '../../../../src/ids.ts';
import { insertTestEvents } from '../../../../src/events/outbox.sql.ts';
import { CHANNELS } from '../../../../src/platform/postgres/notifications.ts';
import { maintainPartitions } from '../../../../src/webhooks/queue/partitions.sql.ts';
import { createPool, type Pool } from '../../../../src/platform/postgres/pool.ts';
import { createSealer } from '../../../../src/platform/postgres/sealing.ts';
import { inTransaction } from '../../../../src/platform/postgres/transaction.ts';
import { endpointSecretPlace } from '../../../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { upsertEndpoint } from '../../../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import {
  ENCRYPTION_KEY,
  startDeliveryProcess,
  type DeliveryProcess,
  type DeliveryProcessOptions,
} from './delivery-process.ts';
import { createTestDatabase } from '../../../platform/postgres/postgres.ts';
import { startReceiver, type Receiver } from '../../receiver.ts';
import { until } from '../../../until.ts';

/**
 * Delivery processes on one database, endpoints, a receiver that records, and events put into the
 * outbox as the API does: without API and operator, which are not what is broken here.
 */
export type DeliveryHarness = {
  databaseUrl: string;
  pool: Pool;
  receiver: Receiver;
  /** Its uuid; the receiver knows its requests by the path. */
  addEndpoint: (url?: string) => Promise<string>;
  addEndpoints: (count: number) => Promise<string[]>;
  /** 200 to all from now on, each after so long. */
  answerAfter: (ms: number) => void;
  /** Commits so many events, one endpoint after the other, and wakes the processes. */
  emit: (
    endpointIds: readonly string[],
    count: number,
    options?: { bytes?: number; conversations?: boolean },
  ) => Promise<string[]>;
  /** Stopped with the harness, killed when they do not end. */
  start: (options?: Omit<DeliveryProcessOptions, 'databaseUrl'>) => Promise<DeliveryProcess>;
  /** Starts and waits until it is ready. */
  startReady: DeliveryHarness['start'];
  /** Deliveries under lease: sent, or about to be, and not recorded. */
  leased: (processNumber?: number) => Promise<Leased[]>;
  processNumbers: () => Promise<number[]>;
  attempts: () => Promise<AttemptRow[]>;
  /** Resolves when the queue is empty. */
  drained: (timeoutMs?: number) => Promise<void>;
  /** Leases that are held now run out now. */
  endLeases: () => Promise<number>;
  /** Arrivals beyond the first of each event. */
  duplicates: () => number;
  missing: (eventIds: readonly string[]) => string[];
  stop: () => Promise<void>;
};

type Leased = { deliveryId: string; eventId: string; leasedBy: number };
type AttemptRow = {
  deliveryId: string;
  number: number;
  statusCode: number | null;
  errorClass: string | null;
};

const EMIT_MAX = 100;
const EMIT_BYTES_MAX = 4 * 2 ** 20;
/** A process that has to end has this long. */
const END_MS = 15_000;

/** @param databaseUrl a migrated one that stays; default: one of its own that `stop` drops */
export async function startDeliveryHarness(databaseUrl?: string): Promise<DeliveryHarness> {
  const database = databaseUrl === undefined ? await createTestDatabase() : undefined;
  const url = databaseUrl ?? database!.url;
  const log = pino({ level: 'silent' });
  const pool = createPool(url, { log, max: 4 });
  await maintainPartitions(pool, Date.now());
  const receiver = await startReceiver();
  const sealer = createSealer(ENCRYPTION_KEY);
  const processes: DeliveryProcess[] = [];

  async function emitSome(
    endpointIds: readonly string[],
    options: { bytes: number; conversations: boolean },
  ): Promise<string[]> {
    const events = endpointIds.map((endpointId) => newEvent(endpointId, options.bytes));
    const ids = events.map(({ id }) => id);
    await inTransaction(pool, async (db) => {
      await insertTestEvents(db, events);
      // They stand for real ones, which the metrics count.
      await db.query(
        `update delivery_queue set trigger = 'schedule', test = false where event_id = any($1)`,
        [ids],
      );
      // Each the first of a conversation, whose successors would wait for its start.
      if (options.conversations) {
        await db.query(
          `update delivery_queue set conversation_id = event_id, sequence = 1, started = false
            where event_id = any($1)`,
          [ids],
        );
      }
    });
    return ids;
  }
  const start: DeliveryHarness['start'] = async (options = {}) => {
    const started = await startDeliveryProcess({ databaseUrl: url, ...options });
    processes.push(started);
    return started;
  };
  const addEndpoint: DeliveryHarness['addEndpoint'] = async (endpointUrl) => {
    const id = newUuid();
    const secret = sealer.seal(SECRET, endpointSecretPlace('default', id));
    await upsertEndpoint(pool, {
      ...ENDPOINT,
      id,
      name: id,
      uid: randomUUID(),
      url: endpointUrl ?? `${receiver.url}/${id}`,
      secret,
    });
    return id;
  };
  return {
    databaseUrl: url,
    pool,
    receiver,
    addEndpoint,
    addEndpoints: (count) => Promise.all(Array.from({ length: count }, () => addEndpoint())),
    answerAfter: (ms) =>
      receiver.answer((_, response) => void setTimeout(() => response.writeHead(200).end(), ms)),
    emit: async (endpointIds, count, { bytes = 0, conversations = false } = {}) => {
      const ids: string[] = [];
      const together = Math.max(1, Math.min(EMIT_MAX, Math.floor(EMIT_BYTES_MAX / (bytes + 1))));
      for (let sent = 0; sent < count; sent += together) {
        const some = Array.from({ length: Math.min(together, count - sent) });
        const to = some.map((_, i) => endpointIds[(sent + i) % endpointIds.length]!);
        const made = await emitSome(to, { bytes, conversations });
        await pool.query('select pg_notify($1, $2)', [
          CHANNELS.deliveries,
          [...new Set(to)].join(','),
        ]);
        ids.push(...made.map((id) => fromUuid('evt', id)));
      }
      return ids;
    },
    start,
    startReady: async (options) => {
      const started = await start(options);
      await started.ready;
      return started;
    },
    leased: async (processNumber) => {
      const { rows } = await pool.query<Leased>(
        `select id as "deliveryId", event_id as "eventId", leased_by as "leasedBy"
           from delivery_queue
          where lease_token is not null and ($1::int is null or leased_by = $1)`,
        [processNumber ?? null],
      );
      return rows.map((row) => ({ ...row, eventId: fromUuid('evt', row.eventId) }));
    },
    processNumbers: async () => {
      const { rows } = await pool.query<{ number: number }>(
        'select number from delivery_processes order by number',
      );
      return rows.map(({ number }) => number);
    },
    attempts: async () => {
      const { rows } = await pool.query<AttemptRow>(
        `select delivery_id as "deliveryId", number, status_code as "statusCode",
                error_class as "errorClass"
           from delivery_attempts order by 1, 2`,
      );
      return rows;
    },
    drained: async (timeoutMs = 20_000) => {
      let left = 0;
      const isEmpty = async (): Promise<boolean> => {
        const { rows } = await pool.query<{ left: number }>(
          'select count(*) as left from delivery_queue',
        );
        ({ left } = rows[0]!);
        return left === 0;
      };
      await until(() => `the queue to be empty: ${left} are left`, isEmpty, { timeoutMs });
    },
    endLeases: async () => {
      const { rowCount } = await pool.query(
        'update delivery_queue set run_at = now() where lease_token is not null',
      );
      return rowCount ?? 0;
    },
    duplicates: () =>
      receiver.received.length - new Set(receiver.received.map(({ json }) => json.id)).size,
    missing: (eventIds) => {
      const arrived = new Set(receiver.received.map(({ json }) => json.id));
      return eventIds.filter((id) => !arrived.has(id));
    },
    stop: async () => {
      await Promise.all(processes.map(end));
      await receiver.close();
      await pool.end();
      await database?.drop();
    },
  };
}

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ENDPOINT = {
  namespace: 'default',
  generation: 1,
  managedBy: 'api' as const,
  eventTypes: [],
  description: '',
  enabled: true,
  headers: { sealed: null, names: [] },
  metadata: {},
  ready: true,
  reason: 'Delivering' as const,
  message: '',
  suspendedBy: null,
};

function newEvent(endpointId: string, bytes: number) {
  const nowMs = Date.now();
  const id = newUuid(nowMs);
  const type = 'agent.published' as const;
  const body = encodeEnvelope({
    id: fromUuid('evt', id),
    type,
    created: Math.floor(nowMs / 1_000),
    data: {
      agent_id: 'agt_1',
      name: 'x'.repeat(bytes),
      version: 1,
      previous_version: null,
      actor: 'file',
    },
  });
  return { id, deliveryId: newUuid(nowMs), namespace: 'default', type, endpointId, body };
}

async function end(one: DeliveryProcess): Promise<void> {
  if (one.end() !== undefined) return;
  one.signal('SIGCONT');
  const late = setTimeout(() => one.signal('SIGKILL'), END_MS);
  await one.stop();
  clearTimeout(late);
}
