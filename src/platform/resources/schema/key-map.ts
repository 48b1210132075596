import { z } from 'zod';
import { escapeToken } from './cel-rules.ts';
import { isRecord } from './prepare.ts';

/**
 * camelCase of the custom resources ↔ snake_case of the REST API, led by the schema: names of
 * fields change, keys that a user chose (metadata, headers, tool parameters) never do.
 */

type SnakeKey<S extends string> = S extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeKey<Tail>}`
  : S;

/** The REST form of a type; maps with free keys stay as they are. */
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

/** `display_name` → `displayName` */
export function toCamelKey(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A custom resource's value as REST shows it. Fields the schema does not have are left out. */
export function toSnake<T extends z.ZodType>(
  schema: T,
  value: z.output<T>,
): SnakeCased<z.output<T>>;
export function toSnake(schema: z.ZodType, value: unknown): unknown {
  return mapFields(schema, value, { from: (field) => field, to: toSnakeKey });
}

/** A REST value as the custom resource has it. Fields the schema does not have are left out. */
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

/** A JSON Pointer into the custom resource's value, as a pointer into the REST value. */
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

/** RFC 7386: null removes, objects merge, everything else replaces. Neither input is changed. */
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
  // fromEntries defines its properties, so that __proto__ is a key like any other.
  return Object.fromEntries(merged);
}

/** The pointer of a zod issue's path. */
export function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${escapeToken(String(part))}`).join('');
}

/** The schema inside optional, default and the like. */
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

/** zod types members by its core; ours are all made with the classic builder. */
export function asSchema(schema: unknown): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  throw new Error('not a zod schema');
}
