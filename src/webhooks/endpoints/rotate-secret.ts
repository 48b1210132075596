import { ApiError, found } from '../../errors.ts';
import { fromUuid } from '../../ids.ts';
import { newEndpointSecret } from '../../platform/egress/signature.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import { lockSealedEndpoint, updateSecrets } from './endpoint-secrets.sql.ts';
import {
  openSecrets,
  ROTATION_KEYS,
  sealSecrets,
  secretsAt,
  type SigningSecrets,
} from './signing-secrets.ts';
import { signingSecretName } from '../../platform/reconcile/references.ts';
import type { WebhookEndpointSpec } from './webhook-endpoint.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { WebhookEndpointRow } from './webhook-endpoints.sql.ts';
import { recordAudit, type AuditedBy, type Fields } from '../../audit/audit-log.sql.ts';
import type { Plan } from '../../platform/idempotency/plan.ts';
import { atRevision, type Precondition } from '../../platform/declare/precondition.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { unixSec } from '../../platform/http/fields.ts';
import { requireEndpoint } from './write-endpoint.ts';

export const OVERLAP_DEFAULT_SEC = 86_400;

export type RotateSecretDeps = {
  pool: Pool;
  store: ResourceStore;
  sealer: Sealer;
  notifier: Pick<Notifier, 'notify'>;
};

export type RotateInput = {
  namespace: string;
  id: string;
  /**
   * Time in seconds for which both secrets are valid before the swap, and again after it. Undefined selects the
   * default.
   */
  overlapSec: number | undefined;
  step: 'begin' | 'activate' | 'cancel';
};

/** Endpoint after a rotation step. `secret` is the new secret if this call created it. */
export type Rotated = { endpoint: WebhookEndpointRow; secret: string | undefined };

/**
 * Rotates an endpoint's signing secret in two steps (contract/webhooks.md#rotation). One transaction locks and writes
 * the endpoint's row, which is the primary copy of its secrets. So only one of two concurrent callers can begin a
 * rotation, and a response always contains the secret that was stored. The operator copies the secret into the
 * endpoint's Secret, from which it can be restored if the database is lost.
 * @throws ApiError not_found, precondition_failed, managed_secret, rotation_in_progress, no_rotation
 */
export async function rotateSecret(
  deps: RotateSecretDeps,
  input: RotateInput & { plan: Plan; precondition: Precondition; by: AuditedBy },
  beforeCommit: CommitHook<Rotated> = noCommitHook,
): Promise<Rotated> {
  const endpoint = await requireEndpoint(deps, input);
  await checkDeclared(deps.store, endpoint, input.precondition);
  const done = await inTransaction(deps.pool, async (db) => {
    const locked = await lockSealedEndpoint(db, input);
    if (!locked?.secrets) throw noSecretYet();
    const { nowMs } = locked;
    const before = secretsAt(openSecrets(deps.sealer, endpoint, locked.secrets), nowMs);
    const made = newEndpointSecret(input.plan.seed);
    const after = rotate(before, { ...input, made, nowMs });
    await updateSecrets(db, { id: input.id, ...sealSecrets(deps.sealer, endpoint, after) });
    await recordAudit(db, input.by, {
      action: ACTIONS[input.step],
      target: fromUuid('we', input.id),
      before: { secret_rotation: rotationOf(before) },
      after: { secret_rotation: rotationOf(after) },
    });
    const { atMs = null, oldUntilMs = null } = after.next ?? {};
    const rotated = {
      endpoint: { ...endpoint, nextSecretAt: atMs, oldSecretUntil: oldUntilMs },
      secret: input.step === 'begin' ? made : undefined,
    };
    await beforeCommit(db, rotated);
    return rotated;
  });
  tellProjected(deps, { resource: 'webhooks', namespace: input.namespace, id: input.id });
  return done;
}

/** Returns the times of the rotation in progress, as REST shows them, without the secrets. */
function rotationOf({ next }: SigningSecrets): Fields | null {
  if (next === undefined) return null;
  return { activates_at: unixSec(next.atMs), ends_at: unixSec(next.oldUntilMs) };
}

const ACTIONS = {
  begin: 'webhook.secret_rotated',
  activate: 'webhook.secret_activated',
  cancel: 'webhook.rotation_canceled',
} as const;

/** Returns the signing secrets after a rotation step. */
function rotate(
  before: SigningSecrets,
  step: Pick<RotateInput, 'step' | 'overlapSec'> & { made: string; nowMs: number },
): SigningSecrets {
  const { made, nowMs } = step;
  const { next } = before;
  const isWaiting = next !== undefined && next.atMs > nowMs;
  if (step.step === 'begin') {
    // This request is a retry after a crash. The first attempt of the request has already begun the rotation.
    if (isWaiting && next.secret === made) return before;
    if (isWaiting) throw inProgress(next.atMs);
    // An earlier rotation may have swapped the secrets but not ended. In that case, this rotation starts from the
    // secret that is now in use, and drops the secret that was in use before the swap.
    const secret = next?.secret ?? before.secret;
    const overlapMs = (step.overlapSec ?? OVERLAP_DEFAULT_SEC) * 1_000;
    const atMs = nowMs + overlapMs;
    return overlapMs === 0
      ? { secret: made }
      : { secret, next: { secret: made, atMs, oldUntilMs: atMs + overlapMs } };
  }
  if (!isWaiting) throw new ApiError('no_rotation', 'No rotation of the secret is in progress.');
  if (step.step === 'cancel') return { secret: before.secret };
  const graceMs =
    step.overlapSec === undefined ? next.oldUntilMs - next.atMs : step.overlapSec * 1_000;
  const activated = { ...before, next: { ...next, atMs: nowMs, oldUntilMs: nowMs + graceMs } };
  return secretsAt(activated, nowMs);
}

function inProgress(atMs: number): ApiError {
  const at = new Date(atMs).toISOString();
  return new ApiError(
    'rotation_in_progress',
    `The next secret starts to sign at ${at}. Send \`activate: true\` to use it now or \`cancel: true\` to discard it.`,
  );
}

function noSecretYet(): ApiError {
  return new ApiError(
    'write_conflict',
    'The endpoint has no active secret yet. Try again in a second.',
  );
}

/** Checks that the API manages the secret. If the endpoint names a Secret, the signing secret must be rotated there. */
async function checkDeclared(
  store: ResourceStore,
  endpoint: WebhookEndpointRow,
  precondition: Precondition,
): Promise<void> {
  const declared = await store.get('WebhookEndpoint', endpoint);
  // The cast is safe, because the store accepts only specs that match the CRD.
  const ref = (declared?.spec as WebhookEndpointSpec | undefined)?.secretRef?.name;
  if (endpoint.managedBy !== 'api') throw keptElsewhere(endpoint, ref);
  atRevision(precondition, endpoint.headerRevision)(found(declared, 'webhook endpoint'));
  if (ref !== undefined) throw keptElsewhere(endpoint, ref);
}

/**
 * Returns the error for a secret that the API does not manage. It says which Secret (`ref`) to rotate instead, and how.
 */
export function keptElsewhere(
  { namespace, name }: Pick<WebhookEndpointRow, 'namespace' | 'name'>,
  ref: string | undefined,
): ApiError {
  const secret = `Secret ${ref ?? signingSecretName(name)} of namespace ${namespace}`;
  const how =
    ref === undefined
      ? `Add ${ROTATION_KEYS.join(', ')} to the Secret in one patch. Requests are then signed with both secrets until the later time in those keys.`
      : 'First configure the receiver to accept both values. Then change the value, with immediate effect.';
  return new ApiError('managed_secret', `The secret is stored in ${secret}. ${how}`);
}
