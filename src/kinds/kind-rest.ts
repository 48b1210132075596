import { z } from 'zod';
import { fromUuid } from '../ids.ts';
import { createdAt, unixSec, updatedAt } from '../platform/http/fields.ts';
import type { KindNames } from '../platform/resources/kind-names.ts';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import {
  asSchema,
  toCamel,
  toSnake,
  toSnakePointer,
  unwrap,
  type SnakeCased,
} from '../platform/resources/schema/key-map.ts';
import {
  patchShape,
  readableFields,
  restShape,
  typed,
} from '../platform/resources/schema/rest-schema.ts';
import type { SecretField } from './given-secret.ts';
import type { KindRow } from './kind-rows.sql.ts';

/** This module derives the REST schemas of a kind from the kind's own schema (contract/custom-resources.md). */

/** Descriptions and special fields of the REST schemas of a kind. */
export type RestTexts = {
  /** Descriptions of `name`: `written` for the body of a create request, `shown` for a response. */
  name: { written: string; shown: string };
  /** Description of the schema of a response. */
  shown: string;
  /** Description of the `ready` field. */
  ready: string;
  /**
   * Fields that a response shows between `name` and `metadata`. Defaults to all fields of the spec, with null for an
   * unset field.
   */
  fields?: (readable: (...names: string[]) => Shape) => Shape;
  /** Write-only field for the object's secret, if a request may contain it. */
  secret?: SecretField;
};
type Shape = Record<string, z.ZodType>;

export type KindRest<Spec> = {
  /** Body of a create request. */
  Write: z.ZodType<SnakeCased<Spec> & { name?: string }>;
  /**
   * Body of a PATCH: an RFC 7386 merge patch. It accepts `name`, so that the error can say that a name never changes.
   */
  Patch: z.ZodType<Record<string, unknown>>;
  Shown: z.ZodType;
  view: (row: KindRow<Spec>) => Record<string, unknown>;
  /** Returns the value that a response shows for a field. If the field is unset, that is null or an empty value. */
  shownValue: (fields: Readonly<Record<string, unknown>>, name: string) => unknown;
  toSpec: (fields: SnakeCased<Spec>) => Spec;
  fromSpec: (spec: Spec) => SnakeCased<Spec>;
  /** Like `fromSpec`, but the result is untyped. */
  fieldsOf: (spec: Spec) => Record<string, unknown>;
  /**
   * Converts a pointer into the resource to a pointer into the REST body: `/spec/chat/defaultModel` →
   * `/chat/default_model`.
   */
  pointer: (pointer: string) => string;
};

export function kindRest<S extends z.ZodObject>(
  { kind, idPrefix, noun }: Pick<KindNames, 'kind' | 'idPrefix' | 'noun'>,
  spec: S,
  texts: RestTexts,
): KindRest<z.output<S>> {
  const { secret } = texts;
  const declared = restShape(spec);
  const Write = z
    .strictObject({
      name: dnsLabel.clone().describe(texts.name.written).optional(),
      ...declared,
      ...(secret && secretShape(declared, secret)),
    })
    .describe(`${withArticle(noun)} to create.`);
  const shown = (texts.fields ?? allFields(Write, secret))((...names) =>
    readableFields(Write, names),
  );
  const shownValue: KindRest<unknown>['shownValue'] = (fields, name) =>
    fields[name] ?? emptyOf(shown[name]);
  // The result is an object, because `spec` is the schema of an object.
  const fieldsOf = (value: z.output<S>) => toSnake(spec, value) as Record<string, unknown>;
  return {
    Write: typed(Write),
    Patch: z
      .strictObject({
        ...patchShape(spec),
        ...(secret && { [secret.field]: secret.schema.nullable().optional() }),
        name: z.unknown().optional(),
      })
      .describe(`Changes to ${withArticle(noun).toLowerCase()}. Null removes a field.`),
    Shown: z
      .strictObject({
        id: z.string().meta({ description: `ID of the resource, \`${idPrefix}_…\`.` }),
        created: createdAt,
        updated: updatedAt,
        name: z.string().meta({ description: texts.name.shown }),
        ...shown,
        metadata: z.record(z.string(), z.string()),
        managed_by: z.enum(['api', 'kubernetes', 'file']),
        ready: z.boolean().meta({ description: texts.ready }),
        status_message: z.string().nullable(),
      })
      .meta({ id: kind, description: texts.shown }),
    view: (row) => {
      const fields = fieldsOf(row.spec);
      return {
        id: fromUuid(idPrefix, row.id),
        created: unixSec(row.createdAt),
        updated: unixSec(row.updatedAt),
        name: row.name,
        ...Object.fromEntries(Object.keys(shown).map((name) => [name, shownValue(fields, name)])),
        metadata: fields['metadata'] ?? {},
        managed_by: row.managedBy,
        ready: row.ready,
        status_message: row.message === '' ? null : row.message,
      };
    },
    shownValue,
    toSpec: (fields) => toCamel(spec, fields),
    fromSpec: (value) => toSnake(spec, value),
    fieldsOf,
    pointer: (pointer) =>
      pointer.startsWith('/metadata/')
        ? pointer.slice('/metadata'.length)
        : toSnakePointer(spec, pointer.replace(/^\/spec/, '')),
  };
}

/**
 * Returns the schemas of a given secret and of the reference to it. A request contains only one of them, so neither is
 * required.
 */
function secretShape(shape: Shape, { field, ref, schema }: SecretField): Shape {
  const reference = asSchema(shape[ref]);
  const isRequired = unwrap(reference) === reference;
  return {
    [field]: schema.optional(),
    [ref]: isRequired ? reference.optional() : reference,
  };
}

/**
 * Returns the default for `RestTexts.fields`: all fields of the spec except the given secret. Fields that are not
 * required may be null in a response.
 */
function allFields(
  { shape }: z.ZodObject,
  secret: SecretField | undefined,
): NonNullable<RestTexts['fields']> {
  return (readable) =>
    Object.fromEntries(
      Object.keys(shape)
        .filter((name) => name !== 'name' && name !== 'metadata' && name !== secret?.field)
        .map((name): [string, z.ZodType] => {
          const field = asSchema(shape[name]);
          const isRequired = unwrap(field) === field;
          return [name, isRequired ? field : asSchema(readable(name)[name])];
        }),
    );
}

function emptyOf(schema: z.ZodType | undefined): unknown {
  if (schema instanceof z.ZodArray) return [];
  return schema instanceof z.ZodRecord ? {} : null;
}

/** Returns a noun with its article: `A model provider`, `An agent`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}`;
}
