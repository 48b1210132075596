import type { FieldError } from '../../errors.ts';
import { API_GROUP, API_VERSION } from '../resources/kind-names.ts';
import type { Applied, DeclaredMeta } from '../resources/resource-store.ts';
import { escapeToken } from '../resources/schema/cel-rules.ts';
import { CORE_KINDS, isCoreKind, readCoreSpec } from '../resources/schema/core-kinds.ts';
import { isRecord } from '../resources/schema/prepare.ts';
import type { Validator } from '../resources/schema/validate.ts';
import { formatPointer, type ManifestPlace, type ManifestProblem } from './report.ts';
import type { YamlDocument } from './yaml.ts';

/**
 * An object declared by a manifest. `applied` is undefined if the manifest has mistakes. The object is then not
 * applied, but it is protected from deletion.
 */
export type ManifestObject = {
  /** Identifies the object, such as `Agent default/support`. Two declarations of the same object have the same id. */
  id: string;
  kind: string;
  applied?: Applied;
  /** Returns the position in the file of the value at a JSON Pointer. The pointer is relative to the object. */
  placeOf: (pointer: string) => ManifestPlace;
};

/**
 * Objects in a document or a file. If `unknownIdentity` is true, a document does not identify its object, so the
 * document could declare any object. Until the document is fixed, no object counts as missing.
 */
export type ManifestObjects = {
  objects: ManifestObject[];
  problems: ManifestProblem[];
  unknownIdentity: boolean;
};

// Metadata that the server sets and that `kubectl get -o yaml` prints. It is ignored in a manifest.
const SERVER_METADATA = new Set(
  'creationTimestamp generation managedFields resourceVersion selfLink uid'.split(' '),
);

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Reads the objects that a document declares: one object, or the items of a `kind: List`. */
export function readManifest(document: YamlDocument, validate: Validator): ManifestObjects {
  const { value, placeOf } = document;
  if (value === null || value === undefined) return none();
  if (isRecord(value) && value['kind'] === 'List' && Array.isArray(value['items'])) {
    const lists = value['items'].map((item: unknown, index) =>
      readObject(item, (pointer) => placeOf(`/items/${index}${pointer}`), validate),
    );
    return {
      objects: lists.flatMap(({ objects }) => objects),
      problems: lists.flatMap(({ problems }) => problems),
      unknownIdentity: lists.some(({ unknownIdentity }) => unknownIdentity),
    };
  }
  return readObject(value, placeOf, validate);
}

function none(): ManifestObjects {
  return { objects: [], problems: [], unknownIdentity: false };
}

function readObject(
  value: unknown,
  placeOf: ManifestObject['placeOf'],
  validate: Validator,
): ManifestObjects {
  const errors: FieldError[] = [];
  const add = (pointer: string, detail: string): void => {
    errors.push({ pointer, code: 'invalid', detail });
  };
  const asProblems = (): ManifestProblem[] =>
    errors.map(({ pointer, detail }) => ({
      place: placeOf(pointer),
      field: formatPointer(pointer),
      detail,
    }));
  if (!isRecord(value)) {
    add('', 'a manifest must be a map with apiVersion, kind, metadata and spec');
    return { objects: [], problems: asProblems(), unknownIdentity: true };
  }
  const kind = readKind(value, [...validate.kinds, ...CORE_KINDS], add);
  if (kind === undefined) {
    return { objects: [], problems: asProblems(), unknownIdentity: mayBeOurs(value) };
  }
  const metadata = readMetadata(value['metadata'], add);
  if (!metadata) return { objects: [], problems: asProblems(), unknownIdentity: true };

  const { namespace, name } = metadata;
  const object: ManifestObject = { id: `${kind} ${namespace}/${name}`, kind, placeOf };
  const spec = readSpec({ kind, value, metadata, validate, add, errors });
  if (errors.length === 0 && spec) object.applied = { kind, ...metadata, spec };
  return { objects: [object], problems: asProblems(), unknownIdentity: false };
}

type AddError = (pointer: string, detail: string) => void;

/**
 * Returns the kind, or undefined if it is unknown. A wrong `apiVersion` is reported, but does not prevent the object
 * from being identified.
 */
function readKind(
  value: Record<string, unknown>,
  known: readonly string[],
  add: AddError,
): string | undefined {
  const { kind, apiVersion } = value;
  if (typeof kind !== 'string' || !known.includes(kind)) {
    const given = typeof kind === 'string' ? `${JSON.stringify(kind)} is not a known kind; ` : '';
    add('/kind', `${given}use one of ${known.join(', ')}`);
    return undefined;
  }
  const expected = isCoreKind(kind) ? 'v1' : API_VERSION;
  if (apiVersion !== expected) add('/apiVersion', `must be ${expected} for kind ${kind}`);
  return kind;
}

/**
 * Returns true if an unknown kind may be a misspelled Parley kind. Returns false if the object's API group is not ours,
 * as for a Deployment.
 */
function mayBeOurs({ apiVersion }: Record<string, unknown>): boolean {
  if (typeof apiVersion !== 'string' || apiVersion === 'v1') return true;
  return apiVersion.split('/')[0] === API_GROUP;
}

function readMetadata(value: unknown, add: AddError): DeclaredMeta | undefined {
  if (!isRecord(value)) {
    add('/metadata', 'must be a map with at least a name');
    return undefined;
  }
  for (const field of Object.keys(value)) {
    if (SERVER_METADATA.has(field)) continue;
    if (!['name', 'namespace', 'labels', 'annotations'].includes(field)) {
      add(
        `/metadata/${escapeToken(field)}`,
        'is not supported; use only name, namespace, labels and annotations',
      );
    }
  }
  const labels = readStrings(value['labels'], '/metadata/labels', add);
  const annotations = readStrings(value['annotations'], '/metadata/annotations', add);
  const name = readName(value['name'], add);
  const namespace = readNamespace(value['namespace'], add);
  if (name === undefined || namespace === undefined) return undefined;
  return { namespace, name, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function readName(name: unknown, add: AddError): string | undefined {
  // Kubernetes allows a DNS subdomain as the name of an object of any kind. `validate` may be stricter.
  const valid = typeof name === 'string' && name.length <= 253;
  if (valid && name.split('.').every((label) => DNS_LABEL.test(label))) return name;
  const given = name === undefined || name === null ? 'is missing' : `is ${JSON.stringify(name)}`;
  add(
    '/metadata/name',
    `${given}; use lower-case letters, digits and "-", and put quotes around a name that consists only of digits`,
  );
  return undefined;
}

function readNamespace(namespace: unknown, add: AddError): string | undefined {
  if (namespace === undefined || namespace === null) return 'default';
  if (typeof namespace === 'string' && DNS_LABEL.test(namespace)) return namespace;
  add('/metadata/namespace', 'must have at most 63 lower-case letters, digits and "-"');
  return undefined;
}

function readStrings(
  value: unknown,
  pointer: string,
  add: AddError,
): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isRecord(value)) {
    add(pointer, 'must be a map of strings');
    return undefined;
  }
  const strings: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    if (typeof text === 'string') strings[key] = text;
    else add(`${pointer}/${escapeToken(key)}`, 'must be a string: put it in quotes');
  }
  return strings;
}

/**
 * Returns the spec as declared, without defaults. The store adds the defaults later. If the declaration contained the
 * defaults, the field manager `file` would own those fields.
 */
function readSpec(input: {
  kind: string;
  value: Record<string, unknown>;
  metadata: DeclaredMeta;
  validate: Validator;
  add: AddError;
  errors: FieldError[];
}): Record<string, unknown> | undefined {
  const { kind, value, metadata, validate, add, errors } = input;
  // `kubectl get -o yaml` also prints `status`, which cannot be declared.
  const { apiVersion: _a, kind: _k, metadata: _m, status: _s, ...fields } = value;
  if (isCoreKind(kind)) {
    const verdict = readCoreSpec(kind, fields);
    if ('spec' in verdict) return verdict.spec;
    errors.push(...verdict.errors);
    return undefined;
  }
  for (const field of Object.keys(fields)) {
    if (field !== 'spec')
      add(`/${escapeToken(field)}`, 'is not a known field; did you mean to put it inside spec?');
  }
  const spec = fields['spec'] ?? {};
  if (!isRecord(spec)) {
    add('/spec', 'must be a map');
    return undefined;
  }
  const verdict = validate(kind, spec, metadata);
  if ('errors' in verdict) {
    errors.push(...verdict.errors);
    return undefined;
  }
  return verdict.declared;
}
