import type { Db } from './pool.ts';
import type { ManagedBy } from './agents.ts';

/** What the operator made of a WebhookEndpoint. Times are Unix milliseconds. */
export type WebhookEndpointRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  url: string;
  /** Empty: every type. */
  eventTypes: string[];
  description: string;
  enabled: boolean;
  headers: Record<string, string>;
  metadata: Record<string, string>;
  ready: boolean;
  reason: string;
  message: string;
  createdAt: number;
  updatedAt: number;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  lastFailure: LastFailure | null;
};

export type LastFailure = {
  delivery_id: string;
  status_code: number | null;
  error_class: string | null;
};

export type EndpointProjection = Omit<
  WebhookEndpointRow,
  'createdAt' | 'updatedAt' | 'lastSuccessAt' | 'lastFailureAt' | 'lastFailure'
> & {
  /** Sealed; null keeps the last one that was there. */
  secret: Buffer | null;
};

const COLUMNS = `e.id, e.namespace, e.name, e.uid, e.generation, e.managed_by as "managedBy",
  e.url, e.event_types as "eventTypes", e.description, e.enabled, e.headers, e.metadata,
  e.ready, e.reason, e.message, e.created_at as "createdAt", e.updated_at as "updatedAt",
  h.last_success_at as "lastSuccessAt", h.last_failure_at as "lastFailureAt",
  h.last_failure as "lastFailure"`;
const FROM = `webhook_endpoints e left join endpoint_health h on h.endpoint_id = e.id`;

export async function readEndpoint(
  db: Db,
  { namespace, id }: { namespace: string; id: string },
): Promise<WebhookEndpointRow | undefined> {
  const { rows } = await db.query<WebhookEndpointRow>({
    name: 'read_endpoint',
    text: `select ${COLUMNS} from ${FROM}
            where e.id = $1 and e.namespace = $2 and e.deleted_at is null`,
    values: [id, namespace],
  });
  return rows[0];
}

export type EndpointFilter = {
  namespace: string;
  enabled?: boolean | undefined;
  status?: keyof typeof HAS_STATUS | undefined;
  /** uuid after which the page starts */
  before: string | null;
  limit: number;
};

/** As `healthOf` in services/read-endpoint-health.ts has it. */
const HAS_STATUS = {
  disabled: 'not e.enabled',
  failing: `e.enabled and h.last_failure_at > coalesce(h.last_success_at, '-infinity')`,
  healthy: `e.enabled and (h.last_failure_at > coalesce(h.last_success_at, '-infinity')) is not true`,
} as const;

/** Newest first. */
export async function listEndpoints(
  db: Db,
  filter: EndpointFilter,
): Promise<WebhookEndpointRow[]> {
  const conditions: [string, string | boolean | undefined][] = [
    ['e.namespace =', filter.namespace],
    ['e.enabled =', filter.enabled],
    ['e.id <', filter.before ?? undefined],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const { rows } = await db.query<WebhookEndpointRow>(
    `select ${COLUMNS} from ${FROM}
      where ${given.map(([condition], i) => `${condition} $${i + 1}`).join(' and ')}
        and e.deleted_at is null ${filter.status ? `and ${HAS_STATUS[filter.status]}` : ''}
      order by e.id desc limit $${given.length + 1}`,
    [...given.map(([, value]) => value), filter.limit],
  );
  return rows;
}

export type HealthRow = Pick<
  WebhookEndpointRow,
  'namespace' | 'name' | 'enabled' | 'lastSuccessAt' | 'lastFailureAt'
>;

/** How deliveries to each endpoint go, of all namespaces. */
export async function listEndpointHealth(db: Db): Promise<HealthRow[]> {
  const { rows } = await db.query<HealthRow>({
    name: 'list_endpoint_health',
    text: `select e.namespace, e.name, e.enabled, h.last_success_at as "lastSuccessAt",
                  h.last_failure_at as "lastFailureAt"
             from ${FROM} where e.deleted_at is null`,
  });
  return rows;
}

/** Writes the whole projection. A removed endpoint that is declared again comes back. */
export async function upsertEndpoint(db: Db, endpoint: EndpointProjection): Promise<void> {
  const e = endpoint;
  await db.query(
    `insert into webhook_endpoints as e
       (id, namespace, name, uid, generation, managed_by, url, event_types, description, enabled,
        headers, metadata, secret, ready, reason, message)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (id) do update set
       namespace = excluded.namespace, name = excluded.name, uid = excluded.uid,
       generation = excluded.generation, managed_by = excluded.managed_by, url = excluded.url,
       event_types = excluded.event_types, description = excluded.description,
       enabled = excluded.enabled, headers = excluded.headers, metadata = excluded.metadata,
       secret = coalesce(excluded.secret, e.secret), ready = excluded.ready,
       reason = excluded.reason, message = excluded.message, deleted_at = null,
       updated_at = case when (e.generation, e.uid) is distinct from
         (excluded.generation, excluded.uid) then now() else e.updated_at end`,
    [
      e.id,
      e.namespace,
      e.name,
      e.uid,
      e.generation,
      e.managedBy,
      e.url,
      e.eventTypes,
      e.description,
      e.enabled,
      e.headers,
      e.metadata,
      e.secret,
      e.ready,
      e.reason,
      e.message,
    ],
  );
}

/** Says why the latest declaration is not in force; the last good one stays. */
export async function updateEndpointCondition(
  db: Db,
  endpoint: Pick<WebhookEndpointRow, 'id' | 'uid' | 'generation' | 'ready' | 'reason' | 'message'>,
): Promise<void> {
  await db.query(
    `update webhook_endpoints set uid = $2, generation = $3, ready = $4, reason = $5, message = $6
      where id = $1`,
    [
      endpoint.id,
      endpoint.uid,
      endpoint.generation,
      endpoint.ready,
      endpoint.reason,
      endpoint.message,
    ],
  );
}

/**
 * Hides the endpoint of this name, unless it is `exceptId`, and returns its id; the caller
 * cancels what was still on its way.
 */
export async function markEndpointDeleted(
  db: Db,
  key: { namespace: string; name: string },
  exceptId: string | null = null,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `update webhook_endpoints set deleted_at = now(), updated_at = now(), secret = null
      where namespace = $1 and name = $2 and deleted_at is null and ($3::uuid is null or id <> $3)
     returning id`,
    [key.namespace, key.name, exceptId],
  );
  return rows[0]?.id;
}

/** Where an endpoint's secret belongs, authenticated with it (sealing.ts). */
export function endpointSecretPlace(namespace: string, id: string): string {
  return `endpoint:${namespace}/${id}`;
}

export async function readSealedSecret(db: Db, id: string): Promise<Buffer | null> {
  const { rows } = await db.query<{ secret: Buffer | null }>(
    'select secret from webhook_endpoints where id = $1',
    [id],
  );
  return rows[0]?.secret ?? null;
}
