import type { ReconcileResult } from '../controller/controller.ts';
import type { AddressGuard } from '../egress/address-guard.ts';
import { checkUrl } from '../egress/url-rules.ts';
import { fromUuid } from '../events/ids.ts';
import { isEndpointSecret, newEndpointSecret } from '../events/signature.ts';
import { ALLOW_LABEL, API_MANAGER } from '../resources/annotations.ts';
import type { RecordEvent } from '../resources/resource-events.ts';
import type { ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';
import {
  SIGNING_SECRET_KEY,
  signingSecretName,
  type WebhookEndpointSpec,
  type WebhookEndpointStatus,
} from '../resources/webhook-endpoint.ts';
import { managedBy } from './actors.ts';
import { recordReadiness, toConditions, type Finding } from './conditions.ts';
import type { Identity } from './identity.ts';
import { resolveSecret, type Resolved } from './references.ts';
import { refuseUnstorable } from './unstorable.ts';

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
  /** Puts the endpoint in force; a secret of null keeps the one it had. */
  project: (endpoint: Projection, secret: string | null) => Promise<void>;
  /** Leaves what is in force and says why the declaration is not. */
  hold: (endpoint: { id: string; uid: string; generation: number } & Condition) => Promise<void>;
  remove: (key: ObjectKey) => Promise<void>;
  /** The secret in force, also of an endpoint that was removed and comes back. */
  readSecret: (endpoint: { id: string; namespace: string }) => Promise<string | undefined>;
  /** What the status is to show of the deliveries, after it has shown `told`. */
  readHealth: (
    endpoint: { id: string; namespace: string },
    told: WebhookEndpointStatus,
  ) => Promise<Partial<WebhookEndpointStatus>>;
  now: () => Date;
};

const FIELD_MANAGER = 'parley-operator';

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
    await settle(deps, endpoint, identity.id);
    return {};
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
): Promise<void> {
  const { spec, metadata } = endpoint;
  const { namespace, name, uid, generation } = metadata;
  const address = checkUrl(spec.url, deps.guard);
  if ('problem' in address) {
    const problem = { reason: 'InvalidUrl', message: `spec.url: ${address.problem}` };
    await deps.hold({ id, uid, generation, ready: false, ...problem });
    await report(deps, endpoint, { id, problem });
    return;
  }
  const secret = await findSecret(deps, endpoint, id);
  const missing = 'value' in secret ? undefined : secret;
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
    'value' in secret ? secret.value : null,
  );
  await report(deps, endpoint, { id, ...(missing && { missing }) });
}

/** The declared secret, or the endpoint's own, which is made when it is not there yet. */
async function findSecret(
  deps: WebhookEndpointReconcilerDeps,
  { spec, metadata }: EndpointResource,
  id: string,
): Promise<Resolved> {
  const { namespace } = metadata;
  const name = spec.secretRef?.name ?? signingSecretName(metadata.name);
  const key = spec.secretRef?.key ?? SIGNING_SECRET_KEY;
  if (!spec.secretRef && !(await deps.store.get('Secret', { namespace, name }))) {
    // Lost, with its cluster perhaps: receivers must not have to learn another one.
    const known = await deps.readSecret({ id, namespace });
    await deps.store.apply(
      {
        kind: 'Secret',
        namespace,
        name,
        labels: { [ALLOW_LABEL]: 'true' },
        spec: { data: { [key]: known ?? newEndpointSecret() } },
      },
      { fieldManager: FIELD_MANAGER, resourceVersion: '' },
    );
  }
  const secret = await resolveSecret(deps.store, namespace, { name, key });
  if (!('value' in secret) || isEndpointSecret(secret.value)) return secret;
  const message = `key ${key} of Secret ${name} must be whsec_ and the base64 of 24 to 64 bytes`;
  return { reason: 'InvalidSecret', message };
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
