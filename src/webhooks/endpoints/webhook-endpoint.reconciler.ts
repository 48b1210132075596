import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Metrics } from '../../platform/observability/metrics.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { managedBy } from '../../platform/reconcile/actors.ts';
import {
  accepted,
  notReady,
  ready,
  refused,
  resolvedRefs,
  stalled,
  type Finding,
  type Problem,
} from '../../platform/reconcile/conditions.ts';
import type { Outcome, ReconciledKind } from '../../platform/reconcile/reconciler.ts';
import { resolveSecret } from '../../platform/reconcile/references.ts';
import { API_MANAGER } from '../../platform/resources/annotations.ts';
import { projectionsIn } from '../../platform/resources/projections.sql.ts';
import type {
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { projectEndpoint, refuseEndpoint, removeEndpoint } from './project-endpoint.ts';
import { listStaleEndpoints, readEndpointHealth } from './read-endpoint-health.ts';
import { isEndpointSecret, newEndpointSecret } from './signature.ts';
import {
  readEndpointSecrets,
  readRotation,
  secretObject,
  secretsAt,
  type SigningSecrets,
} from './signing-secrets.ts';
import { readSealedSecrets } from './webhook-endpoints.sql.ts';
import {
  SIGNING_SECRET_KEY,
  signingSecretName,
  type WebhookEndpointSpec,
  type WebhookEndpointStatus,
} from './webhook-endpoint.ts';

type EndpointResource = Resource<WebhookEndpointSpec, WebhookEndpointStatus>;

export type WebhookEndpointReconcilerDeps = {
  store: Pick<ResourceStore, 'get' | 'apply' | 'delete'>;
  guard: AddressGuard;
  pool: Pool;
  notifier: Notifier;
  sealer: Sealer;
  metrics: Pick<Metrics, 'deliveries'>;
  nowMs: () => number;
};

const FIELD_MANAGER = 'parley-operator';
/** The clocks of the operator and the database may differ by so much. */
const CLOCK_SKEW_MS = 1_000;

/** Brings WebhookEndpoints in force: their address, subscriptions and secrets. */
export function webhookEndpointReconciler(
  deps: WebhookEndpointReconcilerDeps,
): ReconciledKind<WebhookEndpointSpec, WebhookEndpointStatus> {
  return {
    kind: 'WebhookEndpoint',
    idPrefix: 'we',
    idField: 'endpointId',
    action: 'Deliver',
    rows: projectionsIn(deps.pool, 'webhook_endpoints'),
    uses: ({ spec, metadata }, kind, name) =>
      kind === 'Secret' && secretNameOf(spec, metadata) === name,
    listStale: () => listStaleEndpoints(deps),
    act: (endpoint, by) => act(deps, endpoint, by),
    remove: async (key, epoch) => {
      await removeSecret(deps, key);
      // The row last: as long as it is there, the next leader does this again.
      await removeEndpoint(deps, { epoch, ...key });
    },
  };
}

/** Deletes the endpoint's own Secret, but not one of that name that somebody else declares. */
async function removeSecret(
  { store }: Pick<WebhookEndpointReconcilerDeps, 'store'>,
  { namespace, name }: ObjectKey,
): Promise<void> {
  const key = { namespace, name: signingSecretName(name) };
  const secret = await store.get('Secret', key);
  const owners = Object.values(secret?.owners ?? {}).flat();
  if (!secret || owners.some((owner) => owner !== FIELD_MANAGER && owner !== API_MANAGER)) return;
  // The endpoint was declared anew meanwhile: then the Secret is the new one's.
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
  const statusNow = async () => ({
    ...(await readEndpointHealth(deps, { id, namespace }, endpoint.status)),
    secretName: secretNameOf(spec, metadata),
  });
  const address = checkUrl(spec.url, deps.guard);
  if ('problem' in address) {
    const problem = { reason: 'InvalidUrl', message: `spec.url: ${address.problem}` };
    await refuseEndpoint(deps, {
      epoch,
      endpoint: { id, uid, generation, ready: false, ...problem },
    });
    return { findings: refused('Accepted', problem), status: await statusNow() };
  }
  const stored = await readSealedSecrets(deps.pool, id);
  const found = await findSecrets(deps, endpoint, id);
  const missing = 'secrets' in found ? undefined : found;
  const message = spec.suspend ? 'suspended: no deliveries are made' : 'events are delivered';
  const condition = missing
    ? { ready: false, ...missing }
    : { ready: true, reason: spec.suspend ? 'Suspended' : 'Delivering', message };
  await projectEndpoint(deps, {
    epoch,
    endpoint: {
      id,
      namespace,
      name,
      uid,
      generation,
      ...condition,
      managedBy: managedBy(endpoint.owners['url']),
      url: address.url.href,
      eventTypes: [...(spec.eventTypes ?? [])],
      description: spec.description ?? '',
      enabled: !spec.suspend,
      headers: spec.headers ?? {},
      metadata: spec.metadata ?? {},
    },
    secrets: 'secrets' in found ? found.secrets : null,
    stored,
  });
  // At the end of a rotation the Secret is written with the one secret that is left.
  const overMs = 'secrets' in found ? found.secrets.next?.oldUntilMs : undefined;
  return {
    findings: findingsOf(missing),
    status: await statusNow(),
    ...(overMs !== undefined && {
      requeueAfterMs: Math.max(CLOCK_SKEW_MS, overMs - deps.nowMs() + CLOCK_SKEW_MS),
    }),
  };
}

function findingsOf(missing: Problem | undefined): Finding[] {
  if (missing) {
    const unresolved = { type: 'ResolvedRefs', status: false, ...missing };
    return [notReady(missing), accepted, unresolved, stalled(missing)];
  }
  return [
    ready({ reason: 'Delivering', message: 'events are delivered' }),
    accepted,
    resolvedRefs('the signing secret is there'),
  ];
}

function secretNameOf(spec: WebhookEndpointSpec, { name }: { name: string }): string {
  return spec.secretRef?.name ?? signingSecretName(name);
}

type Found = { secrets: SigningSecrets } | Problem;

/** The declared secret, or the endpoint's own, which is made when it is missing. */
async function findSecrets(
  deps: WebhookEndpointReconcilerDeps,
  endpoint: EndpointResource,
  id: string,
): Promise<Found> {
  const { spec, metadata } = endpoint;
  const { namespace } = metadata;
  if (spec.secretRef) return resolveSecrets(deps.store, namespace, spec.secretRef);
  const key = { namespace, name: signingSecretName(metadata.name) };
  const own = (await deps.store.get('Secret', key)) ?? (await makeSecret(deps, endpoint, id));
  const ref = { name: key.name, key: SIGNING_SECRET_KEY };
  const found = await resolveSecrets({ get: async () => own }, namespace, ref);
  if (!('secrets' in found)) return found;
  const rotation = readRotation(dataOf(own));
  if ('problem' in rotation) {
    return { reason: 'InvalidSecret', message: `Secret ${key.name}: ${rotation.problem}` };
  }
  const stored = { ...found.secrets, ...rotation };
  const secrets = secretsAt(stored, deps.nowMs());
  if (secrets !== stored) await putSecret(deps, endpoint, secrets);
  return { secrets };
}

async function resolveSecrets(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  ref: { name: string; key: string },
): Promise<Found> {
  const secret = await resolveSecret(store, namespace, ref);
  if (!('value' in secret)) return secret;
  if (isEndpointSecret(secret.value)) return { secrets: { secret: secret.value } };
  const { name, key } = ref;
  const message = `key ${key} of Secret ${name} must be whsec_ and the base64 of 24 to 64 bytes`;
  return { reason: 'InvalidSecret', message };
}

/**
 * A Secret may be lost, for one with its cluster: receivers must not have to learn another secret.
 */
async function makeSecret(
  deps: WebhookEndpointReconcilerDeps,
  endpoint: EndpointResource,
  id: string,
): Promise<Resource> {
  const { namespace } = endpoint.metadata;
  const known = await readEndpointSecrets(deps, { id, namespace });
  const secrets = known ?? { secret: newEndpointSecret() };
  return putSecret(deps, endpoint, secrets, { resourceVersion: '' });
}

/** Written as its owner: what the API made stays the API's, which rotates it. */
function putSecret(
  { store }: Pick<WebhookEndpointReconcilerDeps, 'store'>,
  { metadata, owners }: EndpointResource,
  secrets: SigningSecrets,
  options: { resourceVersion?: string } = {},
): Promise<Resource> {
  const fieldManager = managedBy(owners['url']) === 'api' ? API_MANAGER : FIELD_MANAGER;
  return store.apply(secretObject(metadata, secrets), { fieldManager, ...options });
}

function dataOf({ spec }: Resource): Record<string, unknown> {
  const data = spec['data'];
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
