import { z } from 'zod';
import { dnsLabel } from '../platform/resources/schema/field-types.ts';
import {
  toCamel,
  toSnake,
  toSnakePointer,
  type SnakeCased,
} from '../platform/resources/schema/key-map.ts';
import { patchShape, restShape, typed } from '../platform/resources/schema/rest-schema.ts';
import { modelProviderSpec, type ModelProviderSpec } from './model-provider.ts';

/** Providers of models as REST writes and shows them (contract §4), made from the schema of the kind. */

export type ModelProviderFields = SnakeCased<ModelProviderSpec>;
export type ModelProviderWrite = ModelProviderFields & { name?: string };

/** Body of `POST /v1/model_providers`. */
export const ModelProviderWrite: z.ZodType<ModelProviderWrite> = typed(
  z
    .strictObject({
      name: dnsLabel
        .clone()
        .describe('What agents name it by: a DNS label, unique in the namespace, not `default`.')
        .optional(),
      ...restShape(modelProviderSpec),
    })
    .describe('A provider of models to create.'),
);

/**
 * Body of `PATCH /v1/model_providers/{id}`: an RFC 7386 merge patch. `name` is let through, so that the
 * use case can say that it never changes.
 */
export const ModelProviderPatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({ ...patchShape(modelProviderSpec), name: z.unknown().optional() })
  .describe('Changes of a provider of models; null removes a field.');

/** The spec fields that a create body, or a whole merged resource, declares. */
export function toModelProviderSpec(fields: ModelProviderFields): ModelProviderSpec {
  return toCamel(modelProviderSpec, fields);
}

export function fromModelProviderSpec(spec: ModelProviderSpec): ModelProviderFields {
  return toSnake(modelProviderSpec, spec);
}

/** Place in the resource → place in the REST body: `/spec/chat/defaultModel` → `/chat/default_model`. */
export function modelProviderPointer(pointer: string): string {
  if (pointer.startsWith('/metadata/')) return pointer.slice('/metadata'.length);
  return toSnakePointer(modelProviderSpec, pointer.replace(/^\/spec/, ''));
}
