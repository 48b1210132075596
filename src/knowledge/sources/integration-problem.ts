import { resolveRequestSecrets } from '../../agents/tools/request-secrets.ts';
import { ApiError } from '../../errors.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { KnowledgeSourceSpec } from './knowledge-source.ts';

/** What can be said of a feed as it is declared, by REST at its place and by a condition. */

type Integration = NonNullable<KnowledgeSourceSpec['integration']>;
type Deps = { guard: AddressGuard; store: Pick<ResourceStore, 'get'> };

/** The rules of webhook endpoints (contract §4), and the query's `cursor` is ours. One sentence. */
function urlProblem(url: string, guard: AddressGuard): string | undefined {
  const checked = checkUrl(url, guard);
  if ('problem' in checked) return checked.problem;
  return checked.url.searchParams.has('cursor')
    ? 'The query has the parameter "cursor", by which the next page is asked for: give it another name.'
    : undefined;
}

/** Why a declared feed cannot be read, and the condition that says so; undefined: it can. */
export async function integrationProblem(
  { guard, store }: Deps,
  namespace: string,
  integration: Integration,
): Promise<(Problem & { type: 'Accepted' | 'ResolvedRefs' }) | undefined> {
  const problem = urlProblem(integration.url, guard);
  if (problem !== undefined) {
    const message = `spec.integration.url: ${problem}`;
    return { type: 'Accepted', reason: 'InvalidUrl', message };
  }
  const secrets = await resolveRequestSecrets(store, namespace, integration);
  return 'reason' in secrets ? { type: 'ResolvedRefs', ...secrets } : undefined;
}

/** Whether a feed is asked with a key of this Secret. */
export function usesSecret(integration: Integration | undefined, name: string): boolean {
  const { secretRef, signingSecretRef } = integration ?? {};
  return secretRef?.name === name || signingSecretRef?.name === name;
}

/**
 * Checked early for the caller's sake; the guard decides again at every connection. `fields`: of a body
 * that was checked already, but that a merge patch may have null.
 * @throws ApiError invalid_body
 */
export function requireFeedUrl(guard: AddressGuard, fields: { integration?: unknown }): void {
  const { integration } = fields;
  if (typeof integration !== 'object' || integration === null) return;
  const url: unknown = Reflect.get(integration, 'url');
  const problem = typeof url === 'string' ? urlProblem(url, guard) : undefined;
  if (problem === undefined) return;
  throw new ApiError('invalid_body', `integration.url: ${problem}`, {
    errors: [{ pointer: '/integration/url', code: 'invalid_url', detail: problem }],
  });
}
