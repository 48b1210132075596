import { resolveRequestSecrets } from '../../agents/tools/request-secrets.ts';
import { ApiError } from '../../errors.ts';
import type { AddressGuard } from '../../platform/egress/address-guard.ts';
import { checkUrl } from '../../platform/egress/url-rules.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { KnowledgeSourceSpec } from './knowledge-source.ts';

/** This module finds problems with declared feeds and websites, and returns them as REST errors or as conditions. */

type Integration = NonNullable<KnowledgeSourceSpec['integration']>;
type Deps = { guard: AddressGuard; store: Pick<ResourceStore, 'get'> };

/**
 * Returns a sentence about the problem with a URL, or `undefined` if none exists. A URL must obey the rules for
 * webhook endpoints (contract/webhooks.md#addresses), and must not have the query parameter `cursor`, which Parley
 * itself adds.
 */
function urlProblem(url: string, guard: AddressGuard): string | undefined {
  const checked = checkUrl(url, guard);
  if ('problem' in checked) return checked.problem;
  return checked.url.searchParams.has('cursor')
    ? 'The query must not have a parameter "cursor", because Parley adds its own to request the next page: rename your parameter.'
    : undefined;
}

/**
 * Returns why a declared feed cannot be read, with the type of the condition that reports the problem, or `undefined`
 * if it can be read.
 */
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

/** Returns why a sync cannot start from a website's address, or `undefined` if it can. */
function websiteProblem(address: string, guard: AddressGuard): string | undefined {
  if (!URL.canParse(address)) return 'The URL is not valid: write it like https://example.com/.';
  const url = new URL(address);
  url.hash = ''; // Checks the URL without its fragment, because a fragment is never sent.
  const checked = checkUrl(url.href, guard);
  return 'problem' in checked ? checked.problem : undefined;
}

/**
 * Returns why a declared website cannot be read, as the reason and message of a condition, or `undefined` if it can be
 * read.
 */
export function websiteRefusal(
  guard: AddressGuard,
  website: { url: string },
): (Problem & { type: 'Accepted' }) | undefined {
  const problem = websiteProblem(website.url, guard);
  if (problem === undefined) return undefined;
  return { type: 'Accepted', reason: 'InvalidUrl', message: `spec.website.url: ${problem}` };
}

/** Returns true if the requests of a feed use a key of this Secret. */
export function usesSecret(integration: Integration | undefined, name: string): boolean {
  const { secretRef, signingSecretRef } = integration ?? {};
  return secretRef?.name === name || signingSecretRef?.name === name;
}

/**
 * Rejects an invalid URL when a source is created or changed, so that the client learns of the problem early. During
 * syncs, the address guard checks every connection again. `fields` come from a validated body, but a merge patch may
 * contain `null`.
 * @throws ApiError invalid_body
 */
export function requireFetchedUrl(
  guard: AddressGuard,
  fields: { integration?: unknown; website?: unknown },
): void {
  requireUrlOf('integration', fields.integration, (url) => urlProblem(url, guard));
  requireUrlOf('website', fields.website, (url) => websiteProblem(url, guard));
}

function requireUrlOf(
  field: string,
  given: unknown,
  problemOf: (url: string) => string | undefined,
): void {
  if (typeof given !== 'object' || given === null) return;
  const url: unknown = Reflect.get(given, 'url');
  const problem = typeof url === 'string' ? problemOf(url) : undefined;
  if (problem === undefined) return;
  throw new ApiError('invalid_body', `${field}.url: ${problem}`, {
    errors: [{ pointer: `/${field}/url`, code: 'invalid_url', detail: problem }],
  });
}
