import { z } from 'zod';
import { asSchema, toSnakeKey, unwrap } from './key-map.ts';
import { checkFreeValue, FREE_VALUE } from './free-value.ts';

/**
 * This module derives the REST schema from a custom resource's schema. The REST schema rejects unknown fields, and has
 * the same limits and descriptions under snake_case names. It has no defaults, because they are filled in later, from
 * the custom resource's schema. CEL rules and duplicates are checked on the resource that is written, by the validator
 * or the API server.
 */

/** Returns the fields in the body of a create request. Fields that are optional or have a default may be omitted. */
export function restShape(schema: z.ZodObject): Record<string, z.ZodType> {
  return mapShape(schema, restSchema);
}

/**
 * Returns the fields in a JSON merge patch. Each field may be omitted, and null removes it. Lists are replaced as a
 * whole.
 */
export function patchShape(schema: z.ZodObject): Record<string, z.ZodType> {
  return mapShape(schema, (field) => patchSchema(field));
}

/** Casts a schema that was built field by field to a schema for the type that it describes. */
export function typed<T>(schema: z.ZodType): z.ZodType<T>;
export function typed(schema: z.ZodType): z.ZodType {
  return schema;
}

function mapShape(
  schema: z.ZodObject,
  map: (field: z.ZodType) => z.ZodType,
): Record<string, z.ZodType> {
  const entries = Object.entries(schema.shape).map(
    ([name, field]) => [toSnakeKey(name), map(asSchema(field))] as const,
  );
  return Object.fromEntries(entries);
}

function restSchema(schema: z.ZodType): z.ZodType {
  const inner = unwrap(schema);
  const rest = described(restType(inner), schema);
  return inner === schema ? rest : rest.optional();
}

function patchSchema(schema: z.ZodType): z.ZodType {
  const inner = unwrap(schema);
  return described(patchType(inner), schema).nullable().optional();
}

function restType(inner: z.ZodType): z.ZodType {
  if (inner instanceof z.ZodObject) return z.strictObject(restShape(inner));
  if (inner instanceof z.ZodArray) {
    // Copies the list schema with the REST schema for its items. The copy keeps the limits of the list.
    return inner.clone({ ...inner.def, element: restSchema(asSchema(inner.element)) });
  }
  if (inner instanceof z.ZodRecord) return restMap(inner, asSchema(inner.valueType));
  // Copies only the definition, because the metadata of the original is meant for the CRD.
  return inner.clone(inner.def);
}

function patchType(inner: z.ZodType): z.ZodType {
  if (inner instanceof z.ZodObject) return z.strictObject(patchShape(inner));
  if (inner instanceof z.ZodRecord) return restMap(inner, asSchema(inner.valueType).nullable());
  return restType(inner);
}

function restMap(map: z.ZodRecord, value: z.ZodType): z.ZodType {
  const meta = map.meta() ?? {};
  if (meta['x-kubernetes-preserve-unknown-fields'] === true) {
    return z
      .record(z.string(), z.unknown())
      .superRefine(checkFreeValue)
      .meta({ maxProperties: FREE_VALUE.membersMax });
  }
  const most = meta['maxProperties'];
  if (typeof most !== 'number') throw new Error('a map needs maxProperties');
  return z
    .record(z.string().min(1).max(128), value)
    .refine((entries) => Object.keys(entries).length <= most, {
      message: `must have at most ${most} entries`,
    })
    .meta({ maxProperties: most });
}

function described(target: z.ZodType, source: z.ZodType): z.ZodType {
  const description = source.description ?? unwrap(source).description;
  return description === undefined ? target : target.describe(description);
}

/**
 * Returns the response schemas of the writable fields `names`. They also allow null, which a response shows for an
 * unset field. Only top-level fields are converted.
 */
export function readableFields(
  write: z.ZodType,
  names: readonly string[],
): Record<string, z.ZodType> {
  if (!(write instanceof z.ZodObject)) throw new Error('the schema is not an object schema');
  return Object.fromEntries(
    names.map((name): [string, z.ZodType] => {
      const schema = asSchema(write.shape[name]);
      return [
        name,
        unwrap(schema)
          .nullable()
          .describe(schema.description ?? ''),
      ];
    }),
  );
}
