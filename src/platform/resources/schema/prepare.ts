import leven from 'leven';
import { escapeToken } from './cel-rules.ts';
import type { FieldError } from '../../../errors.ts';
import type { StructuralSchema } from './json-schema.ts';

/**
 * This module prepares an object for validation as kube-apiserver does with strict field validation: it rejects unknown
 * fields, drops meaningless nulls, and fills in defaults. The input is never modified. A value whose schema preserves
 * unknown fields is shared instead of copied.
 */

/**
 * Returns an error for each unknown field in an object that does not allow unknown fields. Skips values of the wrong
 * type, because schema validation reports them.
 */
export function unknownFields(
  value: unknown,
  schema: StructuralSchema,
  pointer: string,
): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, i) => unknownFields(item, items, `${pointer}/${i}`)) : [];
  }
  if (!isRecord(value) || !schema.properties) return [];
  const { properties } = schema;
  return Object.entries(value).flatMap(([key, member]) => {
    const at = `${pointer}/${escapeToken(key)}`;
    const child = ownProperty(properties, key);
    return child ? unknownFields(member, child, at) : [unknownField(at, key, properties)];
  });
}

/** Returns the value without its null fields. A null field that the schema does not describe stays. */
export function withoutNulls(value: unknown, schema: StructuralSchema): unknown {
  return rebuild(value, schema, (key, member, child) =>
    member === null && child !== undefined ? [] : [[key, withoutNulls(member, child ?? {})]],
  );
}

/** Returns the value with defaults filled in. Added fields follow the existing fields, in the order of the schema. */
export function withDefaults(value: unknown, schema: StructuralSchema): unknown {
  const filled = rebuild(value, schema, (key, member, child) => [
    [key, withDefaults(member, child ?? {})],
  ]);
  if (!isRecord(filled)) return filled;
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (child.default !== undefined && !Object.hasOwn(filled, key)) {
      filled[key] = withDefaults(structuredClone(child.default), child);
    }
  }
  return filled;
}

type Member = (
  key: string,
  member: unknown,
  child: StructuralSchema | undefined,
) => [string, unknown][];

function rebuild(value: unknown, schema: StructuralSchema, member: Member): unknown {
  if (schema['x-kubernetes-preserve-unknown-fields']) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    // Only null properties are dropped. A null list item stays, so that validation rejects it later.
    return items ? value.map((item) => memberOf(item, items, member)) : value;
  }
  if (!isRecord(value)) return value;
  const { properties, additionalProperties } = schema;
  const entries = Object.entries(value).flatMap(([key, inner]) =>
    member(key, inner, (properties && ownProperty(properties, key)) ?? additionalProperties),
  );
  // `Object.fromEntries` defines properties instead of assigning them, so `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}

function memberOf(item: unknown, items: StructuralSchema, member: Member): unknown {
  return item === null ? null : member('', item, items)[0]?.[1];
}

function unknownField(
  pointer: string,
  key: string,
  properties: Record<string, StructuralSchema>,
): FieldError {
  const near = nearest(key, Object.keys(properties));
  const hint = near ? `; did you mean ${near}?` : '';
  return { pointer, code: 'unknown_field', detail: `unknown field ${key}${hint}` };
}

/**
 * Returns the name that is most similar to the key, if they differ only slightly: in spelling, in case, or because the
 * key is in snake_case.
 */
function nearest(key: string, names: readonly string[]): string | undefined {
  if (key.length > 64) return undefined;
  const ranked = names
    .map((name) => ({ name, distance: leven(plain(key), plain(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best && best.distance <= Math.min(2, best.name.length / 3) ? best.name : undefined;
}

function plain(text: string): string {
  return text.replaceAll(/[-_]/g, '').toLowerCase();
}

/** Returns the value of one of the object's own properties. Returns undefined for an inherited property. */
function ownProperty<T>(record: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
