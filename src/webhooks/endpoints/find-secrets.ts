import { isDeepStrictEqual } from 'node:util';
import type { Pool } from '../../platform/postgres/pool.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { managedBy } from '../../platform/reconcile/actors.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import {
  resolveSecret,
  resolveWholeSecret,
  secretNotWritten,
  signingSecretName,
} from '../../platform/reconcile/references.ts';
import { API_MANAGER, OPERATOR_MANAGER } from '../../platform/resources/annotations.ts';
import type {
  Applied,
  ObjectKey,
  Resource,
  ResourceStore,
} from '../../platform/resources/resource-store.ts';
import { openHeaders, type Headers } from './endpoint-headers.ts';
import { declaredByRest, headersProblem } from './header-rules.ts';
import { markCopied, type SealedEndpoint, type SealedSecrets } from './endpoint-secrets.sql.ts';
import { isEndpointSecret, newEndpointSecret } from '../../platform/egress/signature.ts';
import {
  openSecrets,
  readHeaders,
  readRotation,
  secretObject,
  secretsAt,
  type SigningSecrets,
} from './signing-secrets.ts';
import {
  SIGNING_SECRET_KEY,
  type WebhookEndpointSpec,
  type WebhookEndpointStatus,
} from './webhook-endpoint.ts';

type EndpointResource = Resource<WebhookEndpointSpec, WebhookEndpointStatus>;

export type FindSecretsDeps = {
  store: Pick<ResourceStore, 'get' | 'apply'>;
  pool: Pool;
  sealer: Sealer;
  nowMs: () => number;
};

/** Secrets of an endpoint. `headers` are the headers that were set through REST and are missing from the row. */
export type FoundSecrets = { secrets: SigningSecrets; headers?: Headers };

/**
 * Finds the signing secrets of an endpoint in one of three places. If the endpoint names a Secret in `secretRef`, that
 * Secret contains the signing secrets. If the endpoint was created through REST, its row contains them, and they are
 * copied into the endpoint's own Secret. In all other cases, the endpoint's own Secret contains them; it is created if
 * it is missing. If the database is lost, its rows are restored from the Secrets. If a Secret is lost, it is restored
 * from the row. So receivers never need a new secret.
 */
export async function findSecrets(
  deps: FindSecretsDeps,
  endpoint: EndpointResource,
  { id, stored }: { id: string; stored: SealedEndpoint | undefined },
): Promise<FoundSecrets | Problem> {
  const found = await findFor(deps, endpoint, { id, stored }).catch((error: unknown) => {
    const cure = 'remove that other writer, or name the Secret in `secretRef`';
    const problem = secretNotWritten(error, signingSecretName(endpoint.metadata.name), cure);
    if (!problem) throw error;
    return problem;
  });
  const isDone = 'secrets' in found && stored && !stored.isCopied;
  if (isDone) await markCopied(deps.pool, id, stored.revision);
  return found;
}

function findFor(
  deps: FindSecretsDeps,
  endpoint: EndpointResource,
  { id, stored }: { id: string; stored: SealedEndpoint | undefined },
): Promise<FoundSecrets | Problem> {
  const { spec, metadata, owners } = endpoint;
  if (spec.secretRef) return resolveSecrets(deps.store, metadata, spec.secretRef);
  const known = stored && isWhole(stored) ? stored : undefined;
  const isHome = managedBy(owners['url']) === 'api';
  const row = { id, stored: known };
  return isHome && known
    ? copyToSecret(deps, endpoint, { id, stored: known })
    : readOwnSecret(deps, endpoint, row);
}

type WholeRow = SealedEndpoint & { secrets: SealedSecrets };

function isWhole(stored: SealedEndpoint): stored is WholeRow {
  return stored.secrets !== null;
}

/** Copies the row's secrets to the endpoint's Secret and returns them. */
async function copyToSecret(
  deps: FindSecretsDeps,
  endpoint: EndpointResource,
  { id, stored }: { id: string; stored: WholeRow },
): Promise<FoundSecrets | Problem> {
  const { namespace } = endpoint.metadata;
  const place = { id, namespace };
  const secrets = secretsAt(openSecrets(deps.sealer, place, stored.secrets), deps.nowMs());
  const headers = openHeaders(deps.sealer, place, stored.restHeaders);
  const copy = ownSecret(endpoint, secrets, headers);
  const there = await deps.store.get('Secret', copy);
  const isCopied =
    isDeepStrictEqual(there?.spec, copy.spec) &&
    hasLabels(there?.metadata.labels, copy) &&
    isOwned(there, endpoint);
  if (!isCopied) await deps.store.apply(copy, { fieldManager: API_MANAGER });
  return { secrets };
}

function hasLabels(
  labels: Record<string, string> = {},
  { labels: wanted = {} }: Pick<Applied, 'labels'>,
): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

async function readOwnSecret(
  deps: FindSecretsDeps,
  endpoint: EndpointResource,
  { id, stored }: { id: string; stored: WholeRow | undefined },
): Promise<FoundSecrets | Problem> {
  const { namespace, name } = endpoint.metadata;
  const key = { namespace, name: signingSecretName(name) };
  const make = (): Promise<Resource> => {
    const known = stored && openSecrets(deps.sealer, { id, namespace }, stored.secrets);
    const secrets = known ?? { secret: newEndpointSecret() };
    return putSecret(deps, endpoint, secrets, { resourceVersion: '' });
  };
  const own = (await deps.store.get('Secret', key)) ?? (await make());
  const ref = { name: key.name, key: SIGNING_SECRET_KEY };
  const found = await resolveSecrets({ get: async () => own }, { namespace, name }, ref);
  if (!('secrets' in found)) return found;
  const data = dataOf(own);
  const rotation = readRotation(data);
  if ('problem' in rotation) return invalidSecret(key.name, rotation.problem);
  const headers = readHeaders(data);
  if (!headers) {
    return invalidSecret(
      key.name,
      'key `headers` must be a JSON object of header names and values',
    );
  }
  const read = { ...found.secrets, ...rotation };
  const secrets = secretsAt(read, deps.nowMs());
  if (secrets !== read) await putSecret(deps, endpoint, secrets);
  // Secrets created by an older release have no owner and no label. They are rewritten, unless somebody other than
  // Parley writes to them.
  else if (isOurs(own) && !isMarked(own, endpoint))
    await putSecret(deps, endpoint, secrets, { headers });
  return Object.keys(headers).length > 0 ? { secrets, headers } : { secrets };
}

async function resolveSecrets(
  store: Pick<ResourceStore, 'get'>,
  endpoint: ObjectKey,
  ref: { name: string; key: string },
): Promise<FoundSecrets | Problem> {
  const secret = await resolveSecret(store, endpoint.namespace, ref, { endpoint: endpoint.name });
  if (!('value' in secret)) return secret;
  if (isEndpointSecret(secret.value)) return { secrets: { secret: secret.value } };
  const { name, key } = ref;
  const message = `key ${key} of Secret ${name} must be whsec_ followed by the base64 of 24 to 64 bytes`;
  return { reason: 'InvalidSecret', message };
}

function invalidSecret(name: string, problem: string): Problem {
  return { reason: 'InvalidSecret', message: `Secret ${name}: ${problem}` };
}

/**
 * Writes the Secret. The field manager is the API if the endpoint was created through the API, and otherwise the
 * operator.
 */
function putSecret(
  { store }: Pick<FindSecretsDeps, 'store'>,
  endpoint: EndpointResource,
  secrets: SigningSecrets,
  { headers, ...options }: { resourceVersion?: string; headers?: Headers } = {},
): Promise<Resource> {
  const isApis = managedBy(endpoint.owners['url']) === 'api';
  const fieldManager = isApis ? API_MANAGER : OPERATOR_MANAGER;
  return store.apply(ownSecret(endpoint, secrets, headers), { fieldManager, ...options });
}

/**
 * Returns the Secret with its endpoint as the owner, so that the cluster deletes it together with the endpoint even if
 * no operator is running.
 */
function ownSecret(
  { kind, metadata }: EndpointResource,
  secrets: SigningSecrets,
  headers?: Headers,
): Applied {
  const { name, uid } = metadata;
  return { ...secretObject(metadata, secrets, headers), owner: { kind, name, uid } };
}

/** Returns true if the Secret names its endpoint as its owner and in its label. */
function isMarked(secret: Resource, endpoint: EndpointResource): boolean {
  const { labels = {} } = secretObject(endpoint.metadata, { secret: '' });
  return isOwned(secret, endpoint) && hasLabels(secret.metadata.labels, { labels });
}

/** Returns true if the endpoint owns the Secret. Always returns true in a store without owner references. */
function isOwned(secret: Resource | undefined, { metadata }: EndpointResource): boolean {
  const uids = secret?.metadata.ownerUids;
  return secret !== undefined && (uids === undefined || uids.includes(metadata.uid));
}

function isOurs({ owners }: Resource): boolean {
  const managers = owners['data'] ?? [];
  return (
    managers.length > 0 &&
    managers.every((manager) => manager === API_MANAGER || manager === OPERATOR_MANAGER)
  );
}

/** Returns the declared headers. A header from a Secret takes precedence over a header declared in plain text. */
export async function findHeaders(
  { store }: Pick<FindSecretsDeps, 'store'>,
  endpoint: EndpointResource,
): Promise<{ headers: Headers } | Problem> {
  const { spec, metadata } = endpoint;
  const inClear = declaredByRest(endpoint) ? {} : (spec.headers ?? {});
  if (!spec.headersFrom) return { headers: inClear };
  const { name } = spec.headersFrom.secretRef;
  const secret = await resolveWholeSecret(store, metadata.namespace, name);
  if (!('spec' in secret)) return secret;
  const headers = dataOf(secret) as Headers;
  const problem = headersProblem(headers);
  if (problem !== undefined) return invalidSecret(name, problem);
  const given = new Set(Object.keys(headers).map((header) => header.toLowerCase()));
  const kept = Object.entries(inClear).filter(([header]) => !given.has(header.toLowerCase()));
  return { headers: { ...Object.fromEntries(kept), ...headers } };
}

/** Returns the data of a Secret, or an empty object if the Secret has none. */
function dataOf({ spec }: Resource): Record<string, unknown> {
  const data = spec['data'];
  return typeof data === 'object' && data !== null ? { ...data } : {};
}
