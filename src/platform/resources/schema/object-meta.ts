import type { FieldError } from '../../../errors.ts';
import type { DeclaredMeta } from '../resource-store.ts';
import { escapeToken } from './cel-rules.ts';
import { dnsLabel } from './field-types.ts';

/** Maximum total size in bytes of all annotations, keys and values together, as in the API server. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

/** Checks names, labels and annotations against the API server's rules. JSON Pointers begin with `/metadata`. */
export function checkMeta(meta: DeclaredMeta, name: 'label' | 'subdomain' = 'label'): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (pointer: string, detail: string) =>
    errors.push({ pointer: `/metadata${pointer}`, code: 'invalid_format', detail });
  const isName = name === 'label' ? isDnsLabel : isSubdomain;
  if (!isName(meta.name)) {
    refuse('/name', `${JSON.stringify(meta.name)} must be a DNS ${name}: a-z, 0-9 and -`);
  }
  if (!isDnsLabel(meta.namespace)) {
    refuse('/namespace', `${JSON.stringify(meta.namespace)} must be a DNS label: a-z, 0-9 and -`);
  }
  for (const [key, value] of Object.entries(meta.labels ?? {})) {
    const at = `/labels/${escapeToken(key)}`;
    if (!isQualifiedName(key)) refuse(at, `${JSON.stringify(key)} is not a valid label key`);
    if (typeof value !== 'string' || value.length > 63 || !LABEL_VALUE.test(value)) {
      refuse(at, `${JSON.stringify(value)} must have at most 63 letters, digits, -, _ and .`);
    }
  }
  let bytes = 0;
  for (const [key, value] of Object.entries(meta.annotations ?? {})) {
    const at = `/annotations/${escapeToken(key)}`;
    if (!isQualifiedName(key.toLowerCase()))
      refuse(at, `${JSON.stringify(key)} is not a valid annotation key`);
    if (typeof value !== 'string') refuse(at, `${JSON.stringify(value)} must be a string`);
    else bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) refuse('/annotations', 'must be at most 256 KiB in total');
  return errors;
}

function isDnsLabel(text: unknown): boolean {
  return dnsLabel.safeParse(text).success;
}

function isSubdomain(text: unknown): boolean {
  return typeof text === 'string' && text.length <= 253 && SUBDOMAIN.test(text);
}

/** Returns true if a string has the form `name` or `prefix/name`, which keys of labels and annotations must have. */
function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (name.length > 63 || !QUALIFIED_NAME.test(name)) return false;
  return parts.length === 1 || (parts.length === 2 && isSubdomain(parts[0]));
}
