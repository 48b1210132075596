import { z } from 'zod';
import type { CelRule } from './field-types.ts';

/**
 * This module converts a zod schema to a structural schema, which is the subset of OpenAPI 3.0 that a
 * CustomResourceDefinition accepts. A zod check that has no equivalent fails the build, so that no check is lost.
 */

/** A node in a structural schema. It allows no unknown fields unless `x-kubernetes-preserve-unknown-fields` is set. */
export type StructuralSchema = {
  description?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  default?: unknown;
  enum?: string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  items?: StructuralSchema;
  'x-kubernetes-validations'?: CelRule[];
  'x-kubernetes-list-type'?: 'map' | 'set' | 'atomic';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-preserve-unknown-fields'?: true;
};

/** Schema keys that are copied unchanged, in the order in which they appear in the CRD. */
const PLAIN_KEYS = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
] as const satisfies (keyof StructuralSchema)[];

/**
 * Keys in zod's JSON Schema that are not copied unchanged. `children` converts the schemas under
 * `additionalProperties`, `properties` and `items`. `propertyNames` is omitted, because a structural schema has no such
 * key.
 */
const DROPPED_KEYS = new Set(['additionalProperties', 'properties', 'items', 'propertyNames']);

/** Formats that the API server validates. It silently ignores all other formats, so they are not allowed here. */
const FORMATS = new Set(['date-time', 'int64']);

/**
 * Returns the structural schema for a zod object schema.
 * @throws Error if the zod schema uses something that a structural schema cannot express
 */
export function structuralSchema(schema: z.ZodObject): StructuralSchema {
  const json = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
  });
  return convert(json, '');
}

function convert(node: object, path: string): StructuralSchema {
  const source = new Map<string, unknown>(Object.entries(node));
  const result: Record<string, unknown> = {};
  for (const key of PLAIN_KEYS) if (source.has(key)) result[key] = source.get(key);
  for (const key of source.keys()) {
    const known = key in result || DROPPED_KEYS.has(key);
    if (!known) throw new Error(`${path}: a structural schema has no ${key}`);
  }
  return Object.assign(result, tidied(result, path), children(source, path));
}

/** Adjusts keys that differ between zod and Kubernetes. */
function tidied(node: StructuralSchema, path: string): StructuralSchema {
  if (node.format !== undefined && !FORMATS.has(node.format)) {
    throw new Error(`${path}: the API server does not check format ${node.format}`);
  }
  return {
    ...(node.type === 'integer' ? { format: 'int64' } : {}),
    ...(node.type === 'array' && !node['x-kubernetes-list-type']
      ? { 'x-kubernetes-list-type': 'atomic' as const }
      : {}),
    // JavaScript escapes slashes in the source of a regular expression. RE2 does not need the escape.
    ...(node.pattern === undefined ? {} : { pattern: node.pattern.replaceAll('\\/', '/') }),
  };
}

function children(source: ReadonlyMap<string, unknown>, path: string): StructuralSchema {
  if (source.get('x-kubernetes-preserve-unknown-fields') === true) return {};
  const properties = source.get('properties');
  if (isObject(properties)) {
    const converted = Object.entries(properties).map(
      ([name, child]) => [name, convert(object(child), `${path}.${name}`)] as const,
    );
    return { properties: Object.fromEntries(converted) };
  }
  const items = source.get('items');
  if (isObject(items)) return { items: convert(items, `${path}[]`) };
  const values = source.get('additionalProperties');
  return isObject(values) ? { additionalProperties: convert(values, `${path}{}`) } : {};
}

function object(value: unknown): object {
  if (isObject(value)) return value;
  throw new Error('a schema is an object');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
