import { isCoreKind } from '../resources/schema/core-kinds.ts';
import type { Applied, ApplyOptions, ObjectKey, Resource } from '../resources/resource-store.ts';
import { APPLY_PATCH, MERGE_PATCH, type KubeRequest } from './client.ts';
import { objectPath, pathOf } from './resource-paths.ts';

/** This module builds the requests with which a `ResourceStore` writes to the API server. */

const STATUS_MANAGER = 'parley-operator';
/**
 * A resource version that no object ever has. The server compares versions only if the object exists. A request that
 * requires this version can therefore create an object, but can never change an existing object.
 */
const NO_VERSION = '1';

/** Builds a server-side apply request. It is never forced. */
export function applyRequest(applied: Applied, options: ApplyOptions): KubeRequest {
  const { kind, namespace, name, spec, labels, annotations, owner } = applied;
  const { fieldManager, resourceVersion } = options;
  return {
    method: 'PATCH',
    path: objectPath(kind, { namespace, name }),
    query: { fieldManager, force: 'false', fieldValidation: 'Strict' },
    contentType: APPLY_PATCH,
    body: {
      apiVersion: pathOf(kind).apiVersion,
      kind,
      metadata: {
        namespace,
        name,
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        // `blockOwnerDeletion` is omitted, because it needs an additional permission on the owner.
        ...(owner && {
          ownerReferences: [{ apiVersion: pathOf(owner.kind).apiVersion, ...owner }],
        }),
        ...(resourceVersion !== undefined && {
          resourceVersion: resourceVersion === '' ? NO_VERSION : resourceVersion,
        }),
      },
      ...(isCoreKind(kind) ? encodeData(kind, spec) : { spec }),
    },
  };
}

/**
 * Builds a patch that sets annotations. The patch names the version of the object that was read. If two writers set an
 * id on the object at the same time, the patch of the second one therefore fails.
 */
export function annotateRequest(
  { kind, metadata: { namespace, name, resourceVersion } }: Resource,
  annotations: Record<string, string>,
): KubeRequest {
  return {
    method: 'PATCH',
    path: objectPath(kind, { namespace, name }),
    query: { fieldManager: STATUS_MANAGER },
    contentType: MERGE_PATCH,
    body: { metadata: { resourceVersion, annotations } },
  };
}

/**
 * Builds a patch that replaces the status. The patch names the version that was read, so that the server rejects a
 * write by a former leader whose cache is outdated.
 */
export function statusRequest(
  { kind, metadata: { namespace, name, uid, resourceVersion } }: Resource,
  status: Record<string, unknown>,
): KubeRequest {
  return {
    method: 'PATCH',
    path: `${objectPath(kind, { namespace, name })}/status`,
    query: { fieldManager: STATUS_MANAGER, force: 'true' },
    contentType: APPLY_PATCH,
    body: {
      apiVersion: pathOf(kind).apiVersion,
      kind,
      metadata: { namespace, name, uid, resourceVersion },
      status,
    },
  };
}

export function deleteRequest(
  kind: string,
  key: ObjectKey,
  resourceVersion: string | undefined,
): KubeRequest {
  return {
    method: 'DELETE',
    path: objectPath(kind, key),
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      ...(resourceVersion !== undefined && { preconditions: { resourceVersion } }),
    },
  };
}

function encodeData(kind: string, { data = {} }: Record<string, unknown>) {
  if (kind !== 'Secret') return { data };
  const encoded = Object.entries(data as Record<string, string>).map(([key, text]) => [
    key,
    Buffer.from(text).toString('base64'),
  ]);
  return { type: 'Opaque', data: Object.fromEntries(encoded) };
}
