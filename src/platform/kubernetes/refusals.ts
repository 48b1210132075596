import type { FieldError } from '../../errors.ts';
import { escapeToken } from '../resources/schema/cel-rules.ts';
import { areWords, wordsOf } from '../resources/schema/patterns.ts';
import {
  FieldConflictError,
  InvalidResourceError,
  NamespaceRefusedError,
  StoreUnavailableError,
  WriteConflictError,
} from '../resources/resource-store.ts';
import { KubeConnectionError, KubeError, type StatusCause } from './kube-error.ts';

/**
 * Converts an error from the Kubernetes client to one of the errors that `ResourceStore` documents. Returns any other
 * error unchanged.
 */
export function toStoreError(error: unknown): unknown {
  if (error instanceof KubeConnectionError) return unavailable(error);
  if (!(error instanceof KubeError)) return error;
  const untyped = UNTYPED_PATCH.exec(error.message);
  if (untyped) return new InvalidResourceError([untypedError(untyped)]);
  if (error.code === 413 || error.message.endsWith(TOO_LARGE_FOR_ETCD)) {
    const detail = 'the object must not be larger than 1.5 MB';
    return new InvalidResourceError([{ pointer: '/spec', code: 'too_long', detail }]);
  }
  if (error.code === 401 || error.code === 429 || error.code >= 500) return unavailable(error);
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
 * Pattern of the error (500) that the server reports for a field that the schema does not declare, or declares with a
 * different type: `… (default/b; parley.dev/v1alpha1, Kind=Agent): .spec.nope: field not declared in schema`
 */
const UNTYPED_PATCH = /failed to create typed patch object \([^)]*\): (?:\.([^:\s]+): )?(.*)$/s;

/** Message of an error for which a retry never helps, although the server reports it as an internal error (500). */
const TOO_LARGE_FOR_ETCD = 'etcdserver: request is too large';

function untypedError([, field = '', text = '']: RegExpExecArray): FieldError {
  // The server identifies a list item by its keys, as in `.spec.tools[name="a"].url`, which cannot be written as a JSON
  // Pointer.
  const [list = '', item] = field.split(/(?=\[[^\]]*=)/);
  const detail = text.replace(/, got .*$/s, ''); // The rest of the message is in Go's own notation.
  return {
    pointer: toPointer(list),
    code: UNTYPED_CODES.find(([start]) => text.startsWith(start))?.[1] ?? 'invalid_type',
    detail: item === undefined ? detail : `${item}: ${detail}`,
  };
}

const UNTYPED_CODES = [
  ['field not declared', 'unknown_field'],
  ['duplicate entries', 'duplicate'],
] as const;

function unavailable(cause: Error): StoreUnavailableError {
  return new StoreUnavailableError(cause.message, { cause });
}

/**
 * Parses one cause of a conflict. Its message has the form `conflict with "kustomize-controller" using
 * parley.dev/v1alpha1`, and its field the form `.spec.tools[name="a"].url`.
 */
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
  // Causes without a field (`<nil>`) are ignored, because they do not describe a mistake in the object. For example,
  // one such cause says that the server stopped checking.
  const found = causes.filter(({ field }) => field !== '<nil>');
  if (found.length === 0) return [{ pointer: '', code: 'invalid', detail: message }];
  return found.map(({ field, reason, message: text }) => {
    const pointer = toPointer(field);
    if (reason !== 'FieldValueInvalid') {
      return { pointer, code: CODES[reason] ?? 'invalid', detail: text };
    }
    const [, expected] = /^Invalid value: .* in body (should .*)$/s.exec(text) ?? [];
    if (expected === undefined) {
      // If a rule is violated, the server writes the invalid value before the rule's message. Only the message is
      // shown.
      const detail = text.replace(/^Invalid value: (?:"(?:[^"\\]|\\.)*": )?/, '');
      // In the CRDs, a CEL rule replaces each pattern that has a description in words (crd.ts), and the rule's message
      // is that description. Such a message therefore means that the value has an invalid format.
      const isOfRule = pointer.startsWith('/spec') && !areWords(detail);
      return { pointer, code: isOfRule ? 'rule' : 'invalid_format', detail };
    }
    const code = EXPECTATIONS.find(([start]) => expected.startsWith(start))?.[1] ?? 'invalid';
    const [, pattern] = /^should match '(.*)'$/s.exec(expected) ?? [];
    return { pointer, code, detail: pattern === undefined ? expected : wordsOf(pattern) };
  });
}

/** Maps the API server's reasons to our own error codes, as in src/platform/resources/schema/schema-errors.ts. */
const CODES: Record<string, string> = {
  FieldValueRequired: 'required',
  FieldValueTypeInvalid: 'invalid_type',
  FieldValueNotSupported: 'not_allowed',
  FieldValueTooLong: 'too_long',
  FieldValueTooMany: 'too_many',
  FieldValueDuplicate: 'duplicate',
};

/**
 * Patterns for `FieldValueInvalid`, which gives its reason only in a sentence: `… in body should be at least 1 chars
 * long`.
 */
const EXPECTATIONS = [
  ['should be at least', 'too_short'],
  ['should be less', 'too_large'],
  ['should be greater', 'too_small'],
  ['should match', 'invalid_format'],
] as const;

function toPointer(field: string): string {
  return tokens(field)
    .map((token) => `/${escapeToken(token)}`)
    .join('');
}

/** Splits a field path: `.spec.tools[0].url` becomes `spec`, `tools`, `0` and `url`. */
function tokens(field: string): string[] {
  return [...field.matchAll(/\[(?:"([^"]*)"|([^\]]*))\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );
}
