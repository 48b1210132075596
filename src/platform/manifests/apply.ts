import {
  FieldConflictError,
  InvalidResourceError,
  WriteConflictError,
  type Applied,
  type ResourceStore,
} from '../resources/resource-store.ts';
import { FILE_MANAGER } from '../resources/annotations.ts';
import { escapeToken } from '../resources/schema/cel-rules.ts';
import type { ManifestObject } from './object.ts';
import { formatPointer, type ManifestProblem } from './report.ts';

// Maximum number of attempts to apply an object. Another attempt is needed after a field was dropped or another writer
// changed the object. Many attempts mean that another writer keeps changing the object.
const MAX_ROUNDS = 8;

/**
 * Applies one object as the field manager `file`, without forcing conflicts. A field that another manager owns is
 * reported and omitted, and the other fields are applied (contract/running.md#manifests). Resolves to the problems that
 * a user must fix. Each problem remains until the manifest or the object changes.
 * @throws the store's errors if the store is unavailable
 */
export async function applyManifest(
  object: ManifestObject & { applied: Applied },
  store: Pick<ResourceStore, 'apply'>,
): Promise<ManifestProblem[]> {
  const problems: ManifestProblem[] = [];
  let { applied } = object;
  for (let round = 1; ; round += 1) {
    try {
      await store.apply(applied, { fieldManager: FILE_MANAGER });
      return problems;
    } catch (error) {
      if (error instanceof InvalidResourceError) {
        return [...problems, ...problemsOf(object, error)];
      }
      if (round >= MAX_ROUNDS) throw error;
      if (error instanceof WriteConflictError) continue;
      if (!(error instanceof FieldConflictError) || error.conflicts.length === 0) throw error;
      problems.push(...conflictsOf(object, error));
      applied = without(applied, new Set(error.conflicts.map(({ field }) => field)));
    }
  }
}

/**
 * Removes the fields that other managers own. `lost` contains their names in the form that `FieldConflictError` uses:
 * names of spec fields, or `metadata.labels.x`.
 */
function without(applied: Applied, lost: ReadonlySet<string>): Applied {
  const keep = <T>(map: Record<string, T>, prefix = ''): Record<string, T> =>
    Object.fromEntries(Object.entries(map).filter(([name]) => !lost.has(`${prefix}${name}`)));
  const { spec, labels, annotations } = applied;
  return {
    ...applied,
    spec: keep(spec),
    ...(labels && { labels: keep(labels, 'metadata.labels.') }),
    ...(annotations && { annotations: keep(annotations, 'metadata.annotations.') }),
  };
}

function problemsOf(object: ManifestObject, error: InvalidResourceError): ManifestProblem[] {
  return error.errors.map(({ pointer, detail }) => ({
    place: object.placeOf(pointer),
    field: formatPointer(pointer),
    detail,
  }));
}

function conflictsOf(object: ManifestObject, error: FieldConflictError): ManifestProblem[] {
  return error.conflicts.map(({ field, manager }) => ({
    place: object.placeOf(pointerOf(field)),
    field: field.startsWith('metadata.') ? field : `spec.${field}`,
    detail: `is managed by ${manager}, so this value is not applied: remove the field from this manifest or from the other declaration`,
  }));
}

/** Converts `metadata.labels.a/b` to `/metadata/labels/a~1b`. */
function pointerOf(field: string): string {
  const [, map, key] = /^metadata\.(labels|annotations)\.(.+)$/.exec(field) ?? [];
  if (map === undefined || key === undefined) return `/spec/${field}`;
  return `/metadata/${map}/${escapeToken(key)}`;
}
