import { z } from 'zod';
import { isCoreKind } from '../resources/schema/core-kinds.ts';
import type { Resource } from '../resources/resource-store.ts';

const strings = z.record(z.string(), z.string());
const fieldsV1 = z.record(z.string(), z.unknown());

/** Fields that we read from any object. A metadata-only response (PartialObjectMetadata) has only the metadata. */
const raw = z.looseObject({
  metadata: z.object({
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    generation: z.int().default(0),
    resourceVersion: z.string(),
    labels: strings.default({}),
    annotations: strings.default({}),
    creationTimestamp: z.string(),
    ownerReferences: z.array(z.object({ uid: z.string() })).default([]),
    managedFields: z
      .array(
        z.object({
          manager: z.string().default('unknown'),
          subresource: z.string().default(''),
          time: z.string().default(''),
          fieldsV1: fieldsV1.default({}),
        }),
      )
      .default([]),
  }),
  spec: z.record(z.string(), z.unknown()).default({}),
  status: z.record(z.string(), z.unknown()).default({}),
  data: strings.default({}),
});
type Raw = z.output<typeof raw>;

/**
 * Annotation that contains kubectl's copy of the object. It is dropped, because Parley does not use it and the copies
 * would take up half of the cache.
 */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Converts an object.
 * @throws ZodError if it is not a Kubernetes object
 */
export function toResource(kind: string, object: unknown): Resource {
  const parsed = raw.parse(object);
  const { managedFields: _, ownerReferences, annotations, ...metadata } = parsed.metadata;
  const { [LAST_APPLIED]: __, ...kept } = annotations;
  return {
    kind,
    metadata: {
      ...metadata,
      annotations: kept,
      ...(isCoreKind(kind) && { ownerUids: ownerReferences.map(({ uid }) => uid) }),
    },
    spec: isCoreKind(kind) ? { data: textData(kind, parsed.data) } : parsed.spec,
    status: parsed.status,
    owners: isCoreKind(kind) ? dataOwners(parsed) : ownersOf(parsed),
    wroteAt: timesOf(parsed),
  };
}

/** Decodes the values of a Secret, which are base64 in JSON. */
function textData(kind: string, data: Record<string, string>): Record<string, string> {
  if (kind !== 'Secret') return data;
  const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, decode(text)]));
}

/**
 * Returns the managers of each top-level spec field. For each manager, `metadata.managedFields` has a tree of `f:` keys
 * (structured-merge-diff). Managers of subresources, such as the status, do not own the spec.
 */
function ownersOf(object: Raw, root = 'f:spec'): Record<string, string[]> {
  const owners: Record<string, string[]> = {};
  for (const { manager, subresource, fieldsV1: fields } of object.metadata.managedFields) {
    const tree = root === '' ? fields : fields[root];
    if (subresource !== '' || typeof tree !== 'object' || tree === null) continue;
    for (const key of Object.keys(tree)) {
      if (!key.startsWith('f:')) continue;
      const managers = (owners[key.slice(2)] ??= []);
      if (!managers.includes(manager)) managers.push(manager);
    }
  }
  // The server orders managers by their last write. They are sorted by name here, so that equal sets compare as equal.
  for (const managers of Object.values(owners)) managers.sort();
  return owners;
}

function timesOf({ metadata }: Raw): Record<string, string> {
  const times: Record<string, string> = {};
  for (const { manager, subresource, time, fieldsV1: fields } of metadata.managedFields) {
    if (subresource !== '' || !('f:spec' in fields)) continue;
    if (time > (times[manager] ?? '')) times[manager] = time; // The strings sort by time.
  }
  return times;
}

/** Returns the owners of the values in a Secret or ConfigMap. Owners of its labels do not count. */
function dataOwners(object: Raw): Record<string, string[]> {
  const { data } = ownersOf(object, '');
  return data ? { data } : {};
}
