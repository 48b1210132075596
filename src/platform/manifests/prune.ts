import {
  InvalidResourceError,
  type Resource,
  type ResourceStore,
} from '../resources/resource-store.ts';
import { API_PIN_MANAGER, FILE_MANAGER } from '../resources/annotations.ts';
import type { ManifestProblem } from './report.ts';

/**
 * Removes what the manifests no longer declare. If only `file` declared an object, the whole object is deleted.
 * Otherwise only the fields that `file` owns are removed (contract/running.md#manifests).
 * @throws the errors of the store. The next pass removes the rest.
 */
export async function pruneManifests(deps: {
  store: Pick<ResourceStore, 'apply' | 'delete' | 'list'>;
  kinds: readonly string[];
  /**
   * Returns true if the object may be removed. Returns false if a manifest still declares it, or if that is not certain
   * yet. The argument is a `ManifestObject.id`.
   */
  mayRemove: (id: string) => boolean;
  info: (text: string) => void;
}): Promise<ManifestProblem[]> {
  const problems: ManifestProblem[] = [];
  for (const kind of deps.kinds) {
    for (const resource of await deps.store.list(kind)) {
      const { namespace, name } = resource.metadata;
      const id = `${kind} ${namespace}/${name}`;
      if (!ownedBy(resource, FILE_MANAGER) || !deps.mayRemove(id)) continue;
      if (othersOf(resource).length > 0) problems.push(...(await release(id, resource, deps)));
      else await remove(id, resource, deps);
    }
  }
  return problems;
}

async function remove(
  id: string,
  { kind, metadata }: Resource,
  deps: { store: Pick<ResourceStore, 'delete'>; info: (text: string) => void },
): Promise<void> {
  // Deletes only this version, so that the object stays if another manager has declared it in the meantime.
  const { resourceVersion } = metadata;
  if (await deps.store.delete(kind, metadata, { resourceVersion })) {
    deps.info(`${id}: deleted, because no manifest declares it`);
  }
}

async function release(
  id: string,
  resource: Resource,
  deps: { store: Pick<ResourceStore, 'apply'>; info: (text: string) => void },
): Promise<ManifestProblem[]> {
  const { kind, metadata } = resource;
  const { namespace, name, resourceVersion } = metadata;
  const others = othersOf(resource).join(', ');
  try {
    const empty = { kind, namespace, name, spec: {} };
    await deps.store.apply(empty, { fieldManager: FILE_MANAGER, resourceVersion });
    deps.info(`${id}: no longer declared by a manifest; the fields owned by ${others} stay`);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidResourceError)) throw error;
    const detail = `no longer declared by a manifest, but the fields owned by ${others}`;
    return [{ detail: `${id}: ${detail} are not valid on their own, so the whole object stays` }];
  }
}

function ownedBy(resource: Resource, manager: string): boolean {
  return Object.values(resource.owners).some((managers) => managers.includes(manager));
}

function othersOf({ owners }: Resource): string[] {
  const managers = new Set(Object.values(owners).flat());
  managers.delete(FILE_MANAGER);
  // A pin set through the API refers to content that another manager declares. Without that content, the pin has no
  // effect, so it does not prevent the deletion.
  managers.delete(API_PIN_MANAGER);
  return [...managers].sort();
}
