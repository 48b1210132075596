import { ApiError, type FieldError } from '../../errors.ts';
import { toUuid } from '../../ids.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';

export type RequireSourcesDeps = {
  store: Pick<ResourceStore, 'get'>;
  /** Returns the given IDs (UUIDs) for which the namespace has a knowledge source. */
  findSources: (namespace: string, ids: readonly string[]) => Promise<readonly string[]>;
};

/**
 * Rejects a request that names sources that do not exist in the namespace. Without this check, a typo would appear only
 * in a condition of the resource. Checks only the sources in the request, not those already stored, so that an agent
 * with a deleted source can still be changed. Costs one query for all IDs and one read per name.
 * @throws ApiError invalid_body
 */
export async function requireSources(
  { store, findSources }: RequireSourcesDeps,
  namespace: string,
  { knowledge }: { knowledge?: unknown },
): Promise<void> {
  const ids = textsIn(knowledge, 'source_ids');
  const names = textsIn(knowledge, 'source_names');
  const uuids = ids.flatMap((id) => toUuid('ks', id) ?? []);
  const known = new Set(uuids.length > 0 ? await findSources(namespace, uuids) : []);
  const declared = await Promise.all(
    names.map((name) => store.get('KnowledgeSource', { namespace, name })),
  );
  const errors = [
    ...ids.map((id, at) => (known.has(toUuid('ks', id) ?? '') ? [] : unknown('ids', at, id))),
    ...names.map((name, at) => (declared[at] ? [] : unknown('names', at, name))),
  ].flat();
  const [first] = errors;
  if (first) throw new ApiError('invalid_body', first.detail, { errors });
}

function unknown(list: 'ids' | 'names', at: number, source: string): FieldError {
  const detail = `knowledge source "${source}" does not exist in this namespace; create it first or remove the reference`;
  return { pointer: `/knowledge/source_${list}/${at}`, code: 'unknown_source', detail };
}

/** Returns a list of strings from a validated body. */
function textsIn(knowledge: unknown, field: string): string[] {
  if (typeof knowledge !== 'object' || knowledge === null) return [];
  const list: unknown = Reflect.get(knowledge, field);
  return Array.isArray(list) ? list.map(String) : [];
}
