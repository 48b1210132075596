import { ApiError, type FieldError } from '../../errors.ts';
import { API_MANAGER, API_PIN_MANAGER } from '../resources/annotations.ts';
import { toSnakeKey } from '../resources/schema/key-map.ts';

/**
 * Describes how to reword the store's error messages for REST callers, who do not see the underlying resource. The
 * reworded messages use REST field names, and give advice that REST callers can follow.
 */
export type RestTerms = {
  /** Converts the JSON Pointer of a resource field to the pointer of the corresponding field in the REST body. */
  pointer: (pointer: string) => string;
  /**
   * Replacements for messages of the schema, which are written for authors of manifests. Maps each message to the one
   * that REST callers get.
   */
  words?: Readonly<Record<string, string>>;
  /** Attempted action: `change` (the default), `delete` or `pin`. */
  act?: Act;
};

type Act = 'change' | 'delete' | 'pin';
type Conflict = { field: string; manager: string };

export function inRestTerms(
  errors: readonly FieldError[],
  { pointer, words = {} }: RestTerms,
): FieldError[] {
  return errors.map((error) => ({
    pointer: pointer(error.pointer),
    code: error.code,
    detail: words[error.detail] ?? error.detail.replaceAll(CAMEL_CASE, toSnakeKey),
  }));
}

/**
 * Matches names of resource fields that are spelled differently in REST, such as `sourceIds` or
 * `promptFrom.configMapKeyRef`.
 */
const CAMEL_CASE = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g;

/** Returns a 409 error that names the owners of the fields, and says where to change the fields instead. */
export function managedElsewhere(conflicts: readonly Conflict[], terms: RestTerms): ApiError {
  const { pointer, act = 'change' } = terms;
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  const places = [...new Set(managers.map(placeOf))].join(' and ');
  const detail = `This resource, or a part of it, is managed by ${managers.join(', ')}. ${adviceFor(act, places)}`;
  const errors = conflicts.map(({ field, manager }) => ({
    pointer: pointer(`/spec/${field}`),
    code: 'managed_elsewhere',
    detail: `is managed by ${manager}`,
  }));
  // The errors point to fields of the request body, and only a change has such a body.
  return new ApiError('managed_elsewhere', detail, { errors: act === 'change' ? errors : [] });
}

/**
 * Returns the conflicts to report (with `managedElsewhere`) when a deletion is rejected: one for each manager of the
 * object except the API itself. If there is no other manager, returns one for `managedBy`.
 */
export function ownersElsewhere(
  owners: Readonly<Record<string, readonly string[]>>,
  { field, managedBy }: { field: string; managedBy: string },
): Conflict[] {
  const managers = new Set(Object.values(owners).flat());
  const others = [...managers]
    .filter((manager) => manager !== API_MANAGER && manager !== API_PIN_MANAGER)
    .toSorted();
  return (others.length > 0 ? others : [managedBy]).map((manager) => ({ field, manager }));
}

function adviceFor(act: Act, places: string): string {
  switch (act) {
    case 'change':
      return `Change it in ${places}, or omit the fields listed in \`errors\`.`;
    case 'delete':
      return `Delete it from ${places}. Parley deletes the object once no manifest declares it.`;
    case 'pin':
      return `The live version is pinned in ${places}. Change or remove the pin there.`;
    default:
      return act satisfies never;
  }
}

/**
 * Describes, for the error message, where a manager keeps its declarations. `manager` is a value of `managed_by` or a
 * field manager in the cluster.
 */
function placeOf(manager: string): string {
  if (manager === 'file') return 'its file in the manifests folder (PARLEY_MANIFESTS)';
  if (manager === 'parley-demo') return 'the demo of `parley start` (disabled by PARLEY_DEMO=0)';
  return 'its manifest (Git, Helm or kubectl)';
}
