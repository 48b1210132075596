import type { Finding } from '../../platform/reconcile/conditions.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { rfc3339 } from '../../platform/resources/schema/field-types.ts';
import type {
  ObjectKey,
  ResourceEvent,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import type { WebhookEndpointStatus } from './webhook-endpoint.ts';
import {
  listEndpointHealth,
  readEndpoint,
  type HealthRow,
  type LastFailure,
} from './webhook-endpoints.sql.ts';

export type EndpointHealth = 'healthy' | 'failing' | 'disabled' | 'not_ready';

/** Returns the health of an endpoint, based on the outcome of its latest deliveries (contract/webhooks.md#status). */
export function healthOf(
  endpoint: Pick<HealthRow, 'enabled' | 'ready' | 'lastFailureAt' | 'lastSuccessAt'>,
): EndpointHealth {
  if (!endpoint.enabled) return 'disabled';
  if (!endpoint.ready) return 'not_ready';
  return isFailing(endpoint) ? 'failing' : 'healthy';
}

function isFailing({
  lastFailureAt,
  lastSuccessAt,
}: Pick<HealthRow, 'lastFailureAt' | 'lastSuccessAt'>): boolean {
  return lastFailureAt !== null && lastFailureAt > (lastSuccessAt ?? -Infinity);
}

const IN_STATUS = {
  healthy: 'Healthy',
  failing: 'Failing',
  disabled: 'Disabled',
  not_ready: 'NotReady',
} as const satisfies Record<EndpointHealth, Shown['health']>;

type Shown = Pick<
  WebhookEndpointStatus,
  'health' | 'lastSuccessTime' | 'lastFailureTime' | 'failingSince' | 'conditions'
>;

/** Part of an endpoint's status that describes its deliveries. */
export type ShownDelivery = {
  status: Omit<Shown, 'conditions'>;
  delivering: Finding;
  /** Kubernetes Events to emit, because deliveries have begun to fail or are acknowledged again. */
  events: ResourceEvent[];
};

/**
 * Minimum time in ms between two values of a timestamp in the status while the health stays the same. A smaller change
 * is not written, because each write goes to the API server of the cluster, which is not a metrics store.
 */
const TIME_KEPT_MS = 300_000;

/** Returns the part of an endpoint's status that describes deliveries. `shown` is the current status. */
export async function readEndpointHealth(
  { pool }: { pool: Pool },
  key: { id: string; namespace: string },
  shown: Shown,
): Promise<ShownDelivery> {
  return deliveryToShow(await readEndpoint(pool, key), shown);
}

/** Lists endpoints whose status is out of date. */
export async function listStaleEndpoints(deps: {
  pool: Pool;
  store: Pick<ResourceStore, 'get'>;
}): Promise<ObjectKey[]> {
  const stale: ObjectKey[] = [];
  for (const row of await listEndpointHealth(deps.pool)) {
    const shown: Shown | undefined = (await deps.store.get('WebhookEndpoint', row))?.status;
    if (shown && !isShown(deliveryToShow(row, shown), shown)) stale.push(row);
  }
  return stale;
}

function isShown({ status, delivering }: ShownDelivery, shown: Shown): boolean {
  const before = deliveringOf(shown);
  return (
    status.health === shown.health &&
    status.lastSuccessTime === shown.lastSuccessTime &&
    status.lastFailureTime === shown.lastFailureTime &&
    status.failingSince === shown.failingSince &&
    before?.reason === delivering.reason &&
    before.message === delivering.message
  );
}

/**
 * Returns the part of a status that describes deliveries. `endpoint` is undefined if the endpoint has no row: all its
 * declarations were rejected, and nothing was ever sent.
 */
function deliveryToShow(endpoint: HealthRow | undefined, shown: Shown): ShownDelivery {
  if (endpoint === undefined) {
    return { status: { health: 'NotReady' }, delivering: NOTHING_SENT, events: [] };
  }
  const { lastSuccessAt, lastFailureAt, failingSince } = endpoint;
  const state = healthOf(endpoint);
  // Before the first attempt, the status must not report a healthy endpoint.
  const wasTried = lastSuccessAt !== null || lastFailureAt !== null;
  const health = state === 'healthy' && !wasTried ? ('Unknown' as const) : IN_STATUS[state];
  const timeOf = (atMs: number | null, shownTime: string | undefined): string | undefined => {
    if (atMs === null) return undefined;
    const isKept = health === shown.health && atMs - Date.parse(shownTime ?? '') < TIME_KEPT_MS;
    return isKept ? shownTime : rfc3339(atMs);
  };
  const lastSuccessTime = timeOf(lastSuccessAt, shown.lastSuccessTime);
  const lastFailureTime = timeOf(lastFailureAt, shown.lastFailureTime);
  const status = {
    health,
    ...(lastSuccessTime !== undefined && { lastSuccessTime }),
    ...(lastFailureTime !== undefined && { lastFailureTime }),
    ...(failingSince !== null && { failingSince: rfc3339(failingSince) }),
  };
  const delivering = deliveringNow(endpoint, status);
  return { status, delivering, events: turnOf(deliveringOf(shown), delivering, endpoint) };
}

const TYPE = 'Delivering';
const NOTHING_SENT: Finding = {
  type: TYPE,
  status: 'Unknown',
  reason: 'NothingSent',
  message: 'no event has been sent yet',
};

function deliveringNow(
  endpoint: HealthRow,
  { lastSuccessTime, lastFailureTime }: ShownDelivery['status'],
): Finding {
  if (!endpoint.enabled) {
    const message = '`spec.suspend` is true: no deliveries are made';
    return { type: TYPE, status: false, reason: 'Suspended', message };
  }
  if (isFailing(endpoint)) {
    const message = `the last attempt failed: ${failureOf(endpoint.lastFailure)}; as of ${lastFailureTime}`;
    return { type: TYPE, status: false, reason: 'Failing', message };
  }
  if (lastSuccessTime === undefined) return NOTHING_SENT;
  const message = `the last attempt was acknowledged; as of ${lastSuccessTime}`;
  return { type: TYPE, status: true, reason: 'Acknowledged', message };
}

/**
 * Describes the state of an endpoint in one line (contract/webhooks.md#status). The line never claims success if the
 * last attempt failed. `whyOff` is the reason why the endpoint is disabled.
 */
export function statusMessage(
  endpoint: HealthRow & { message: string },
  whyOff: string | null,
): string {
  if (!endpoint.ready) return endpoint.message;
  if (whyOff !== null) return `no deliveries are made: ${whyOff}`;
  if (isFailing(endpoint)) {
    return `active, but deliveries fail: ${failureOf(endpoint.lastFailure)}`;
  }
  return endpoint.lastSuccessAt === null
    ? 'active; no event has been sent yet'
    : 'active; the last attempt was acknowledged';
}

/** Returns text such as `status 503`, `timeout` or `redirect, status 302`. */
function failureOf(failure: LastFailure | null): string {
  const { error_class: errorClass = null, status_code: statusCode = null } = failure ?? {};
  const parts = [
    ...(errorClass === null || errorClass === 'http_status' ? [] : [errorClass]),
    ...(statusCode === null ? [] : [`status ${statusCode}`]),
  ];
  return parts.join(', ') || 'no answer';
}

type Before = NonNullable<Shown['conditions']>[number] | undefined;

function deliveringOf({ conditions = [] }: Shown): Before {
  return conditions.find(({ type }) => type === TYPE);
}

/**
 * Returns the Kubernetes Events for a change of health. Their notes omit the time, so that Kubernetes counts
 * repetitions in the same Event.
 */
function turnOf(
  before: Before,
  now: Finding,
  { lastFailure }: Pick<HealthRow, 'lastFailure'>,
): ResourceEvent[] {
  const action = 'Deliver';
  if (now.reason === 'Failing' && before?.reason !== 'Failing') {
    const note = `deliveries fail: ${failureOf(lastFailure)}`;
    return [{ type: 'Warning', reason: 'DeliveryFailing', action, note }];
  }
  if (now.reason === 'Acknowledged' && before?.reason === 'Failing') {
    const note = 'deliveries are acknowledged again';
    return [{ type: 'Normal', reason: 'DeliveryRecovered', action, note }];
  }
  return [];
}
