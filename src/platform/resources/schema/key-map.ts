import { z } from 'zod';
import { escapeToken } from './cel-rules.ts';
import { isRecord } from './prepare.ts';

/**
 * This module converts the camelCase fields of custom resources to the snake_case fields of the REST API and back,
 * guided by the schema. Keys that a user chose (metadata, headers, tool parameters) are never renamed.
 */

type SnakeKey<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeKey<Tail>}`
  : S;

/** The REST form of a type. Maps whose keys are chosen by users stay unchanged. */
export type SnakeCased<T> = T extends readonly (infer Item)[]
  ? SnakeCased<Item>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T as SnakeKey<K & string>]: SnakeCased<T[K]> }
    : T;

export function toSnakeKey(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Converts `display_name` to `displayName`. */
export function toCamelKey(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Converts a custom resource's value to its REST form. Fields that are not in the schema are dropped. */
export function toSnake<T extends z.ZodType>(
  schema: T,
  value: z.output<T>,
): SnakeCased<z.output<T>>;
export function toSnake(schema: z.ZodType, value: unknown): unknown {
  return mapFields(schema, value, { from: (field) => field, to: toSnakeKey });
}

/** Converts a REST value to its form in the custom resource. Fields that are not in the schema are dropped. */
export function toCamel<T extends z.ZodType>(
  schema: T,
  value: SnakeCased<z.output<T>>,
): z.output<T>;
export function toCamel(schema: z.ZodType, value: unknown): unknown {
  return mapFields(schema, value, { from: toSnakeKey, to: (field) => field });
}

type Naming = { from: (field: string) => string; to: (field: string) => string };

function mapFields(schema: z.ZodType, value: unknown, naming: Naming): unknown {
  const type = unwrap(schema);
  if (type instanceof z.ZodArray && Array.isArray(value)) {
    const element = asSchema(type.element);
    return value.map((item) => mapFields(element, item, naming));
  }
  if (!(type instanceof z.ZodObject) || !isRecord(value)) return value;
  const entries = Object.keys(type.shape).flatMap((field): [string, unknown][] => {
    const source = naming.from(field);
    if (!Object.hasOwn(value, source) || value[source] === undefined) return [];
    const mapped = mapFields(asSchema(type.shape[field]), value[source], naming);
    return [[naming.to(field), mapped]];
  });
  return Object.fromEntries(entries);
}

/** Converts the JSON Pointer of a field in a custom resource to the pointer of the same field in the REST form. */
export function toSnakePointer(schema: z.ZodType, pointer: string): string {
  let type: z.ZodType | undefined = unwrap(schema);
  const tokens = pointer.split('/').slice(1);
  const mapped = tokens.map((token) => {
    if (type instanceof z.ZodObject && Object.hasOwn(type.shape, token)) {
      type = unwrap(asSchema(type.shape[token]));
      return toSnakeKey(token);
    }
    type = type instanceof z.ZodArray ? unwrap(asSchema(type.element)) : undefined;
    return token;
  });
  return mapped.map((token) => `/${token}`).join('');
}

/**
 * Applies a merge patch (RFC 7386): null removes a value, objects are merged, and all other values replace the old
 * ones. The inputs are not modified.
 */
export function applyMergePatch(
  target: Record<string, unknown>,
  patch: Record<string, unknown>,
): Record<string, unknown> {
  const merged = new Map(Object.entries(target));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      merged.delete(key);
    } else if (isRecord(value)) {
      const before = merged.get(key);
      merged.set(key, applyMergePatch(isRecord(before) ? before : {}, value));
    } else {
      merged.set(key, value);
    }
  }
  // `Object.fromEntries` defines properties instead of assigning them, so `__proto__` is an ordinary key.
  return Object.fromEntries(merged);
}

/** Returns the JSON Pointer for the path of a zod issue. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${escapeToken(String(part))}`).join('');
}

/** Returns the schema inside optional, default and similar wrappers. */
export function unwrap(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  ) {
    return unwrap(asSchema(schema.unwrap()));
  }
  return schema;
}

/**
 * Casts a member of a schema to zod's classic type. zod gives members its core types, but all of our schemas are built
 * with the classic API.
 */
export function asSchema(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('not a zod schema');
}
