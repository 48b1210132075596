import type { ReconcileResult } from '../../platform/controller/controller.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import { fromUuid } from '../../ids.ts';
import { isEndpointSecret, newEndpointSecret } from './signature.ts';
import { ALLOW_LABEL, API_MANAGER } from '../../platform/resources/annotations.ts';
import type { RecordEvent } from '../../platform/resources/resource-events.ts';
import type {
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import {
  readRotation,
  settleRotation,
  toSecretData,
  type SigningSecrets,
} from './signing-secrets.ts';
import {
  SIGNING_SECRET_KEY,
  signingSecretName,
  type WebhookEndpointSpec,
  type WebhookEndpointStatus,
} from './webhook-endpoint.ts';
import { managedBy } from '../../platform/reconcile/actors.ts';
import {
  recordReadiness,
  toConditions,
  type Finding,
} from '../../platform/reconcile/conditions.ts';
import type { Identity } from '../../platform/reconcile/identity.ts';
import { resolveSecret } from '../../platform/reconcile/references.ts';
import { refuseUnstorable } from '../../platform/reconcile/unstorable.ts';

type EndpointResource = Resource<WebhookEndpointSpec, WebhookEndpointStatus>;
type Condition = { ready: boolean; reason: string; message: string };
type Projection = ObjectKey &
  Condition & {
    id: string;
    uid: string;
    generation: number;
    managedBy: 'api' | 'kubernetes' | 'file';
    url: string;
    eventTypes: string[];
    description: string;
    enabled: boolean;
    headers: Record<string, string>;
    metadata: Record<string, string>;
  };

export type WebhookEndpointReconcilerDeps = {
  store: Pick<ResourceStore, 'get' | 'apply' | 'delete' | 'patchStatus'>;
  guard: AddressGuard;
  record: RecordEvent;
  identify: (resource: Resource) => Promise<Identity>;
  /** Puts the endpoint in force; null keeps the secrets it had. */
  project: (endpoint: Projection, secrets: SigningSecrets | null) => Promise<void>;
  /** Leaves what is in force and says why the declaration is not. */
  hold: (endpoint: { id: string; uid: string; generation: number } & Condition) => Promise<void>;
  remove: (key: ObjectKey) => Promise<void>;
  /** The secrets in force, also of an endpoint that was removed and comes back. */
  readSecrets: (endpoint: { id: string; namespace: string }) => Promise<SigningSecrets | undefined>;
  /** What the status is to show of the deliveries, after it has shown `told`. */
  readHealth: (
    endpoint: { id: string; namespace: string },
    told: WebhookEndpointStatus,
  ) => Promise<Partial<WebhookEndpointStatus>>;
  now: () => Date;
};

const FIELD_MANAGER = 'parley-operator';
/** What the clocks of the operator and the database may differ by without anybody noticing. */
const SETTLE_MS = 1_000;

/** Brings one WebhookEndpoint in force; level-based like all reconcilers. */
export function createWebhookEndpointReconciler(
  deps: WebhookEndpointReconcilerDeps,
): (key: ObjectKey) => Promise<ReconcileResult> {
  return async (key) => {
    const found = await deps.store.get('WebhookEndpoint', key);
    if (!found) {
      await removeSecret(deps, key);
      // The row last: as long as it is there, whoever takes over comes by here again.
      await deps.remove(key);
      return {};
    }
    const endpoint = found as EndpointResource; // The store let in only what the CRD allows.
    const identity = await deps.identify(found);
    if ('refused' in identity) {
      await report(deps, endpoint, { problem: { reason: 'InvalidId', message: identity.refused } });
      return {};
    }
    const unstorable = refuseUnstorable(found.spec);
    if (unstorable) {
      await report(deps, endpoint, { problem: unstorable });
      return {};
    }
    return settle(deps, endpoint, identity.id);
  };
}

/** The endpoint's own Secret goes with it; one of that name that somebody else declares does not. */
async function removeSecret(
  { store }: Pick<WebhookEndpointReconcilerDeps, 'store'>,
  { namespace, name }: ObjectKey,
): Promise<void> {
  const key = { namespace, name: signingSecretName(name) };
  const secret = await store.get('Secret', key);
  const owners = Object.values(secret?.owners ?? {}).flat();
  if (!secret || owners.some((owner) => owner !== FIELD_MANAGER && owner !== API_MANAGER)) return;
  // Declared anew meanwhile: then it is the new one's.
  if (await store.get('WebhookEndpoint', { namespace, name })) return;
  await store.delete('Secret', key, { resourceVersion: secret.metadata.resourceVersion });
}

async function settle(
  deps: WebhookEndpointReconcilerDeps,
  endpoint: EndpointResource,
  id: string,
): Promise<ReconcileResult> {
  const { spec, metadata } = endpoint;
  const { namespace, name, uid, generation } = metadata;
  const address = checkUrl(spec.url, deps.guard);
  if ('problem' in address) {
    const problem = { reason: 'InvalidUrl', message: `spec.url: ${address.problem}` };
    await deps.hold({ id, uid, generation, ready: false, ...problem });
    await report(deps, endpoint, { id, problem });
    return {};
  }
  const found = await findSecrets(deps, endpoint, id);
  const missing = 'secrets' in found ? undefined : found;
  const message = spec.suspend ? 'suspended: no deliveries are made' : 'events are delivered';
  const condition = missing
    ? { ready: false, ...missing }
    : { ready: true, reason: spec.suspend ? 'Suspended' : 'Delivering', message };
  await deps.project(
    {
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
    'secrets' in found ? found.secrets : null,
  );
  await report(deps, endpoint, { id, ...(missing && { missing }) });
  // Then the Secret is written with the one secret that is left.
  const overMs = 'secrets' in found ? found.secrets.next?.oldUntilMs : undefined;
  if (overMs === undefined) return {};
  return { requeueAfterMs: Math.max(SETTLE_MS, overMs - deps.now().getTime() + SETTLE_MS) };
}

type Found = { secrets: SigningSecrets } | { reason: string; message: string };

/** The declared secret, or the endpoint's own, which is made when it is not there yet. */
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
  const told = { ...found.secrets, ...rotation };
  const secrets = settleRotation(told, deps.now().getTime());
  if (secrets !== told) await putSecret(deps, endpoint, secrets);
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

/** Lost, with its cluster perhaps: receivers must not have to learn another one. */
async function makeSecret(
  deps: WebhookEndpointReconcilerDeps,
  endpoint: EndpointResource,
  id: string,
): Promise<Resource> {
  const { namespace } = endpoint.metadata;
  const known = await deps.readSecrets({ id, namespace });
  return putSecret(deps, endpoint, known ?? { secret: newEndpointSecret() }, '');
}

/** As its owner: what the API made stays the API's, which rotates it. */
function putSecret(
  { store }: Pick<WebhookEndpointReconcilerDeps, 'store'>,
  { metadata: { namespace, name }, owners }: EndpointResource,
  secrets: SigningSecrets,
  resourceVersion?: string,
): Promise<Resource> {
  return store.apply(
    {
      kind: 'Secret',
      namespace,
      name: signingSecretName(name),
      labels: { [ALLOW_LABEL]: 'true' },
      spec: { data: toSecretData(secrets) },
    },
    {
      fieldManager: managedBy(owners['url']) === 'api' ? API_MANAGER : FIELD_MANAGER,
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  );
}

function dataOf({ spec }: Resource): Record<string, unknown> {
  const data = spec['data'];
  return typeof data === 'object' && data !== null ? { ...data } : {};
}

async function report(
  deps: WebhookEndpointReconcilerDeps,
  endpoint: EndpointResource,
  outcome: {
    id?: string;
    problem?: { reason: string; message: string };
    missing?: { reason: string; message: string };
  },
): Promise<void> {
  const { metadata, spec } = endpoint;
  const { id } = outcome;
  const { namespace } = metadata;
  const told = endpoint.status;
  const health = id === undefined ? told : await deps.readHealth({ id, namespace }, told);
  const conditions = toConditions(findingsOf(outcome), endpoint, deps.now);
  const status: WebhookEndpointStatus = {
    ...health,
    observedGeneration: metadata.generation,
    ...(id !== undefined && { endpointId: fromUuid('we', id) }),
    secretName: spec.secretRef?.name ?? signingSecretName(metadata.name),
    conditions,
  };
  await deps.store.patchStatus('WebhookEndpoint', metadata, status);
  recordReadiness(deps.record, endpoint, conditions, { action: 'Deliver' });
}

function findingsOf(outcome: {
  problem?: { reason: string; message: string };
  missing?: { reason: string; message: string };
}): Finding[] {
  const { problem, missing } = outcome;
  const bad = problem ?? missing;
  const good = { reason: 'Delivering', message: 'events are delivered' };
  const findings: Finding[] = [
    { type: 'Ready', status: !bad, ...(bad ?? good) },
    {
      type: 'Accepted',
      status: !problem,
      ...(problem ?? { reason: 'Accepted', message: 'the spec is valid' }),
    },
  ];
  if (!problem) {
    const resolved = { reason: 'ResolvedRefs', message: 'the signing secret is there' };
    findings.push({ type: 'ResolvedRefs', status: !missing, ...(missing ?? resolved) });
  }
  if (bad) findings.push({ type: 'Stalled', status: true, ...bad });
  return findings;
}
