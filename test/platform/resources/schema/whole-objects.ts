/** Objects that have every field, and checks for lost fields. */

/** The part of an OpenAPI schema that a status uses. */
export type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  minimum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
};

/** Returns a value with all properties of the schema and one entry in each list. */
export function fullValue(schema: Schema): unknown {
  if (schema.enum) return schema.enum[0];
  switch (schema.type ?? 'any') {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, fullValue(inner)]),
      );
    case 'array':
      return [fullValue(schema.items ?? {})];
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 1);
    case 'boolean':
      return true;
    case 'string':
      return schema.format === 'date-time' ? '2026-01-02T03:04:05Z' : 'Word';
    default:
      throw new Error(`no value is known for ${JSON.stringify(schema)}`);
  }
}

/**
 * Returns the paths of values in `wanted` that are missing or different in `found`. Additional values in `found` are
 * allowed.
 */
export function missingFrom(found: unknown, wanted: unknown, at: string): string[] {
  if (isObject(wanted) && isObject(found)) {
    return Object.keys(wanted).flatMap((key) =>
      missingFrom(found[key], wanted[key], `${at}.${key}`),
    );
  }
  if (Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length) {
    return wanted.flatMap((item, i) => missingFrom(found[i], item, `${at}[${i}]`));
  }
  return Object.is(found, wanted) ? [] : [at];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
