import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import type { FieldError } from '../../../errors.ts';
import { compileRules, type RuleChecker } from './cel-rules.ts';
import { isCoreKind, readCoreSpec } from './core-kinds.ts';
import { objectSchema } from './crd.ts';
import type { StructuralSchema } from './json-schema.ts';
import type { KindDefinition } from './kind-definition.ts';
import { checkMeta } from './object-meta.ts';
import type { DeclaredMeta } from '../resource-store.ts';
import { isRecord, unknownFields, withDefaults, withoutNulls } from './prepare.ts';
import { fieldError } from './schema-errors.ts';

/** Result of a validation. `spec` includes defaults, as the API server would store it, and `declared` does not. */
export type Verdict =
  | { spec: Record<string, unknown>; declared: Record<string, unknown> }
  | { errors: FieldError[] };

/**
 * Validates an object with the CRD's schema, as kube-apiserver does with strict field validation. The input is not
 * modified. JSON Pointers start at the object's root, such as `/spec/voice/speed`. The spec of a Secret or ConfigMap is
 * `{ data }` with decoded values, as a `ResourceStore` returns it.
 */
export type Validate = (kind: string, spec: unknown, metadata: DeclaredMeta) => Verdict;

/** A validator. `kinds` lists the kinds that it knows in addition to Secret and ConfigMap. */
export type Validator = Validate & { kinds: readonly string[] };

type Compiled = { spec: StructuralSchema; matches: ValidateFunction; checkRules: RuleChecker };

/**
 * Maximum number of errors to report. It keeps the response short if every item of a long list has the same mistake.
 */
const MAX_ERRORS = 50;

/**
 * Maximum size of an object in bytes. The API server rejects larger objects, because this is etcd's limit for one
 * request.
 */
const MAX_OBJECT_BYTES = 1_500_000;

/** Cache of compiled schemas. All validators share it, because compiling an agent's schema takes up to 100 ms. */
const compiled = new WeakMap<KindDefinition, Compiled>();

/**
 * Creates a validator that works without an API server. The `postgres` store uses it in `apply`, and the REST API uses
 * it before a write. Each kind is compiled only when it is first validated, so that `start` does not have to wait for
 * the compilation.
 */
export function createValidator(kinds: readonly KindDefinition[]): Validator {
  const validate: Validate = (kind, spec, metadata) => {
    if (isCoreKind(kind)) return validateCore(spec, metadata);
    const definition = kinds.find((known) => known.kind === kind);
    if (!definition) return failed('/kind', 'not_allowed', `unknown kind ${kind}`);
    let checks = compiled.get(definition);
    if (!checks) compiled.set(definition, (checks = compile(objectSchema(definition))));
    return validateWith(checks, spec, metadata);
  };
  return Object.assign(validate, { kinds: kinds.map(({ kind }) => kind) });
}

/**
 * Validates a decoded Secret or ConfigMap. After decoding, the data of a Secret follows the same rules as that of a
 * ConfigMap. Manifests that are not decoded yet are read with `readCoreSpec`.
 */
function validateCore(spec: unknown, metadata: DeclaredMeta): Verdict {
  const errors = checkMeta(metadata, 'subdomain');
  const read = readCoreSpec('ConfigMap', isRecord(spec) ? spec : {});
  if ('errors' in read) return { errors: [...errors, ...read.errors] };
  return errors.length > 0 ? { errors } : { spec: read.spec, declared: read.spec };
}

function validateWith(checks: Compiled, spec: unknown, metadata: DeclaredMeta): Verdict {
  if (spec === undefined || spec === null) return failed('/spec', 'required', 'spec is required');
  if (!isRecord(spec)) return failed('/spec', 'invalid_type', 'spec must be an object');
  const declared = withoutNulls(spec, checks.spec);
  const full = withDefaults(declared, checks.spec);
  const errors = [...checkMeta(metadata), ...unknownFields(declared, checks.spec, '/spec')];
  if (!checks.matches(full)) {
    errors.push(...(checks.matches.errors ?? []).map((error) => fieldError(error, '/spec')));
  }
  if (sizeOf(full) > MAX_OBJECT_BYTES) {
    errors.push({
      pointer: '/spec',
      code: 'too_long',
      detail: 'the object must not be larger than 1.5 MB',
    });
  }
  // Rules may rely on what the schema ensures. They are therefore skipped after a schema error, as in the API server.
  if (errors.length === 0) errors.push(...checks.checkRules({ metadata, spec: full }));
  if (errors.length > 0) return { errors: errors.slice(0, MAX_ERRORS) };
  if (!isRecord(full) || !isRecord(declared)) throw new Error('the schema accepted no object');
  return { spec: full, declared };
}

function failed(pointer: string, code: string, detail: string): { errors: FieldError[] } {
  return { errors: [{ pointer, code, detail }] };
}

/** Returns the size of the value as JSON in bytes, or `Infinity` if the value is nested too deeply to be serialized. */
function sizeOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Infinity;
  }
}

function compile(schema: StructuralSchema): Compiled {
  const spec = schema.properties?.['spec'];
  if (!spec) throw new Error('the schema has no spec');
  const { status: _, ...properties } = schema.properties ?? {};
  const ajv = new Ajv({
    allErrors: true, // The size of the body and `maxItems` limit the number of errors.
    verbose: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    coerceTypes: false,
    meta: false, // A test has the API server validate the schema. Validating it here would cost 50 ms.
    validateSchema: false,
    code: { optimize: false }, // Optimizing the code costs more at startup than it saves for specs of this size.
    formats: { int64: { type: 'number', validate: Number.isSafeInteger } },
  });
  ajv.addVocabulary([
    'x-kubernetes-validations',
    'x-kubernetes-list-map-keys',
    'x-kubernetes-map-type',
    'x-kubernetes-preserve-unknown-fields',
  ]);
  ajv.addKeyword({ keyword: 'x-kubernetes-list-type', type: 'array', validate: isListType });
  return {
    spec,
    matches: ajv.compile(spec),
    checkRules: compileRules({ ...schema, properties }),
  };
}

/**
 * Returns true if a `set` has no duplicate items, or if no two items of a `map` have the same keys. `parent` is the
 * schema of the list.
 */
function isListType(listType: string, list: unknown[], parent?: AnySchemaObject): boolean {
  if (listType === 'atomic') return true;
  const keys: unknown = parent?.['x-kubernetes-list-map-keys'];
  const identity = (item: unknown) =>
    JSON.stringify(
      Array.isArray(keys) && isRecord(item) ? keys.map((key) => item[String(key)] ?? null) : item,
    );
  return new Set(list.map(identity)).size === list.length;
}
