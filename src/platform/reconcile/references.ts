import {
  ALLOW_LABEL,
  API_MANAGER,
  ENDPOINT_LABEL,
  OPERATOR_MANAGER,
} from '../resources/annotations.ts';
import type { ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';
import type { Problem } from './conditions.ts';

/** Value that a spec refers to, or the reason why it is missing. `reason` is a condition's reason. */
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

/** Reader of a Secret. `endpoint` is the name of a WebhookEndpoint that reads its own signing secret. */
type Reader = { endpoint?: string };

/**
 * Returns the value of a Secret's key, in the object's own namespace. The Secret must have the label that allows its
 * use (contract/custom-resources.md#secrets), and must not be another endpoint's own.
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
 * Returns the value of a Secret's key for use in a header: visible ASCII of 1 to `max` characters. It trims surrounding
 * white space, because values read from a file usually end in a line break.
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
  const message = `key ${ref.key} of Secret ${ref.name} must have 1 to ${ref.max} characters of visible ASCII`;
  return { reason: 'InvalidSecret', message };
}

/** Returns a Secret of the object's own namespace that has the label and may be used. `data` of its spec is text. */
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
    const message = `Secret ${name} needs the label ${ALLOW_LABEL}: "true" before Parley uses it`;
    return { reason, message };
  }
  if (endpoint !== undefined && name === signingSecretName(endpoint)) return secret;
  if (!(await isEndpointsOwn(store, secret))) return secret;
  const message = `Secret ${name} is a webhook endpoint's own, and nothing else may use it: put the value into another Secret`;
  return { reason, message };
}

const SIGNING_SUFFIX = '-signing';

/**
 * Returns the name of the Secret of an endpoint without `secretRef`. A DNS label with the suffix is a DNS subdomain.
 */
export function signingSecretName(endpoint: string): string {
  return `${endpoint}${SIGNING_SUFFIX}`;
}

/**
 * Returns whether an endpoint signs with this Secret although no `secretRef` names it. Secrets created by earlier
 * releases have no label yet, and those restored from a backup have another writer.
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
