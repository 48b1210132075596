import type { FieldError } from '../errors.ts';
import { escapeToken } from '../resources/cel-rules.ts';
import {
  FieldConflictError,
  InvalidResourceError,
  NamespaceRefusedError,
  StoreUnavailableError,
  WriteConflictError,
} from '../resources/resource-store.ts';
import { KubeConnectionError, KubeError, type StatusCause } from './kube-error.ts';

/** The errors `ResourceStore` promises, out of a Status; anything else stays as it is. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof KubeConnectionError) return unavailable(error);
  if (!(error instanceof KubeError)) return error;
  const untyped = UNTYPED_PATCH.exec(error.message);
  if (untyped) return new InvalidResourceError([untypedError(untyped)]);
  if (error.code === 429 || error.code >= 500) return unavailable(error);
  const owned = error.causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (owned.length > 0) return new FieldConflictError(distinct(owned.map(toConflict)));
  if (error.code === 409) return new WriteConflictError(error.message, { cause: error });
  if (error.code === 422 || error.code === 400) return new InvalidResourceError(fieldErrors(error));
  if (error.code === 403 || error.code === 404) {
    return new NamespaceRefusedError(error.message, { cause: error });
  }
  return error;
}

/**
 * What the server answers as its own fault (500) to a field that the schema does not have, or has
 * with another type: `… (default/b; parley.dev/v1alpha1, Kind=Agent): .spec.nope: field not
 * declared in schema`
 */
const UNTYPED_PATCH = /failed to create typed patch object \([^)]*\): (?:\.([^:\s]+): )?(.*)$/s;

function untypedError([, field = '', detail = '']: RegExpExecArray): FieldError {
  const code = detail.startsWith('field not declared') ? 'unknown_field' : 'invalid_type';
  return { pointer: toPointer(field), code, detail };
}

function unavailable(cause: Error): StoreUnavailableError {
  return new StoreUnavailableError(cause.message, { cause });
}

/** `conflict with "kustomize-controller" using parley.dev/v1alpha1` about `.spec.tools[name="a"].url` */
function toConflict({ message, field }: StatusCause): { field: string; manager: string } {
  const manager = /conflict with "([^"]*)"/.exec(message)?.[1] ?? 'another manager';
  const [root, name = ''] = tokens(field);
  return { field: root === 'spec' ? name : tokens(field).join('.'), manager };
}

function distinct(conflicts: { field: string; manager: string }[]) {
  const known = new Map(conflicts.map((one) => [`${one.field} ${one.manager}`, one]));
  return [...known.values()];
}

function fieldErrors({ causes, message }: KubeError): FieldError[] {
  if (causes.length === 0) return [{ pointer: '', code: 'invalid', detail: message }];
  return causes.map(({ field, reason, message: detail }) => ({
    pointer: toPointer(field),
    code: CODES[reason] ?? 'invalid',
    detail,
  }));
}

/** Our own codes for what both say (src/resources/schema-errors.ts). */
const CODES: Record<string, string> = {
  FieldValueRequired: 'required',
  FieldValueTypeInvalid: 'invalid_type',
  FieldValueNotSupported: 'invalid_value',
  FieldValueTooLong: 'too_long',
  FieldValueTooMany: 'too_many',
  FieldValueDuplicate: 'duplicate',
};

function toPointer(field: string): string {
  return tokens(field)
    .map((token) => `/${escapeToken(token)}`)
    .join('');
}

/** `.spec.tools[0].url` and `spec.tools[name="a"]` → spec, tools, 0, url */
function tokens(field: string): string[] {
  return [...field.matchAll(/\[(?:"([^"]*)"|([^\]]*))\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );
}
