import { randomUUID } from 'node:crypto';
import { setInterval } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createAnnounce, emitEvent } from '../../src/events/emit-event.ts';
import type { EventData } from '../../src/events/event-types.ts';
import { newUuid } from '../../src/ids.ts';
import { createNotifier } from '../../src/platform/postgres/notifications.ts';
import { claimDeliveries, listDueEndpoints } from '../../src/webhooks/queue/delivery-queue.sql.ts';
import type { Db } from '../../src/platform/postgres/pool.ts';
import type { AttemptResult, ClaimedDelivery } from '../../src/webhooks/queue/dispatch-queue.ts';
import { readDelivery, type DeliveryRow } from '../../src/webhooks/queue/deliveries.sql.ts';
import { sealHeaders } from '../../src/webhooks/endpoints/endpoint-headers.ts';
import { endpointSecretPlace } from '../../src/webhooks/endpoints/endpoint-secrets.sql.ts';
import { upsertEndpoint } from '../../src/webhooks/endpoints/webhook-endpoints.sql.ts';
import { SECRET, startEngine, type Engine } from '../roles/engine.ts';
import type { HeldClock } from '../clock.ts';
import { until } from '../until.ts';

/**
 * The engine with endpoints and events put in as the operator and the services put them, without
 * an operator: what these tests are about begins at the outbox.
 */
export type DeliveryFixture = Engine & {
  /** Returns the uuid. `secret: null`: not there yet. */
  addEndpoint: (options?: EndpointOptions) => Promise<string>;
  /** Changes an endpoint's row in place. */
  changeEndpoint: (id: string, options: EndpointOptions) => Promise<void>;
  /** Commits an event and wakes the delivery role, as a service does; returns its uuid. */
  emit: (options?: EmitOptions) => Promise<string>;
  /** Claims as a delivery process does. */
  claim: (endpointId: string, slots?: number, token?: string) => Promise<ClaimedDelivery[]>;
  /** Ends all leases, as when the processes that hold them are found dead. */
  endLeases: () => Promise<void>;
  /** Moves all times of queued deliveries into the past, as if so much time had gone by. */
  travel: (ms: number, where?: string) => Promise<void>;
  deliveryOf: (eventId: string) => Promise<DeliveryRow>;
  /** Resolves with the delivery of this event once it is as asked. Looks every 20 ms. */
  deliveryWhen: (
    eventId: string,
    condition: (delivery: DeliveryRow) => boolean,
    timeoutMs?: number,
  ) => Promise<DeliveryRow>;
};

export type EndpointOptions = {
  id?: string;
  url?: string;
  enabled?: boolean;
  secret?: string | null;
  headers?: Record<string, string>;
  eventTypes?: string[];
  namespace?: string;
};

export type EmitOptions = {
  conversationId?: string;
  sequence?: number;
  namespace?: string;
  nowMs?: number;
  /** Text that makes the body longer or odd. */
  name?: string;
};

export async function startDeliveryFixture(): Promise<DeliveryFixture> {
  const engine = await startEngine();
  const { pool, log, metrics } = engine;
  const notifier = createNotifier({ pool, log });
  const announce = createAnnounce({ notifier, metrics });
  const put = (id: string, options: EndpointOptions): Promise<void> =>
    putEndpoint(engine, id, options);
  const deliveryOf = async (eventId: string): Promise<DeliveryRow> => {
    const { rows } = await pool.query<{ id: string; namespace: string }>(
      `select id, namespace from delivery_queue where event_id = $1
       union all select id, namespace from deliveries where event_id = $1 order by id`,
      [eventId],
    );
    const row = rows[0] && (await readDelivery(pool, rows[0]));
    // Between the two statements it may have gone from the queue into the history.
    return row ?? deliveryOf(eventId);
  };
  return {
    ...engine,
    addEndpoint: async (options = {}) => {
      const id = options.id ?? newUuid();
      await put(id, options);
      return id;
    },
    changeEndpoint: put,
    emit: async (options = {}) => {
      const { nowMs = Date.now(), name = 'x', namespace = 'default', ...conversation } = options;
      const emitted = await emitEvent(
        pool,
        { namespace, type: 'agent.published', data: agentPublished(name), ...conversation },
        nowMs,
      );
      announce(emitted);
      return emitted.eventId;
    },
    claim: (endpointId, slots = 32, leaseToken = randomUUID()) =>
      claimDeliveries(pool, [{ endpointId, slots, yieldingSlots: slots }], {
        leaseToken,
        processNumber: null,
      }),
    endLeases: async () => {
      await pool.query('update delivery_queue set run_at = now() where lease_token is not null');
    },
    travel: async (ms, where = 'true') => {
      await pool.query(
        `update delivery_queue
            set scheduled_from = scheduled_from - $1 * interval '1 ms',
                due_at = due_at - $1 * interval '1 ms', run_at = run_at - $1 * interval '1 ms',
                leased_at = leased_at - $1 * interval '1 ms'
          where ${where}`,
        [ms],
      );
    },
    deliveryOf,
    deliveryWhen: async (eventId, condition, timeoutMs = 20_000) => {
      let delivery: DeliveryRow | undefined;
      const check = async (): Promise<DeliveryRow | false> => {
        delivery = await deliveryOf(eventId);
        return condition(delivery) && delivery;
      };
      const what = (): string => `a delivery other than ${JSON.stringify(delivery)}`;
      return until(what, check, { timeoutMs });
    },
    stop: async () => {
      await notifier.stop();
      await engine.stop();
    },
  };
}

async function putEndpoint(engine: Engine, id: string, options: EndpointOptions): Promise<void> {
  const { namespace = 'default', secret = SECRET } = options;
  await upsertEndpoint(engine.pool, {
    id,
    namespace,
    name: id,
    uid: randomUUID(),
    generation: 1,
    managedBy: 'api',
    url: options.url ?? 'https://receiver.test/',
    eventTypes: options.eventTypes ?? [],
    description: '',
    enabled: options.enabled ?? true,
    headers: sealHeaders(engine.sealer, { id, namespace }, options.headers ?? {}),
    metadata: {},
    ready: true,
    reason: 'Delivering',
    message: '',
    suspendedBy: null,
    secret: secret === null ? null : engine.sealer.seal(secret, endpointSecretPlace(namespace, id)),
  });
}

/** From now on held time passes until the test ends, as fast as what it sets in motion follows. */
export function letTimePass({ advance }: Pick<HeldClock, 'advance'>): void {
  const isOver = new AbortController();
  onTestFinished(() => isOver.abort());
  void (async () => {
    // A turn of the loop is too short for a statement.
    for await (const _ of setInterval(5, undefined, { signal: isOver.signal })) await advance(20);
  })().catch(() => undefined);
}

/** The endpoints that have something due, in any order. */
export async function dueIn(db: Db): Promise<string[]> {
  return (await listDueEndpoints(db)).endpoints.map(({ endpointId }) => endpointId);
}

export function agentPublished(name: string): EventData<'agent.published'> {
  return { agent_id: 'agt_1', name, version: 1, previous_version: null, actor: 'file' };
}

/** What one attempt of a claimed delivery came to. */
export function resultOf(
  delivery: Pick<ClaimedDelivery, 'id' | 'leaseToken'>,
  change: Partial<AttemptResult> = {},
): AttemptResult {
  return {
    deliveryId: delivery.id,
    leaseToken: delivery.leaseToken,
    outcome: 'delivered',
    nextOffsetMs: null,
    durationMs: 5,
    statusCode: 200,
    errorClass: null,
    errorMessage: null,
    responseBody: 'ok',
    ...change,
  };
}

export const failure = (nextOffsetMs: number): Partial<AttemptResult> => ({
  outcome: 'retry',
  nextOffsetMs,
  statusCode: 500,
  errorClass: 'http_status',
});
