import { ApiError } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { declareNew, declaring, findMade } from '../../platform/declare/declare.ts';
import {
  deleteDeclared,
  patchDeclared,
  requireRow,
  showWritten,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../../platform/declare/declared-kind.ts';
import type { Precondition } from '../../platform/declare/precondition.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import { freshPlan, type Plan } from '../../platform/idempotency/plan.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { ANNOTATIONS, API_MANAGER } from '../../platform/resources/annotations.ts';
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
import { newEndpointSecret } from './signature.ts';
import { secretObject } from './signing-secrets.ts';
import type { WebhookEndpointSpec } from './webhook-endpoint.ts';
import { readEndpoint, type WebhookEndpointRow } from './webhook-endpoints.sql.ts';

export type EndpointWriterDeps = DeclareDeps & { guard: AddressGuard; nowMs: () => number };

export type WrittenEndpoint = Written<WebhookEndpointSpec, WebhookEndpointRow>;

const DECLARED_ENDPOINT: DeclaredKind<
  WebhookEndpointSpec,
  WebhookEndpointFields,
  WebhookEndpointRow
> = {
  kind: 'WebhookEndpoint',
  idPrefix: 'we',
  noun: 'webhook endpoint',
  field: 'url',
  pointer: webhookEndpointPointer,
  toSpec: (fields) => toWebhookEndpointSpec(fields).spec,
  fromSpec: fromWebhookEndpointSpec,
  specFields: { enabled: ['suspend'] },
  read: readEndpoint,
  asWritten: (written, spec, row) => ({
    ...written,
    url: spec.url,
    eventTypes: [...(spec.eventTypes ?? [])],
    description: spec.description ?? '',
    enabled: !spec.suspend,
    headers: spec.headers ?? {},
    metadata: spec.metadata ?? {},
    lastSuccessAt: row?.lastSuccessAt ?? null,
    lastFailureAt: row?.lastFailureAt ?? null,
    lastFailure: row?.lastFailure ?? null,
    nextSecretAt: row?.nextSecretAt ?? null,
    oldSecretUntil: row?.oldSecretUntil ?? null,
  }),
};

/**
 * Declares a new endpoint (contract §4). Id and secret are made here, so that they are in the
 * answer whatever happens next; the Secret is written before the endpoint that uses it.
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
    // An earlier try may have made it, and its secret may have been rotated since.
    const made = plan.isRetry ? await findMade(deps.store, object) : undefined;
    return made ?? declareWithSecret(deps.store, object, { secret, plan });
  });
  return { ...(await showWritten(deps, DECLARED_ENDPOINT, { resource, id })), secret };
}

async function declareWithSecret(
  store: ResourceStore,
  endpoint: Applied,
  { secret, plan }: { secret: string; plan: Plan },
): Promise<Resource> {
  const object = secretObject(endpoint, { secret });
  await store.apply(object, {
    fieldManager: API_MANAGER,
    // Named after the id: an existing one is of an earlier try and has the same secret.
    ...(!plan.isRetry && { resourceVersion: '' }),
  });
  try {
    return await declareNew(store, endpoint);
  } catch (error) {
    // In an outage the endpoint may have been made all the same, and needs its Secret.
    if (!(error instanceof StoreUnavailableError)) await store.delete('Secret', object);
    throw error;
  }
}

/** JSON merge patch of the fields the API owns; a field of another manager is answered 409. */
export async function patchEndpoint(
  deps: EndpointWriterDeps,
  key: RowKey,
  patch: Record<string, unknown>,
  precondition?: Precondition,
): Promise<WrittenEndpoint> {
  if (typeof patch['url'] === 'string') checkAddress(deps.guard, patch['url']);
  return patchDeclared(deps, DECLARED_ENDPOINT, { key, patch, precondition });
}

/** The operator then deletes its Secret. */
export function deleteEndpoint(
  deps: EndpointWriterDeps,
  key: RowKey,
  precondition?: Precondition,
): Promise<void> {
  return deleteDeclared(deps, DECLARED_ENDPOINT, { key, precondition });
}

/** @throws ApiError not_found, for another namespace's id too */
export function requireEndpoint(deps: { pool: Db }, key: RowKey): Promise<WebhookEndpointRow> {
  return requireRow(deps, DECLARED_ENDPOINT, key);
}

/** Checked early for the caller's sake; the guard decides again at every connection. */
function checkAddress(guard: AddressGuard, url: string): void {
  const checked = checkUrl(url, guard);
  if (!('problem' in checked)) return;
  throw new ApiError('invalid_body', `url: ${checked.problem}`, {
    errors: [{ pointer: '/url', code: 'invalid_url', detail: checked.problem }],
  });
}
