import { ApiError, type FieldError } from '../../errors.ts';
import { API_MANAGER, API_PIN_MANAGER } from '../resources/annotations.ts';
import { toSnakeKey } from '../resources/schema/key-map.ts';

/**
 * What the store says of a resource, in the words of a REST caller, who has never seen the resource:
 * REST's names of fields, and advice that they can follow.
 */
export type RestTerms = {
  /** Place in the resource → place in the REST body. */
  pointer: (pointer: string) => string;
  /** What a schema says to the writers of manifests → what it says to callers, where that differs. */
  words?: Readonly<Record<string, string>>;
  /** What was tried; default: to change fields. */
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

/** `sourceIds`, `promptFrom.configMapKeyRef`: fields of the resource, of which REST has another name. */
const CAMEL_CASE = /\b[a-z]+(?:[A-Z][a-z]+)+\b/g;

/** 409 that says who owns the fields, and where to change them instead. */
export function managedElsewhere(conflicts: readonly Conflict[], terms: RestTerms): ApiError {
  const { pointer, act = 'change' } = terms;
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  const places = [...new Set(managers.map(placeOf))].join(' and ');
  const detail = `owned by ${managers.join(', ')}: ${adviceFor(act, places)}`;
  const errors = conflicts.map(({ field, manager }) => ({
    pointer: pointer(`/spec/${field}`),
    code: 'managed_elsewhere',
    detail: `owned by ${manager}`,
  }));
  // Of what has no body there is nothing to point at.
  return new ApiError('managed_elsewhere', detail, { errors: act === 'change' ? errors : [] });
}

/**
 * Returns the field managers of an object other than the API, for the `managedElsewhere` of a deletion. Returns `managedBy` if
 * the store names none.
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
      return `change it in ${places}, or leave out the fields that errors names`;
    case 'delete':
      return `delete it from ${places}; it goes when nothing declares it any more`;
    case 'pin':
      return `the live version is pinned there; move or remove the pin in ${places}`;
    default:
      return act satisfies never;
  }
}

/** By who manages it: the word of `managed_by`, or a field manager of the cluster. */
function placeOf(manager: string): string {
  if (manager === 'file') return 'its file in the folder PARLEY_MANIFESTS';
  if (manager === 'parley-demo') return 'the demonstration of `parley start` (PARLEY_DEMO=0: none)';
  return 'its manifest (Git, Helm or kubectl)';
}
