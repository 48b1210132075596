import {
  ALLOW_LABEL,
  API_MANAGER,
  ENDPOINT_LABEL,
  OPERATOR_MANAGER,
} from '../resources/annotations.ts';
import type { ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';
import type { Problem } from './conditions.ts';

/** Value to which a spec refers, or the reason why it is missing. That reason becomes the condition's reason. */
export type Resolved = { value: string } | Problem;

type KeyRef = { name: string; key: string };

/** Returns the text of a ConfigMap's key, in the object's own namespace. */
export async function resolveConfigMap(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  { name, key }: KeyRef,
): Promise<Resolved> {
  const configMap = await store.get('ConfigMap', { namespace, name });
  if (!configMap)
    return { reason: 'ConfigMapNotFound', message: `ConfigMap ${name} does not exist` };
  return valueOf(configMap.spec, key, `ConfigMap ${name}`);
}

/** Object that reads a Secret. `endpoint` is set for a WebhookEndpoint that reads its own signing secret. */
type Reader = { endpoint?: string };

/**
 * Returns the value of a Secret's key, in the object's own namespace. The Secret must have the label that allows its
 * use (contract/custom-resources.md#secrets), and must not contain the signing secret of another endpoint.
 */
export async function resolveSecret(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  { name, key }: KeyRef,
  reader: Reader = {},
): Promise<Resolved> {
  const secret = await resolveWholeSecret(store, namespace, name, reader);
  return 'spec' in secret ? valueOf(secret.spec, key, `Secret ${name}`) : secret;
}

/**
 * Returns the value of a Secret's key for use in a header: 1 to `max` visible ASCII characters. It trims surrounding
 * white space, because values created from a file usually end in a line break.
 */
export async function resolveKey(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  ref: KeyRef & { max: number },
): Promise<Resolved> {
  const found = await resolveSecret(store, namespace, ref);
  if (!('value' in found)) return found;
  const value = found.value.trim();
  if (value.length >= 1 && value.length <= ref.max && /^[!-~]+$/.test(value)) return { value };
  const message = `key ${ref.key} of Secret ${ref.name} must have 1 to ${ref.max} visible ASCII characters`;
  return { reason: 'InvalidSecret', message };
}

/**
 * Returns a Secret of the object's own namespace that has the label and may be used. The values in its `data` are
 * decoded text.
 */
export async function resolveWholeSecret(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  name: string,
  { endpoint }: Reader = {},
): Promise<Resource | Problem> {
  const secret = await store.get('Secret', { namespace, name });
  if (!secret) return { reason: 'SecretNotFound', message: `Secret ${name} does not exist` };
  const reason = 'SecretNotAllowed';
  if (secret.metadata.labels[ALLOW_LABEL] !== 'true') {
    const message = `Secret ${name} needs the label ${ALLOW_LABEL}: "true", which allows Parley to use it`;
    return { reason, message };
  }
  if (endpoint !== undefined && name === signingSecretName(endpoint)) return secret;
  if (!(await isEndpointsOwn(store, secret))) return secret;
  const message = `Secret ${name} belongs to a webhook endpoint, and nothing else may use it: store the value in another Secret`;
  return { reason, message };
}

const SIGNING_SUFFIX = '-signing';

/**
 * Returns the name of the signing Secret of an endpoint without `secretRef`. The name is valid, because a DNS label
 * plus the suffix is a DNS subdomain.
 */
export function signingSecretName(endpoint: string): string {
  return `${endpoint}${SIGNING_SUFFIX}`;
}

/**
 * Returns whether an endpoint signs with this Secret although no `secretRef` names it. Labels and field managers alone
 * do not show this: Secrets created by earlier releases lack the label, and those restored from a backup have another
 * manager.
 */
async function isEndpointsOwn(
  store: Pick<ResourceStore, 'get'>,
  { metadata, owners }: Resource,
): Promise<boolean> {
  const { namespace, name, labels } = metadata;
  if (labels[ENDPOINT_LABEL] !== undefined) return true;
  if (owners['data']?.some((by) => by === API_MANAGER || by === OPERATOR_MANAGER)) return true;
  if (!name.endsWith(SIGNING_SUFFIX)) return false;
  const key: ObjectKey = { namespace, name: name.slice(0, -SIGNING_SUFFIX.length) };
  const endpoint = await store.get('WebhookEndpoint', key);
  return endpoint !== undefined && endpoint.spec['secretRef'] === undefined;
}

function valueOf(spec: Record<string, unknown>, key: string, what: string): Resolved {
  const data = spec['data'];
  const value: unknown =
    typeof data === 'object' && data !== null && Object.hasOwn(data, key)
      ? Reflect.get(data, key)
      : undefined;
  return typeof value === 'string'
    ? { value }
    : { reason: 'KeyNotFound', message: `${what} has no key ${key}` };
}
