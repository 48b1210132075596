import { ApiError } from '../../errors.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import { fromUuid } from '../../ids.ts';
import { newEndpointSecret } from './signature.ts';
import { ALLOW_LABEL, ANNOTATIONS, API_MANAGER } from '../../platform/resources/annotations.ts';
import { applyMergePatch, toCamelKey } from '../../platform/resources/schema/key-map.ts';
import {
  StoreUnavailableError,
  type Applied,
  type Resource,
  type ResourceStore,
} from '../../platform/resources/resource-store.ts';
import {
  fromWebhookEndpointSpec,
  toWebhookEndpointSpec,
  webhookEndpointPointer,
  type WebhookEndpointFields,
  type WebhookEndpointWrite,
} from './rest-webhook-endpoint.ts';
import {
  SIGNING_SECRET_KEY,
  signingSecretName,
  type WebhookEndpointSpec,
} from './webhook-endpoint.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { readEndpoint, type WebhookEndpointRow } from './webhook-endpoints.sql.ts';
import { showsResource, type AwaitProjection } from '../../platform/declare/await-projection.ts';
import {
  declarationAfter,
  declareNew,
  declaring,
  deleteDeclared,
  findMade,
  patchDeclared,
} from '../../platform/declare/declare.ts';
import { freshPlan, type Plan } from '../../platform/idempotency/plan.ts';
import { noPrecondition, type Precondition } from '../../platform/declare/precondition.ts';

export type EndpointWriterDeps = {
  pool: Pool;
  store: ResourceStore;
  guard: AddressGuard;
  awaitProjection: AwaitProjection;
  nowMs: () => number;
};

/** The endpoint, and whether it already shows what was written. */
export type WrittenEndpoint = { endpoint: WebhookEndpointRow; shown: boolean };

/**
 * Declares a new endpoint (contract §4). Id and secret are made here, so they are in the answer
 * whatever happens next; the Secret is written before the endpoint that reads it.
 */
export async function createEndpoint(
  deps: EndpointWriterDeps,
  namespace: string,
  write: WebhookEndpointWrite,
  plan: Plan = freshPlan(deps.nowMs()),
): Promise<WrittenEndpoint & { secret: string }> {
  const { spec, secret = newEndpointSecret(plan.seed) } = toWebhookEndpointSpec(write);
  checkAddress(deps.guard, spec.url);
  const { id } = plan;
  const publicId = fromUuid('we', id);
  const name = publicId.replace('_', '-');
  const object = {
    kind: 'WebhookEndpoint',
    namespace,
    name,
    spec,
    annotations: { [ANNOTATIONS.id]: publicId },
  };
  const resource = await declaring(webhookEndpointPointer, async () => {
    // Made by an earlier try; its secret may have been rotated since.
    const made = plan.isRetry ? await findMade(deps.store, object) : undefined;
    return made ?? declareWithSecret(deps.store, object, { secret, plan });
  });
  return { ...(await showing(deps, resource, id)), secret };
}

async function declareWithSecret(
  store: ResourceStore,
  endpoint: Applied,
  { secret, plan }: { secret: string; plan: Plan },
): Promise<Resource> {
  const { namespace, name } = endpoint;
  const key = { namespace, name: signingSecretName(name) };
  await store.apply(
    {
      kind: 'Secret',
      ...key,
      labels: { [ALLOW_LABEL]: 'true' },
      spec: { data: { [SIGNING_SECRET_KEY]: secret } },
    },
    // Named after the id: one that is there is of an earlier try, with the same secret.
    { fieldManager: API_MANAGER, ...(!plan.isRetry && { resourceVersion: '' }) },
  );
  try {
    return await declareNew(store, endpoint);
  } catch (error) {
    // In an outage nobody knows whether the endpoint is there, and it would need its Secret.
    if (!(error instanceof StoreUnavailableError)) await store.delete('Secret', key);
    throw error;
  }
}

/** JSON merge patch of the fields the API owns; a field of another manager is 409. */
export async function patchEndpoint(
  deps: EndpointWriterDeps,
  key: { namespace: string; id: string },
  patch: Record<string, unknown>,
  precondition: Precondition = noPrecondition,
): Promise<WrittenEndpoint> {
  if (typeof patch['url'] === 'string') checkAddress(deps.guard, patch['url']);
  const resource = await patchDeclared(deps.store, {
    pointer: webhookEndpointPointer,
    precondition,
    read: async () => {
      const current = await deps.store.get('WebhookEndpoint', await requireEndpoint(deps, key));
      if (!current) throw notFound();
      return current;
    },
    change: (current) => ({
      spec: patchedSpec(current, patch),
      annotations: { [ANNOTATIONS.id]: fromUuid('we', key.id) },
    }),
  });
  return showing(deps, resource, key.id);
}

export async function deleteEndpoint(
  deps: EndpointWriterDeps,
  key: { namespace: string; id: string },
  precondition: Precondition = noPrecondition,
): Promise<void> {
  await deleteDeclared(deps, {
    kind: 'WebhookEndpoint', // The operator removes its Secret.
    row: await requireEndpoint(deps, key),
    field: 'url',
    precondition,
    readAgain: () => readEndpoint(deps.pool, key),
  });
}

/** @throws ApiError not_found, for another namespace's id too */
export async function requireEndpoint(
  { pool }: { pool: Db },
  key: { namespace: string; id: string },
): Promise<WebhookEndpointRow> {
  const endpoint = await readEndpoint(pool, key);
  if (!endpoint) throw notFound();
  return endpoint;
}

function notFound(): ApiError {
  return new ApiError('not_found', 'there is no such webhook endpoint');
}

/** Early, so that the caller learns it now; the guard decides again at every connection. */
function checkAddress(guard: AddressGuard, url: string): void {
  const checked = checkUrl(url, guard);
  if (!('problem' in checked)) return;
  throw new ApiError('invalid_body', `url: ${checked.problem}`, {
    errors: [{ pointer: '/url', code: 'invalid_url', detail: checked.problem }],
  });
}

async function showing(
  deps: EndpointWriterDeps,
  resource: Resource,
  id: string,
): Promise<WrittenEndpoint> {
  const { namespace } = resource.metadata;
  const { value, shown } = await deps.awaitProjection(
    () => readEndpoint(deps.pool, { namespace, id }),
    (row) => showsResource(resource, row),
  );
  return { endpoint: shown && value ? value : asWritten(resource, id, value), shown };
}

/** What the API has of an endpoint that the operator has not looked at yet. */
function asWritten(
  resource: Resource,
  id: string,
  row: WebhookEndpointRow | undefined,
): WebhookEndpointRow {
  const { namespace, name, uid, generation, creationTimestamp } = resource.metadata;
  const spec = resource.spec as WebhookEndpointSpec; // The store let in only what the CRD allows.
  const at = Date.parse(creationTimestamp);
  return {
    id,
    namespace,
    name,
    uid,
    generation,
    managedBy: 'api',
    url: spec.url,
    eventTypes: [...(spec.eventTypes ?? [])],
    description: spec.description ?? '',
    enabled: !spec.suspend,
    headers: spec.headers ?? {},
    metadata: spec.metadata ?? {},
    ready: false,
    reason: 'Pending',
    message: 'waits for the operator',
    createdAt: row?.createdAt ?? at,
    updatedAt: row?.updatedAt ?? at,
    lastSuccessAt: row?.lastSuccessAt ?? null,
    lastFailureAt: row?.lastFailureAt ?? null,
    lastFailure: row?.lastFailure ?? null,
    nextSecretAt: row?.nextSecretAt ?? null,
    oldSecretUntil: row?.oldSecretUntil ?? null,
  };
}

/** What the API declares after the patch. */
function patchedSpec(current: Resource, patch: Record<string, unknown>): Record<string, unknown> {
  const spec = current.spec as WebhookEndpointSpec; // The store let in only what the CRD allows.
  // The patch was checked field by field, the merged whole is by the store.
  const merged = applyMergePatch(fromWebhookEndpointSpec(spec), patch) as WebhookEndpointFields;
  const touched = Object.keys(patch).map((key) =>
    key === 'enabled' ? 'suspend' : toCamelKey(key),
  );
  return declarationAfter({ current, touched, after: toWebhookEndpointSpec(merged).spec });
}
