import { isEndpointSecret } from '../../platform/egress/signature.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import { resolveSecret } from '../../platform/reconcile/references.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import type { SecretRef } from './tool-secrets.sql.ts';

/** References to the Secrets of an outgoing request, as tools and feeds declare them. */
export type RequestSecretRefs = {
  secretRef?: SecretRef | undefined;
  signingSecretRef?: SecretRef | undefined;
};
/** Secrets in clear text. */
export type RequestSecrets = { bearer?: string; signing?: string };

/** Pattern for a bearer token: up to 8,192 visible ASCII characters, which a header can carry. */
export const BEARER_TOKEN = /^[!-~]{1,8192}$/;

/**
 * Returns the current values of the Secrets, or the reason why they cannot be used. Costs one read per Secret. `own` is
 * the name of the Secret in which Parley stores the secrets that the object received through REST.
 */
export async function resolveRequestSecrets(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  { secretRef, signingSecretRef }: RequestSecretRefs,
  own?: string,
): Promise<RequestSecrets | Problem> {
  const secrets: RequestSecrets = {};
  for (const [use, ref, isGood, words] of [
    [
      'bearer',
      secretRef,
      (value: string) => BEARER_TOKEN.test(value),
      'one line of visible ASCII without spaces',
    ],
    [
      'signing',
      signingSecretRef,
      isEndpointSecret,
      '`whsec_` followed by 24 to 64 bytes in base64',
    ],
  ] as const) {
    if (!ref) continue;
    const secret = await resolveSecret(store, namespace, ref, own === undefined ? {} : { own });
    if (!('value' in secret)) return secret;
    // Secrets often end with an unintended line break.
    const value = secret.value.trim();
    const message = `key "${ref.key}" of Secret "${ref.name}" must be ${words}`;
    if (!isGood(value)) return { reason: 'InvalidSecret', message };
    secrets[use] = value;
  }
  return secrets;
}
