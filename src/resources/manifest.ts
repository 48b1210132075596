import { parseAllDocuments } from 'yaml';
import type { FieldError } from '../errors.ts';
import { escapeToken } from './cel-rules.ts';
import { isCoreKind, readCoreSpec } from './core-kinds.ts';
import { API_VERSION, findKind } from './kinds.ts';
import { checkMeta } from './object-meta.ts';
import type { DeclaredMeta } from './object-meta.ts';
import { isRecord } from './prepare.ts';
import type { Applied } from './resource-store.ts';
import type { Validator } from './validate.ts';

/** Fields of metadata that an author may write; the others are the API server's or not ours. */
const META_FIELDS = new Set(['name', 'namespace', 'labels', 'annotations']);

/**
 * The documents of a manifest file, empty ones left out. YAML 1.1, as kubectl reads it: `no` is
 * false here too, so that a file means the same in both modes. @throws YAMLParseError with line
 */
export function parseManifests(text: string): unknown[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map((document): unknown => {
      const [error] = document.errors;
      if (error) throw error;
      return document.toJS();
    })
    .filter((value) => value !== null);
}

/**
 * One parsed document of a manifest file → what to apply, or its mistakes. Our kinds and v1 Secret
 * and ConfigMap; `spec` of the result holds what the author wrote, without defaults, so that the
 * field manager owns only that. `status` is ignored, as the API server does.
 */
export function readManifest(
  document: unknown,
  { validator, namespace }: { validator: Validator; namespace: string },
): { applied: Applied } | { errors: FieldError[] } {
  if (!isRecord(document)) return failed('', 'invalid_type', 'a manifest is an object');
  const { apiVersion, kind, metadata, ...fields } = document;
  if (typeof kind !== 'string') return failed('/kind', 'required', 'kind is required');
  const expected = findKind(kind) ? API_VERSION : isCoreKind(kind) ? 'v1' : undefined;
  if (!expected)
    return failed('/kind', 'not_allowed', `manifests of kind ${kind} are not read here`);
  if (apiVersion !== expected) {
    return failed('/apiVersion', 'not_allowed', `the apiVersion of ${kind} is ${expected}`);
  }
  const meta = readMeta(metadata, namespace);
  if ('errors' in meta) return meta;
  const { spec, errors } = readSpec(kind, fields, { meta, validator });
  if (errors.length > 0) return { errors };
  const { name, namespace: inNamespace, labels = {}, annotations = {} } = meta;
  return { applied: { kind, name, namespace: inNamespace, labels, annotations, spec } };
}

function readSpec(
  kind: string,
  fields: Record<string, unknown>,
  { meta, validator }: { meta: DeclaredMeta; validator: Validator },
): { spec: Record<string, unknown>; errors: FieldError[] } {
  if (isCoreKind(kind)) {
    const read = readCoreSpec(kind, fields);
    const errors = checkMeta(meta, 'subdomain');
    return 'errors' in read
      ? { spec: {}, errors: [...errors, ...read.errors] }
      : { spec: read.spec, errors };
  }
  const { spec, status: _, ...unknown } = fields;
  const errors = Object.keys(unknown).map((name) => unknownField('', name));
  const valid = validator.validate(kind, spec, meta);
  return 'errors' in valid
    ? { spec: {}, errors: [...errors, ...valid.errors] }
    : { spec: valid.declared, errors };
}

/** Types and unknown fields of metadata; the rules for names and labels are `checkMeta`'s. */
function readMeta(metadata: unknown, namespace: string): DeclaredMeta | { errors: FieldError[] } {
  if (!isRecord(metadata)) return failed('/metadata', 'required', 'metadata is required');
  const errors = Object.keys(metadata)
    // `kubectl create --dry-run -o yaml` writes creationTimestamp: null.
    .filter((name) => !META_FIELDS.has(name) && metadata[name] !== null)
    .map((name) => unknownField('/metadata', name));
  const text = (name: string, fallback: string) => {
    const value = metadata[name] ?? fallback;
    if (typeof value === 'string') return value;
    errors.push({ pointer: `/metadata/${name}`, code: 'invalid_type', detail: 'must be a string' });
    return fallback;
  };
  const meta = {
    name: text('name', ''),
    namespace: text('namespace', namespace) || namespace,
    labels: textMap(metadata, 'labels', errors),
    annotations: textMap(metadata, 'annotations', errors),
  };
  return errors.length > 0 ? { errors } : meta;
}

function textMap(
  metadata: Record<string, unknown>,
  name: string,
  errors: FieldError[],
): Record<string, string> {
  const map = metadata[name] ?? {};
  const pointer = `/metadata/${name}`;
  if (!isRecord(map)) {
    errors.push({ pointer, code: 'invalid_type', detail: 'must be a map of strings' });
    return {};
  }
  const entries = Object.entries(map).flatMap(([key, value]): [string, string][] => {
    if (typeof value === 'string') return [[key, value]];
    const at = `${pointer}/${escapeToken(key)}`;
    errors.push({ pointer: at, code: 'invalid_type', detail: 'must be a string' });
    return [];
  });
  return Object.fromEntries(entries);
}

function unknownField(parent: string, name: string): FieldError {
  const pointer = `${parent}/${escapeToken(name)}`;
  return { pointer, code: 'unknown_field', detail: `there is no field ${name} here` };
}

function failed(pointer: string, code: string, detail: string): { errors: FieldError[] } {
  return { errors: [{ pointer, code, detail }] };
}
