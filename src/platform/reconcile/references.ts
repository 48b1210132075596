import {
  ALLOW_LABEL,
  API_MANAGER,
  ENDPOINT_LABEL,
  OPERATOR_MANAGER,
  OWNER_LABEL,
} from '../resources/annotations.ts';
import {
  FieldConflictError,
  NamespaceRefusedError,
  type ObjectKey,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';
import type { Problem } from './conditions.ts';

/**
 * The value to which a spec refers, or the problem if the value is missing. The problem's reason becomes the
 * condition's reason.
 */
export type Resolved = { value: string } | Problem;

type KeyRef = { name: string; key: string };

/** Returns the value of a key in a ConfigMap in the object's own namespace. */
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

/**
 * The object that reads a Secret. `endpoint` is set if it is a WebhookEndpoint that reads its own signing secret. `own`
 * is the name of the Secret in which Parley stores the object's key, if there is one.
 */
type Reader = { endpoint?: string; own?: string };

/**
 * Returns the value of a key in a Secret in the object's own namespace. The Secret must have the label that allows its
 * use (contract/custom-resources.md#secrets), and must not belong to another object.
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
 * Returns the value of a key in a Secret for use in a header: 1 to `max` visible ASCII characters. Surrounding white
 * space is trimmed, because values created from a file usually end with a line break.
 */
export async function resolveKey(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  ref: KeyRef & { max: number },
  reader: Reader = {},
): Promise<Resolved> {
  const found = await resolveSecret(store, namespace, ref, reader);
  if (!('value' in found)) return found;
  const value = found.value.trim();
  if (value.length >= 1 && value.length <= ref.max && /^[!-~]+$/.test(value)) return { value };
  const message = `key ${ref.key} of Secret ${ref.name} must have 1 to ${ref.max} visible ASCII characters`;
  return { reason: 'InvalidSecret', message };
}

/**
 * Returns a Secret in the object's own namespace, if it has the label and the object may use it. The values in its
 * `data` are decoded.
 */
export async function resolveWholeSecret(
  store: Pick<ResourceStore, 'get'>,
  namespace: string,
  name: string,
  { endpoint, own }: Reader = {},
): Promise<Resource | Problem> {
  const secret = await store.get('Secret', { namespace, name });
  if (!secret) return { reason: 'SecretNotFound', message: `Secret ${name} does not exist` };
  const reason = 'SecretNotAllowed';
  if (secret.metadata.labels[ALLOW_LABEL] !== 'true') {
    const message = `Secret ${name} needs the label ${ALLOW_LABEL}: "true", which allows Parley to use it`;
    return { reason, message };
  }
  if (endpoint !== undefined && name === signingSecretName(endpoint)) return secret;
  if (name === own) return secret;
  const owner = secret.metadata.labels[OWNER_LABEL];
  if (owner === undefined && !(await isEndpointsOwn(store, secret))) return secret;
  const message = `Secret ${name} belongs to ${owner ?? 'a webhook endpoint'}, and no other object may use it: store the value in a different Secret`;
  return { reason, message };
}

/**
 * Explains why an object's own Secret cannot be written: another manager writes to it too, or the cluster does not
 * allow the write. Returns undefined for any other error.
 */
export function secretNotWritten(error: unknown, name: string, cure: string): Problem | undefined {
  const reason = 'SecretNotWritten';
  if (error instanceof FieldConflictError) {
    const managers = [...new Set(error.conflicts.map(({ manager }) => manager))].join(', ');
    return { reason, message: `Secret ${name} is also written by ${managers}: ${cure}` };
  }
  if (!(error instanceof NamespaceRefusedError)) return undefined;
  return { reason, message: `Secret ${name} cannot be written: ${error.message}` };
}

const SIGNING_SUFFIX = '-signing';

/**
 * Returns the name of the signing Secret for an endpoint without `secretRef`. The name is always a valid DNS subdomain,
 * because the endpoint's name is a DNS label.
 */
export function signingSecretName(endpoint: string): string {
  return `${endpoint}${SIGNING_SUFFIX}`;
}

/**
 * Returns true if an endpoint signs with this Secret although no `secretRef` names it. Labels and field managers alone
 * are not enough to find this out: Secrets created by earlier releases lack the label, and Secrets restored from a
 * backup have a different manager.
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
