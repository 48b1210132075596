import { ApiError, found } from '../../errors.ts';
import type { AuditedBy } from '../../audit/audit-log.sql.ts';
import { writingAhead, type WriteAhead } from '../../audit/write-ahead.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import { declareNew, findMade, retryingConflicts } from '../../platform/declare/declare.ts';
import {
  applyPatch,
  createDeclared,
  deleteDeclared,
  requireRow,
  showWritten,
  type DeclaredKind,
  type DeclareDeps,
  type RowKey,
  type Written,
} from '../../platform/declare/declared-kind.ts';
import {
  atRevision,
  noPrecondition,
  preconditionFailed,
  type Precondition,
} from '../../platform/declare/precondition.ts';
import { requireScope, type Scope } from '../../platform/http/authorize.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import { managedElsewhere } from '../../platform/declare/rest-terms.ts';
import { freshPlan, type Plan } from '../../platform/idempotency/plan.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { ANNOTATIONS } from '../../platform/resources/annotations.ts';
import {
  StoreUnavailableError,
  WriteConflictError,
  type Applied,
  type Resource,
} from '../../platform/resources/resource-store.ts';
import { endpointAudited, endpointChange, endpointGone, namesOf } from './audit-endpoint.ts';
import { openHeaders, sealHeaders, type Headers } from './endpoint-headers.ts';
import { declaredByRest, headersProblem, patchHeaders } from './header-rules.ts';
import {
  adoptRestHeaders,
  deleteUndeclared,
  insertUndeclared,
  readSealedEndpoint,
  updateRestHeaders,
} from './endpoint-secrets.sql.ts';
import {
  fromWebhookEndpointSpec,
  splitPatch,
  toWebhookEndpointSpec,
  webhookEndpointPointer,
  type HeaderPatch,
  type WebhookEndpointFields,
  type WebhookEndpointWrite,
} from './rest-webhook-endpoint.ts';
import { newEndpointSecret } from '../../platform/egress/signature.ts';
import { sealSecrets } from './signing-secrets.ts';
import type { WebhookEndpointSpec } from './webhook-endpoint.ts';
import { readEndpoint, type WebhookEndpointRow } from './webhook-endpoints.sql.ts';

export type EndpointWriterDeps = DeclareDeps & {
  guard: AddressGuard;
  sealer: Sealer;
  nowMs: () => number;
  notifier: Pick<Notifier, 'notify'>;
};

export type WrittenEndpoint = Written<WebhookEndpointSpec, WebhookEndpointRow>;

export const DECLARED_ENDPOINT: DeclaredKind<
  WebhookEndpointSpec,
  WebhookEndpointFields,
  WebhookEndpointRow
> = {
  kind: 'WebhookEndpoint',
  idPrefix: 'we',
  noun: 'webhook endpoint',
  table: 'webhook_endpoints',
  resource: 'webhooks',
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
    headerNames: row?.headerNames ?? [],
    headerRevision: row?.headerRevision ?? 0,
    metadata: spec.metadata ?? {},
    lastSuccessAt: row?.lastSuccessAt ?? null,
    lastFailureAt: row?.lastFailureAt ?? null,
    lastFailure: row?.lastFailure ?? null,
    failingSince: row?.failingSince ?? null,
    failedAttempts: row?.failedAttempts ?? 0,
    suspendedBy: spec.suspend ? (row?.suspendedBy ?? null) : null,
    nextSecretAt: row?.nextSecretAt ?? null,
    oldSecretUntil: row?.oldSecretUntil ?? null,
  }),
};

/**
 * Declares a new endpoint (contract/requests.md#writes). The ID and the secret are created here, so that the response
 * contains them even if the operator has not applied the declaration yet. The declaration contains no secrets: they are
 * encrypted and stored in the endpoint's row before the declaration is written. The operator copies them into a Secret.
 */
export async function createEndpoint(
  deps: EndpointWriterDeps,
  caller: AuditedBy,
  write: WebhookEndpointWrite,
  plan: Plan = freshPlan(deps.nowMs()),
): Promise<WrittenEndpoint & { secret: string }> {
  const { namespace } = caller;
  const made = toWebhookEndpointSpec(write);
  const { spec, secret = newEndpointSecret(plan.seed), headers = {} } = made;
  checkAddress(deps.guard, spec.url);
  refuseHeaders(headers);
  const { id } = plan;
  const publicId = fromUuid('we', id);
  const object = {
    kind: 'WebhookEndpoint',
    namespace,
    name: publicId.replace('_', '-'),
    spec,
    annotations: { [ANNOTATIONS.id]: publicId },
  };
  const declare = async ({ begin }: WriteAhead): Promise<Resource> => {
    await begin({ after: endpointAudited(write, namesOf(headers)) });
    // An earlier attempt of this request may have created the endpoint, and the endpoint's secret may have been rotated
    // since. So a retry returns an existing endpoint instead of declaring it again.
    const known = plan.isRetry ? await findMade(deps.store, object) : undefined;
    return known ?? declareWithSecrets(deps, { id, object, url: spec.url, secret, headers });
  };
  const written = await writingAhead(
    { pool: deps.pool, by: caller, id, action: 'webhook.created', target: publicId },
    (ahead) =>
      createDeclared(deps, DECLARED_ENDPOINT, { namespace, plan, declare: () => declare(ahead) }),
    () => ({ after: {} }),
  );
  const { row } = written;
  const headerNames = written.shown ? row.headerNames : namesOf(headers);
  return { ...written, row: { ...row, headerNames }, secret };
}

async function declareWithSecrets(
  { pool, store, sealer }: EndpointWriterDeps,
  endpoint: { id: string; object: Applied; url: string; secret: string; headers: Headers },
): Promise<Resource> {
  const { id, object, url, secret, headers } = endpoint;
  const { namespace, name } = object;
  const place = { id, namespace };
  await insertUndeclared(pool, {
    id,
    namespace,
    name,
    url,
    secret: sealSecrets(sealer, place, { secret }).secret,
    headers: sealHeaders(sealer, place, headers),
  });
  try {
    return await declareNew(store, object);
  } catch (error) {
    // If the store did not respond, it may have created the endpoint anyway. That endpoint needs the secret in this
    // row.
    if (!(error instanceof StoreUnavailableError)) await deleteUndeclared(pool, object);
    throw error;
  }
}

type Caller = AuditedBy & { scopes: readonly Scope[] };

/**
 * Applies a JSON merge patch to the fields that the API manages. Responds with 409 for a field that another manager
 * owns. Writes the declaration first and the headers after it. If this process dies in between, repeating the patch
 * completes it.
 * @throws ApiError missing_scope if the patch changes the URL's origin and the API key lacks the `keys` scope. This
 * scope is required, because the header values would then be sent to the new origin
 */
export function patchEndpoint(
  deps: EndpointWriterDeps,
  caller: Caller,
  input: PatchInput,
): Promise<WrittenEndpoint> {
  const { id } = input;
  return writingAhead(
    {
      pool: deps.pool,
      by: caller,
      id: newUuid(deps.nowMs()),
      action: 'webhook.updated',
      target: fromUuid('we', id),
    },
    (ahead) => applyEndpointPatch(deps, caller, input, ahead),
    () => ({ after: {} }),
  );
}

type PatchInput = { id: string; patch: Record<string, unknown>; precondition?: Precondition };

async function applyEndpointPatch(
  deps: EndpointWriterDeps,
  caller: Caller,
  { id, patch, precondition: given = noPrecondition }: PatchInput,
  ahead: WriteAhead,
): Promise<WrittenEndpoint> {
  const key = { namespace: caller.namespace, id };
  const { declared, headers } = splitPatch(patch);
  if (typeof declared['url'] === 'string') checkAddress(deps.guard, declared['url']);
  const row = await requireEndpoint(deps, key);
  const precondition = atRevision(given, row.headerRevision);
  if (headers !== undefined) {
    const isForeign = row.managedBy !== 'api';
    if (isForeign)
      throw managedElsewhere([{ field: 'headers', manager: row.managedBy }], DECLARED_ENDPOINT);
  }
  // The headers are checked before any write, so that a rejected patch changes nothing.
  const merged =
    headers === undefined ? undefined : (await mergedHeaders(deps, key, headers)).headers;
  const resource = await applyPatch(deps, DECLARED_ENDPOINT, {
    key,
    patch: declared,
    precondition,
    permit: ({ before, after }) => {
      if (originOf(before.url) !== originOf(after.url)) requireScope(caller, 'keys', ELSEWHERE);
    },
    prepare: async (current, { before, after }) => {
      const headerNames = { before: row.headerNames, after: merged && namesOf(merged) };
      const namesSet = Object.keys(headers ?? {});
      await ahead.begin(endpointChange(before, after, { ...headerNames, set: namesSet }));
      await adoptDeclaredHeaders(deps, key, current);
    },
  });
  if (headers !== undefined) {
    ahead.isPartlyDone();
    const isConditional = given !== noPrecondition;
    await changeHeaders(deps, key, headers, isConditional ? row.headerRevision : undefined);
    tellProjected(deps, { resource: 'webhooks', ...key });
  }
  return showWritten(deps, DECLARED_ENDPOINT, { resource, id: key.id });
}

const ELSEWHERE =
  'the new `url` has a different origin, which would receive the secret headers and signatures ' +
  'meant for the old one. Use a key with this scope, or create another endpoint';

/** Returns the origin of the URL. If the string is not a URL, returns it unchanged; the store rejects it later. */
function originOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).origin : url;
}

/** Applies a patch to the headers. `expected` is the header revision that the caller read. */
async function changeHeaders(
  deps: EndpointWriterDeps,
  key: RowKey,
  patch: HeaderPatch,
  expected: number | undefined,
): Promise<void> {
  await retryingConflicts(async () => {
    const { headers, headerRevision } = await mergedHeaders(deps, key, patch);
    if (expected !== undefined && headerRevision !== expected) throw preconditionFailed();
    const sealed = sealHeaders(deps.sealer, key, headers);
    if (!(await updateRestHeaders(deps.pool, { id: key.id, headerRevision, ...sealed }))) {
      throw new WriteConflictError('the headers of the endpoint were changed at the same time');
    }
  });
}

/** @throws ApiError invalid_body if the merged headers may not be sent */
async function mergedHeaders(
  { pool, sealer }: EndpointWriterDeps,
  key: RowKey,
  patch: HeaderPatch,
): Promise<{ headers: Headers; headerRevision: number }> {
  const stored = found(await readSealedEndpoint(pool, key.id), DECLARED_ENDPOINT.noun);
  const headers = patchHeaders(openHeaders(sealer, key, stored.restHeaders), patch);
  refuseHeaders(headers);
  return { headers, headerRevision: stored.headerRevision };
}

/** Stores headers that an earlier release declared in plain text, before they are removed from the declaration. */
async function adoptDeclaredHeaders(
  { pool, sealer }: Pick<EndpointWriterDeps, 'pool' | 'sealer'>,
  key: RowKey,
  current: Resource<WebhookEndpointSpec>,
): Promise<void> {
  const headers = declaredByRest(current);
  if (headers) await adoptRestHeaders(pool, { id: key.id, ...sealHeaders(sealer, key, headers) });
}

/** @throws ApiError invalid_body */
function refuseHeaders(headers: Headers): void {
  const detail = headersProblem(headers);
  if (detail === undefined) return;
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/headers', code: 'invalid_value', detail }],
  });
}

/** Deletes the endpoint. The operator then deletes its Secret. */
export async function deleteEndpoint(
  deps: EndpointWriterDeps,
  caller: AuditedBy,
  { id, precondition = noPrecondition }: { id: string; precondition?: Precondition },
): Promise<void> {
  const key = { namespace: caller.namespace, id };
  const { headerRevision } = await requireEndpoint(deps, key);
  await writingAhead(
    {
      pool: deps.pool,
      by: caller,
      id: newUuid(deps.nowMs()),
      action: 'webhook.deleted',
      target: fromUuid('we', id),
    },
    ({ begin }) =>
      deleteDeclared(deps, DECLARED_ENDPOINT, {
        key,
        precondition: atRevision(precondition, headerRevision),
        prepare: (row) => begin(endpointGone(row)),
      }),
    (wasThere) => (wasThere ? { after: null } : undefined),
  );
}

/** @throws ApiError not_found, also for an id of another namespace */
export function requireEndpoint(deps: { pool: Db }, key: RowKey): Promise<WebhookEndpointRow> {
  return requireRow(deps, DECLARED_ENDPOINT, key);
}

/**
 * Checks the URL early, so that the caller gets a better error message. The address guard checks it again at every
 * connection.
 */
function checkAddress(guard: AddressGuard, url: string): void {
  const checked = checkUrl(url, guard);
  if (!('problem' in checked)) return;
  throw new ApiError('invalid_body', `url: ${checked.problem}`, {
    errors: [{ pointer: '/url', code: 'invalid_url', detail: checked.problem }],
  });
}
