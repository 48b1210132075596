import { z } from 'zod';
import { dnsLabel } from '../../platform/resources/schema/field-types.ts';
import {
  toCamel,
  toSnake,
  toSnakePointer,
  type SnakeCased,
} from '../../platform/resources/schema/key-map.ts';
import { knowledgeSourceSpec, type KnowledgeSourceSpec } from './knowledge-source.ts';
import { patchShape, restShape, typed } from '../../platform/resources/schema/rest-schema.ts';

/**
 * This module derives the REST schemas of knowledge sources (contract/knowledge.md#sources) from the schema of the
 * kind.
 */

/** Fields that REST may write. `textFrom` can only be set in manifests. */
const written = knowledgeSourceSpec.omit({ textFrom: true });

type Written = z.output<typeof written>;

export type KnowledgeSourceFields = SnakeCased<Written>;
export type KnowledgeSourceWrite = KnowledgeSourceFields & { name?: string };

/** Body of `POST /v1/knowledge/sources`. */
export const KnowledgeSourceWrite: z.ZodType<KnowledgeSourceWrite> = typed(
  z
    .strictObject({
      name: dnsLabel
        .clone()
        .describe('DNS label, unique in the namespace. Generated if absent.')
        .optional(),
      ...restShape(written),
    })
    .describe('A knowledge source to create.'),
);

/**
 * Body of `PATCH /v1/knowledge/sources/{id}`: an RFC 7386 merge patch. The schema accepts `name` and `type`, so that a
 * request that changes them gets the specific error that they are immutable.
 */
export const KnowledgeSourcePatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({
    ...patchShape(written),
    name: z.unknown().optional(),
    type: z.unknown().optional(),
  })
  .describe('Changes to a knowledge source. Null removes a field.');

/** Returns the spec that a create request or a merged resource declares. */
export function toKnowledgeSourceSpec(fields: KnowledgeSourceFields): Written {
  return toCamel(written, fields);
}

/** Returns the REST fields of a spec. Omits fields that REST does not write. */
export function fromKnowledgeSourceSpec(spec: KnowledgeSourceSpec): KnowledgeSourceFields {
  const { textFrom: _, ...fields } = spec;
  return toSnake(written, fields);
}

/**
 * Converts a JSON Pointer into the resource to a JSON Pointer into the REST body: `/spec/website/maxDepth` →
 * `/website/max_depth`.
 */
export function knowledgeSourcePointer(pointer: string): string {
  if (pointer.startsWith('/metadata/')) return pointer.slice('/metadata'.length);
  // REST has only the field `text`, so a text from a ConfigMap is reported there.
  const ofRest = pointer.replace(/^\/spec/, '').replace(/^\/textFrom\b.*/, '/text');
  return toSnakePointer(knowledgeSourceSpec, ofRest);
}
