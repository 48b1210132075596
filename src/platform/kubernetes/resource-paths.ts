import { isCoreKind } from '../resources/schema/core-kinds.ts';
import { API_VERSION, pluralOf } from '../resources/kind-names.ts';

/** Location of a kind in the Kubernetes API, and the `apiVersion` of its objects. */
export type ResourcePath = { apiVersion: string; root: string; plural: string };

export function pathOf(kind: string): ResourcePath {
  const plural = pluralOf(kind);
  return isCoreKind(kind)
    ? { apiVersion: 'v1', root: '/api/v1', plural }
    : { apiVersion: API_VERSION, root: `/apis/${API_VERSION}`, plural };
}

/**
 * Returns a path such as `/apis/parley.dev/v1alpha1/namespaces/NS/agents`, or the path for all namespaces if none is
 * given.
 */
export function collectionPath(kind: string, namespace?: string): string {
  const { root, plural } = pathOf(kind);
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${plural}`;
}

export function objectPath(kind: string, key: { namespace: string; name: string }): string {
  return `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
}
