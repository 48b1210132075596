import { fromUuid, newUuid, toUuid, type IdPrefix } from '../../ids.ts';
import { ANNOTATIONS } from '../resources/annotations.ts';
import type { Projections } from '../resources/projections.sql.ts';
import type { Condition, ObjectKey, Resource, ResourceStore } from '../resources/resource-store.ts';

/**
 * The id of an object's row, or the reason why the object's annotation is rejected. `isAdopted` means that the object
 * was ready before, but this database does not contain its row.
 */
export type Identity = { id: string; isAdopted?: true } | { refused: string };

export type IdentityDeps = {
  store: Pick<ResourceStore, 'annotate' | 'get'>;
  rows: Pick<Projections, 'findIdByName' | 'placeOfId'>;
  nowMs: () => number;
};

/**
 * Finds the row id of a resource. If the resource has the id annotation, that id is used. Otherwise it is the last id
 * used under the resource's name, so that the same manifests on a new cluster continue the history. If there is no such
 * id, a new one is created. The id is written to the annotation before any other step, and never changes. The status
 * repeats the id in `idField`. An annotation that differs from the status is rejected.
 */
export async function identify(
  deps: IdentityDeps,
  resource: Resource,
  { idPrefix: prefix, idField }: { idPrefix: IdPrefix; idField: string },
): Promise<Identity> {
  const { kind, metadata } = resource;
  const given = metadata.annotations[ANNOTATIONS.id];
  if (given === undefined) {
    const id = (await deps.rows.findIdByName(metadata)) ?? newUuid(deps.nowMs());
    await deps.store.annotate(kind, metadata, { [ANNOTATIONS.id]: fromUuid(prefix, id) });
    return { id };
  }
  const refuse = (why: string): Identity => ({ refused: `annotation ${ANNOTATIONS.id}: ${why}` });
  const id = toUuid(prefix, given);
  if (id === null) return refuse(`${given} is not an ID of the form ${prefix}_…`);
  // Anyone who may write the object can change the annotation, so the annotation is compared with the id in the status.
  const known = resource.status[idField];
  if (typeof known === 'string' && known !== given) {
    const told = `cannot change from ${known} (see status) to ${given}`;
    const isForeign = await isUnknown(deps, prefix, [known, given]);
    return refuse(isForeign ? `${told}; ${FOREIGN}` : told);
  }
  const place = await deps.rows.placeOfId(id);
  if (place === undefined) return isReady(resource) ? { id, isAdopted: true } : { id };
  if (isSame(place, metadata)) return { id };
  if (place.namespace !== metadata.namespace)
    return refuse(`${given} belongs to another namespace`);
  // The annotation may have been copied from another object's manifest. If that object no longer exists, the id is
  // accepted, and the row with this id continues under the new name.
  const other = await deps.store.get(kind, place);
  return other?.metadata.annotations[ANNOTATIONS.id] === given
    ? refuse(`${given} belongs to ${place.name}: remove the annotation to get a new ID`)
    : { id };
}

const FOREIGN =
  'at least one of these IDs is not in this database: either another installation of Parley also watches this namespace (stop one of them), ' +
  'or somebody changed the annotation (restore it)';

/**
 * Returns true if one of the ids is not in this database. A different installation of Parley may have assigned that id.
 */
async function isUnknown(
  { rows }: IdentityDeps,
  prefix: IdPrefix,
  texts: readonly string[],
): Promise<boolean> {
  const places = texts.map(async (text) => {
    const id = toUuid(prefix, text);
    return id === null ? undefined : rows.placeOfId(id);
  });
  return (await Promise.all(places)).includes(undefined);
}

/** Returns true if an object has the condition `Ready=True`, which it gets only after its row has been written. */
function isReady({ status: { conditions } }: Resource): boolean {
  const list = Array.isArray(conditions) ? (conditions as Condition[]) : [];
  return list.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function isSame(a: ObjectKey, b: ObjectKey): boolean {
  return a.namespace === b.namespace && a.name === b.name;
}
