import { ApiError } from '../../errors.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { AgentSpec } from '../agent.ts';
import { resolveRequestSecrets } from '../tools/request-secrets.ts';

/** Problems with the webhook that confirms the steps of a rollout, as REST errors and as conditions. */

type Rollout = { confirm?: { url?: string } | null } | null;

/**
 * Rejects a request whose webhook has a forbidden URL. The same rules apply as for webhook endpoints
 * (contract/webhooks.md#addresses).
 * @throws ApiError invalid_body
 */
export function requireConfirmUrl(guard: AddressGuard, { rollout }: { rollout?: unknown }): void {
  // The body is validated, but a merge patch may contain `null`, or only some fields.
  const detail = urlProblem(rollout as Rollout | undefined, guard);
  if (detail === undefined) return;
  const errors = [{ pointer: '/rollout/confirm/url', code: 'invalid_url', detail }];
  throw new ApiError('invalid_body', detail, { errors });
}

function urlProblem(rollout: Rollout | undefined, guard: AddressGuard): string | undefined {
  const url = rollout?.confirm?.url;
  if (url === undefined) return undefined;
  const checked = checkUrl(url, guard);
  return 'problem' in checked ? checked.problem : undefined;
}

/**
 * Returns the reason why the webhook of a declared rollout cannot be called. Returns `undefined` if it can be called,
 * or if no webhook is declared.
 */
export async function confirmProblem(
  { guard, store }: { guard: AddressGuard; store: Pick<ResourceStore, 'get'> },
  namespace: string,
  { rollout }: Pick<AgentSpec, 'rollout'>,
): Promise<(Problem & { type: 'Accepted' | 'ResolvedRefs' }) | undefined> {
  if (!rollout?.confirm) return undefined;
  const address = urlProblem(rollout, guard);
  if (address !== undefined) {
    const message = `rollout.confirm.url: ${address}`;
    return { type: 'Accepted', reason: 'InvalidUrl', message };
  }
  const secrets = await resolveRequestSecrets(store, namespace, rollout.confirm);
  return 'reason' in secrets ? { type: 'ResolvedRefs', ...secrets } : undefined;
}
