import { CORE_KINDS } from '../resources/schema/core-kinds.ts';
import { API_GROUP, API_VERSION, KIND_PLURALS } from '../resources/kind-names.ts';

/** Where the API server keeps a kind, and the `apiVersion` it is written with. */
export type ResourcePath = { apiVersion: string; root: string; plural: string };

const PATHS = new Map<string, ResourcePath>([
  ...Object.entries(KIND_PLURALS).map(([kind, plural]): [string, ResourcePath] => [
    kind,
    { apiVersion: API_VERSION, root: `/apis/${API_VERSION}`, plural },
  ]),
  ...CORE_KINDS.map((kind): [string, ResourcePath] => [
    kind,
    { apiVersion: 'v1', root: '/api/v1', plural: `${kind.toLowerCase()}s` },
  ]),
]);

/** @throws Error for a kind that is not ours and not a core kind: a bug */
export function pathOf(kind: string): ResourcePath {
  const path = PATHS.get(kind);
  if (!path) throw new Error(`${kind} is no kind of ${API_GROUP}`);
  return path;
}

/** `/apis/parley.dev/v1alpha1/namespaces/NS/agents`; without a namespace those of all. */
export function collectionPath(kind: string, namespace?: string): string {
  const { root, plural } = pathOf(kind);
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${plural}`;
}

export function objectPath(kind: string, key: { namespace: string; name: string }): string {
  return `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
}
