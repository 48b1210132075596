import type { FieldError } from '../../../errors.ts';
import { escapeToken } from './cel-rules.ts';
import { isRecord } from './prepare.ts';

/**
 * The kinds Secret and ConfigMap (v1), to which objects of Parley's own kinds refer. When Parley runs without a
 * cluster, this module validates these kinds in the manifest folder. In a cluster, the API server enforces the same
 * rules.
 */

export const CORE_KINDS = ['Secret', 'ConfigMap'] as const;
export type CoreKind = (typeof CORE_KINDS)[number];

/** Decoded values (UTF-8 text) by key. */
export type CoreSpec = { data: Record<string, string> };

/** Maximum total size of the values in one object, in bytes, as in the API server. */
const MAX_DATA_BYTES = 1024 * 1024;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Supported fields of each kind, other than `apiVersion`, `kind` and `metadata`. `binaryData` is rejected, because it
 * is not text.
 */
const FIELDS = {
  Secret: ['type', 'data', 'stringData', 'immutable'],
  ConfigMap: ['data', 'immutable'],
} as const satisfies Record<CoreKind, string[]>;

export function isCoreKind(kind: string): kind is CoreKind {
  return Object.hasOwn(FIELDS, kind);
}

/**
 * Reads the fields other than `apiVersion`, `kind` and `metadata`. `stringData` overrides `data`, as in the API server.
 * Errors never quote values, which may be secrets.
 */
export function readCoreSpec(
  kind: CoreKind,
  fields: Record<string, unknown>,
): { spec: CoreSpec } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  const refuse: Refuse = (pointer, code, detail) => errors.push({ pointer, code, detail });
  const known: readonly string[] = FIELDS[kind];
  for (const name of Object.keys(fields)) {
    const at = `/${escapeToken(name)}`;
    if (!known.includes(name))
      refuse(at, 'unknown_field', `${name} is not a supported field in a ${kind}`);
  }
  checkScalar(fields, 'type', 'string', refuse);
  checkScalar(fields, 'immutable', 'boolean', refuse);
  const data = new Map(readMap(fields['data'], '/data', kind === 'Secret', refuse));
  if (kind === 'Secret') {
    for (const [key, text] of readMap(fields['stringData'], '/stringData', false, refuse)) {
      data.set(key, text);
    }
  }
  const bytes = [...data.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > MAX_DATA_BYTES)
    refuse('/data', 'too_long', 'the values must be at most 1 MiB in total');
  return errors.length > 0 ? { errors } : { spec: { data: Object.fromEntries(data) } };
}

type Refuse = (pointer: string, code: string, detail: string) => void;

function checkScalar(
  fields: Record<string, unknown>,
  name: string,
  type: 'string' | 'boolean',
  refuse: Refuse,
): void {
  const value = fields[name] ?? undefined;
  if (value !== undefined && typeof value !== type) {
    refuse(`/${name}`, 'invalid_type', `must be a ${type}`);
  }
}

function readMap(
  map: unknown,
  pointer: string,
  encoded: boolean,
  refuse: Refuse,
): [string, string][] {
  if (map === undefined || map === null) return [];
  if (!isRecord(map)) {
    refuse(pointer, 'invalid_type', 'must be a map of strings');
    return [];
  }
  return Object.entries(map).flatMap(([key, value]): [string, string][] => {
    const at = `${pointer}/${escapeToken(key)}`;
    if (!DATA_KEY.test(key) || key === '.' || key.startsWith('..') || key === '__proto__') {
      refuse(at, 'invalid_format', 'a key must consist of letters, digits, -, _ and .');
    } else if (typeof value !== 'string') {
      refuse(at, 'invalid_type', 'must be a string');
    } else {
      return [[key, encoded ? decode(value, at, refuse) : value]];
    }
    return [];
  });
}

function decode(value: string, pointer: string, refuse: Refuse): string {
  // Line breaks are removed, because the API server's base64 decoder (Go) ignores them too.
  const compact = value.replaceAll(/[\r\n]/g, '');
  if (BASE64.test(compact)) return Buffer.from(compact, 'base64').toString('utf8');
  refuse(pointer, 'invalid_format', 'must be base64; plain text belongs in stringData');
  return '';
}
