import { fromUuid, newUuid, toUuid, type IdPrefix } from '../events/ids.ts';
import { ANNOTATIONS } from '../resources/annotations.ts';
import type { Resource, ResourceStore } from '../resources/resource-store.ts';

export type Identity = { id: string } | { refused: string };

/**
 * Which row a resource is: the one its annotation names, else the one that had this name before
 * (so that the same manifests on a new cluster continue the history), else a new one. The
 * choice is written to the annotation before anything else happens, and then never changes.
 */
export async function identify(
  deps: {
    store: Pick<ResourceStore, 'annotate'>;
    /** The row that had this name, as uuid. */
    findByName: (key: { namespace: string; name: string }) => Promise<string | undefined>;
    /** The namespace of a row, removed ones included. */
    namespaceOf: (id: string) => Promise<string | undefined>;
    nowMs: () => number;
  },
  resource: Resource,
  prefix: IdPrefix,
): Promise<Identity> {
  const { kind, metadata } = resource;
  const given = metadata.annotations[ANNOTATIONS.id];
  if (given === undefined) {
    const id = (await deps.findByName(metadata)) ?? newUuid(deps.nowMs());
    await deps.store.annotate(kind, metadata, { [ANNOTATIONS.id]: fromUuid(prefix, id) });
    return { id };
  }
  const id = toUuid(prefix, given);
  if (id === null) return { refused: `annotation ${ANNOTATIONS.id}: ${given} is no ${prefix}_ id` };
  const namespace = await deps.namespaceOf(id);
  if (namespace !== undefined && namespace !== metadata.namespace) {
    return { refused: `annotation ${ANNOTATIONS.id}: ${given} belongs to another namespace` };
  }
  return { id };
}
