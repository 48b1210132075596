import { filteredBy, type ListPage } from '../../platform/postgres/list-filters.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { ManagedBy } from '../../platform/resources/kind-names.ts';
import type { SealedHeaders, SealedRotation } from './endpoint-secrets.sql.ts';

/** Row of a WebhookEndpoint, written by the operator. Times are Unix milliseconds. */
export type WebhookEndpointRow = {
  id: string;
  namespace: string;
  name: string;
  uid: string;
  generation: number;
  managedBy: ManagedBy;
  url: string;
  /** Subscribed types; empty means every type. */
  eventTypes: string[];
  description: string;
  enabled: boolean;
  /**
   * Names of the declared headers and of those set through REST. Their values are encrypted (endpoint-secrets.sql.ts).
   */
  headerNames: string[];
  /** Revision of the headers set through REST, which are not part of the declaration. Each change increments it. */
  headerRevision: number;
  metadata: Record<string, string>;
  ready: boolean;
  reason: string;
  message: string;
  createdAt: number;
  updatedAt: number;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  lastFailure: LastFailure | null;
  /**
   * Time of the first failed attempt since the last success. Null if no attempt has failed since then; `failedAttempts`
   * is 0 in that case.
   */
  failingSince: number | null;
  failedAttempts: number;
  /**
   * Field manager that disabled the endpoint; null if it is enabled, or if an earlier release did not record the
   * manager.
   */
  suspendedBy: string | null;
  /** Time in Unix milliseconds at which the next secret begins to sign; null if the row has no rotation. */
  nextSecretAt: number | null;
  oldSecretUntil: number | null;
};

export type LastFailure = {
  delivery_id: string;
  status_code: number | null;
  error_class: string | null;
};

export type EndpointProjection = Omit<
  WebhookEndpointRow,
  | 'createdAt'
  | 'updatedAt'
  | 'lastSuccessAt'
  | 'lastFailureAt'
  | 'lastFailure'
  | 'failingSince'
  | 'failedAttempts'
  | 'nextSecretAt'
  | 'oldSecretUntil'
  | 'headerNames'
  | 'headerRevision'
> & {
  /** Encrypted (sealed) secret. Null keeps the stored secret and its rotation. */
  secret: Buffer | null;
  /** Rotation that belongs to `secret`. If only `secret` is set, a rotation in progress ends. */
  next?: SealedRotation;
  /** Declared headers, with encrypted values. */
  headers: SealedHeaders;
};

/**
 * SQL for the start and the length of the current series of failures. After a success there is no series, and the
 * values are null and 0. Whether there is a series is determined from the times of the last success and the last
 * failure. The stored columns alone are not reliable, because processes of earlier releases do not reset them after a
 * success.
 */
const RUN = `case when h.last_failure_at > coalesce(h.last_success_at, '-infinity')
    then coalesce(case when h.failing_since > coalesce(h.last_success_at, '-infinity')
                       then h.failing_since end, h.last_failure_at) end as "failingSince",
  case when h.last_failure_at > coalesce(h.last_success_at, '-infinity')
    then greatest(h.failed_attempts, 1) else 0 end as "failedAttempts"`;
const COLUMNS = `e.id, e.namespace, e.name, e.uid, e.generation, e.managed_by as "managedBy",
  e.url, e.event_types as "eventTypes", e.description, e.enabled, e.metadata,
  array(select distinct unnest(e.declared_header_names || e.rest_header_names) order by 1) as "headerNames",
  e.header_revision as "headerRevision",
  e.ready, e.reason, e.message, e.created_at as "createdAt", e.updated_at as "updatedAt",
  h.last_success_at as "lastSuccessAt", h.last_failure_at as "lastFailureAt",
  h.last_failure as "lastFailure", ${RUN}, e.suspended_by as "suspendedBy", e.next_secret_at as "nextSecretAt",
  e.old_secret_until as "oldSecretUntil"`;
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

/** Counts the unfinished deliveries of an endpoint, up to `max`. */
export async function countUnfinished(
  db: Db,
  { endpointId, max }: { endpointId: string; max: number },
): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count
       from (select 1 from delivery_queue where endpoint_id = $1 limit $2) q`,
    [endpointId, max],
  );
  return rows[0]?.count ?? 0;
}

export type EndpointFilter = ListPage & {
  enabled?: boolean | undefined;
  status?: keyof typeof HAS_STATUS | undefined;
};

/**
 * SQL conditions for each status. They follow the same rule as `healthOf` in
 * src/webhooks/endpoints/read-endpoint-health.ts.
 */
const HAS_STATUS = {
  disabled: 'not e.enabled',
  not_ready: 'e.enabled and not e.ready',
  failing: `e.enabled and e.ready and h.last_failure_at > coalesce(h.last_success_at, '-infinity')`,
  healthy: `e.enabled and e.ready and (h.last_failure_at > coalesce(h.last_success_at, '-infinity')) is not true`,
} as const;

/** Lists endpoints, newest first. */
export async function listEndpoints(db: Db, filter: EndpointFilter): Promise<WebhookEndpointRow[]> {
  const { where, values } = filteredBy([
    ['e.namespace =', filter.namespace],
    ['e.enabled =', filter.enabled],
    ['e.id <', filter.before],
  ]);
  const { rows } = await db.query<WebhookEndpointRow>(
    `select ${COLUMNS} from ${FROM}
      where ${where} and e.deleted_at is null
        ${filter.status ? `and ${HAS_STATUS[filter.status]}` : ''}
      order by e.id desc limit $${values.push(filter.limit)}`,
    values,
  );
  return rows;
}

export type HealthRow = Pick<
  WebhookEndpointRow,
  | 'namespace'
  | 'name'
  | 'enabled'
  | 'ready'
  | 'lastSuccessAt'
  | 'lastFailureAt'
  | 'lastFailure'
  | 'failingSince'
>;

/**
 * Returns the last success, the last failure and the current series of failures of each endpoint, in all namespaces.
 */
export async function listEndpointHealth(db: Db): Promise<HealthRow[]> {
  const { rows } = await db.query<HealthRow>({
    name: 'list_endpoint_health',
    text: `select e.namespace, e.name, e.enabled, e.ready, h.last_success_at as "lastSuccessAt",
                  h.last_failure_at as "lastFailureAt", h.last_failure as "lastFailure", ${RUN}
             from ${FROM} where e.deleted_at is null`,
  });
  return rows;
}

/** Writes the row of an endpoint. A deleted endpoint that is declared again is restored. */
export async function upsertEndpoint(db: Db, endpoint: EndpointProjection): Promise<void> {
  const e = endpoint;
  await db.query(
    `insert into webhook_endpoints as e
       (id, namespace, name, uid, generation, managed_by, url, event_types, description, enabled,
        declared_headers, declared_header_names, metadata, secret, ready, reason, message,
        next_secret, next_secret_at, old_secret_until, suspended_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $20, $12, $13, $14, $15, $16, $17,
             to_timestamp($18 / 1000.0), to_timestamp($19 / 1000.0), $21)
     on conflict (id) do update set
       namespace = excluded.namespace, name = excluded.name, uid = excluded.uid,
       generation = excluded.generation, managed_by = excluded.managed_by, url = excluded.url,
       event_types = excluded.event_types, description = excluded.description,
       enabled = excluded.enabled, declared_headers = excluded.declared_headers,
       declared_header_names = excluded.declared_header_names, headers = '{}',
       metadata = excluded.metadata, suspended_by = excluded.suspended_by,
       next_secret = case when excluded.secret is null then e.next_secret
                          else excluded.next_secret end,
       next_secret_at = case when excluded.secret is null then e.next_secret_at
                             else excluded.next_secret_at end,
       old_secret_until = case when excluded.secret is null then e.old_secret_until
                               else excluded.old_secret_until end,
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
      e.headers.sealed,
      e.metadata,
      e.secret,
      e.ready,
      e.reason,
      e.message,
      e.next?.secret ?? null,
      e.next?.atMs ?? null,
      e.next?.oldUntilMs ?? null,
      e.headers.names,
      e.suspendedBy,
    ],
  );
}

/** Records why the latest declaration was rejected. The last valid declaration stays active. */
export async function updateEndpointCondition(
  db: Db,
  endpoint: Pick<WebhookEndpointRow, 'id' | 'uid' | 'generation' | 'ready' | 'reason' | 'message'>,
): Promise<void> {
  await db.query(
    `update webhook_endpoints set uid = $2, generation = $3, ready = $4, reason = $5, message = $6
      where id = $1 and deleted_at is null`,
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

type GoneEndpoint = Pick<
  WebhookEndpointRow,
  'id' | 'url' | 'eventTypes' | 'enabled' | 'managedBy' | 'headerNames'
>;

/**
 * Marks the endpoint with this name as deleted, unless its ID is `exceptId`, and returns its last state. The caller
 * must cancel its unfinished deliveries.
 */
export async function markEndpointDeleted(
  db: Db,
  key: { namespace: string; name: string },
  exceptId: string | null = null,
): Promise<GoneEndpoint | undefined> {
  const { rows } = await db.query<GoneEndpoint>(
    `update webhook_endpoints e set deleted_at = now(), updated_at = now(), secret = null,
            next_secret = null, next_secret_at = null, old_secret_until = null,
            declared_headers = null, declared_header_names = '{}', rest_headers = null,
            rest_header_names = '{}', headers = '{}'
       from (select id, array(select distinct unnest(declared_header_names || rest_header_names)
                               order by 1) as names
               from webhook_endpoints
              where namespace = $1 and name = $2 and deleted_at is null
                and ($3::uuid is null or id <> $3) for update) was
      where e.id = was.id
     returning e.id, e.url, e.event_types as "eventTypes", e.enabled, e.managed_by as "managedBy",
               was.names as "headerNames"`,
    [key.namespace, key.name, exceptId],
  );
  return rows[0];
}
