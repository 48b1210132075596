import type { QuotaDeps } from '../../platform/declare/quota.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { managedBy, whoElse } from '../../platform/reconcile/actors.ts';
import {
  accepted,
  ready,
  refused,
  resolvedRefs,
  type Finding,
  type Problem,
} from '../../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../../platform/reconcile/reconciler.ts';
import { signingSecretName } from '../../platform/reconcile/references.ts';
import {
  ALLOW_LABEL,
  ANNOTATIONS,
  API_MANAGER,
  OPERATOR_MANAGER,
} from '../../platform/resources/annotations.ts';
import { projectionsIn } from '../../platform/resources/projections.sql.ts';
import { isKeyHeader } from '../../platform/resources/schema/field-types.ts';
import type {
  ObjectKey,
  Resource,
  ResourceEvent,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { projectEndpoint, refuseEndpoint, removeEndpoint } from './project-endpoint.ts';
import { listStaleEndpoints, readEndpointHealth } from './read-endpoint-health.ts';
import { declaredByRest } from './header-rules.ts';
import { listNotCopied, readSealedEndpoint } from './endpoint-secrets.sql.ts';
import { findHeaders, findSecrets } from './find-secrets.ts';
import type { WebhookEndpointSpec, WebhookEndpointStatus } from './webhook-endpoint.ts';

type EndpointResource = Resource<WebhookEndpointSpec, WebhookEndpointStatus>;

export type WebhookEndpointReconcilerDeps = QuotaDeps & {
  store: Pick<ResourceStore, 'get' | 'apply' | 'delete'>;
  guard: AddressGuard;
  pool: Pool;
  notifier: Notifier;
  sealer: Sealer;
  metrics: Pick<Metrics, 'deliveries'>;
  nowMs: () => number;
};

/** Assumed maximum difference in ms between the clocks of the operator and the database. */
const CLOCK_SKEW_MS = 1_000;

/** Reconciles WebhookEndpoints: their URL, subscriptions and secrets. */
export function webhookEndpointReconciler(
  deps: WebhookEndpointReconcilerDeps,
): ReconciledKind<WebhookEndpointSpec, WebhookEndpointStatus> {
  return {
    kind: 'WebhookEndpoint',
    idPrefix: 'we',
    idField: 'endpointId',
    action: 'Deliver',
    rows: projectionsIn(deps.pool, 'webhook_endpoints'),
    uses: {
      Secret: ({ spec, metadata }, name) =>
        [secretNameOf(spec, metadata), spec.headersFrom?.secretRef.name].includes(name),
    },
    listStale: () => listStaleEndpoints(deps),
    listChanged: () => listNotCopied(deps.pool),
    act: (endpoint, by) => act(deps, endpoint, by),
    refuse: ({ metadata: { namespace, uid, generation } }, { id, epoch }, why) =>
      refuseEndpoint(deps, {
        epoch,
        endpoint: { id, namespace, uid, generation, ready: false, ...why },
      }),
    refusedStatus: { health: 'NotReady' },
    remove: async (key, epoch) => {
      await removeSecret(deps, key);
      // The row is deleted last. If this process dies before that, the next leader finds the row and repeats the
      // deletion.
      await removeEndpoint(deps, { epoch, ...key });
    },
  };
}

/** Deletes the endpoint's own Secret, unless somebody else has declared a Secret with the same name. */
async function removeSecret(
  { store }: Pick<WebhookEndpointReconcilerDeps, 'store'>,
  { namespace, name }: ObjectKey,
): Promise<void> {
  const key = { namespace, name: signingSecretName(name) };
  const secret = await store.get('Secret', key);
  const owners = Object.values(secret?.owners ?? {}).flat();
  if (secret?.metadata.labels[ALLOW_LABEL] !== 'true') return;
  if (owners.some((owner) => owner !== OPERATOR_MANAGER && owner !== API_MANAGER)) return;
  // If the endpoint was declared again in the meantime, the Secret belongs to the new endpoint.
  if (await store.get('WebhookEndpoint', { namespace, name })) return;
  await store.delete('Secret', key, { resourceVersion: secret.metadata.resourceVersion });
}

async function act(
  deps: WebhookEndpointReconcilerDeps,
  endpoint: EndpointResource,
  { id, epoch }: { id: string; epoch: number },
): Promise<Outcome<WebhookEndpointStatus>> {
  const { spec, metadata } = endpoint;
  const { namespace, name, uid, generation } = metadata;
  const report = async (findings: Finding[]): Promise<Outcome<WebhookEndpointStatus>> => {
    const shown = await readEndpointHealth(deps, { id, namespace }, endpoint.status);
    const degraded = keysInClear(spec);
    return {
      findings: [...findings, shown.delivering, ...degraded],
      status: { ...shown.status, secretName: secretNameOf(spec, metadata) },
      events: [...shown.events, ...warnOnce(endpoint, degraded)],
    };
  };
  const stored = await readSealedEndpoint(deps.pool, id);
  const found = await findSecrets(deps, endpoint, { id, stored });
  const headers = await findHeaders(deps, endpoint);
  const address = checkUrl(spec.url, deps.guard);
  if ('problem' in address) {
    const problem = { reason: 'InvalidUrl', message: `spec.url: ${address.problem}` };
    await refuseEndpoint(deps, {
      epoch,
      endpoint: { id, namespace, uid, generation, ready: false, ...problem },
    });
    return report(refused('Accepted', problem));
  }
  const missing = 'secrets' in found ? ('headers' in headers ? undefined : headers) : found;
  const why = missing ?? (spec.suspend ? SUSPENDED : IN_FORCE);
  await projectEndpoint(deps, {
    epoch,
    whoElse: whoElse(endpoint),
    endpoint: {
      id,
      namespace,
      name,
      uid,
      generation,
      ready: missing === undefined,
      ...why,
      managedBy: managedBy(endpoint.owners['url']),
      url: address.url.href,
      eventTypes: [...(spec.eventTypes ?? [])],
      description: spec.description ?? '',
      enabled: !spec.suspend,
      suspendedBy: spec.suspend ? (endpoint.owners['suspend']?.[0] ?? null) : null,
      metadata: spec.metadata ?? {},
    },
    // Null leaves the stored signing secrets unchanged. The value is null even if only a Secret with headers is
    // missing.
    secrets: !missing && 'secrets' in found ? found.secrets : null,
    headers: 'headers' in headers ? headers.headers : null,
    found: declaredByRest(endpoint) ?? ('secrets' in found ? found.headers : undefined),
    stored,
  });
  await dropDeclaredByRest(deps, endpoint);
  // When the rotation ends, the reconcile runs again and rewrites the Secret with the remaining secret.
  const overMs = 'secrets' in found ? found.secrets.next?.oldUntilMs : undefined;
  return {
    ...(await report(missing ? refused('ResolvedRefs', missing) : inForce(why))),
    ...(overMs !== undefined && {
      requeueAfterMs: Math.max(CLOCK_SKEW_MS, overMs - deps.nowMs() + CLOCK_SKEW_MS),
    }),
  };
}

/**
 * Deletes headers that an earlier release stored in the declaration in plain text. The row now has them in encrypted
 * form.
 */
async function dropDeclaredByRest(
  { store }: Pick<WebhookEndpointReconcilerDeps, 'store'>,
  endpoint: EndpointResource,
): Promise<void> {
  if (!declaredByRest(endpoint)) return;
  const { spec, metadata, owners } = endpoint;
  const { namespace, name, annotations, resourceVersion } = metadata;
  const kept = Object.entries(spec).filter(
    ([field]) => field !== 'headers' && owners[field]?.includes(API_MANAGER),
  );
  const id = annotations[ANNOTATIONS.id];
  await store.apply(
    {
      kind: 'WebhookEndpoint',
      namespace,
      name,
      spec: Object.fromEntries(kept),
      ...(id !== undefined && { annotations: { [ANNOTATIONS.id]: id } }),
    },
    { fieldManager: API_MANAGER, resourceVersion },
  );
}

/**
 * Returns a warning if headers contain an API key in plain text. A ModelProvider with such headers is rejected. An
 * endpoint with such headers stays active, because earlier releases allowed them.
 */
function keysInClear({ headers = {} }: WebhookEndpointSpec): Finding[] {
  const names = Object.keys(headers).filter(isKeyHeader);
  if (names.length === 0) return [];
  const message = `\`headers\` expose a key to everybody who can read this object (${names.join(', ')}): store it in a Secret and name the Secret in \`headersFrom\``;
  return [{ type: 'Degraded', status: true, reason: 'KeyInClear', message }];
}

function warnOnce({ status }: EndpointResource, degraded: Finding[]): ResourceEvent[] {
  const known = new Set(status.conditions?.map(({ type, message }) => `${type} ${message}`));
  return degraded
    .filter(({ type, message }) => !known.has(`${type} ${message}`))
    .map(({ reason, message: note }) => ({ type: 'Warning', action: 'Deliver', reason, note }));
}

const SUSPENDED = { reason: 'Suspended', message: 'suspended: no deliveries are made' };
/**
 * Reason and message of the `Ready` condition for an endpoint whose declaration was applied. The `Delivering` condition
 * says whether deliveries succeed.
 */
const IN_FORCE = { reason: 'InForce', message: 'active as declared' };

function inForce(why: Problem): Finding[] {
  return [ready(why), accepted, resolvedRefs('the signing secret exists')];
}

function secretNameOf(spec: WebhookEndpointSpec, { name }: { name: string }): string {
  return spec.secretRef?.name ?? signingSecretName(name);
}
