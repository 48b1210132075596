import { z } from 'zod';
import { dnsLabel } from '../../platform/resources/schema/field-types.ts';
import {
  toCamel,
  toSnake,
  toSnakePointer,
  type SnakeCased,
} from '../../platform/resources/schema/key-map.ts';
import { patchShape, restShape, typed } from '../../platform/resources/schema/rest-schema.ts';
import { telephonyProviderSpec, type TelephonyProviderSpec } from './telephony-provider.ts';

/** Providers of telephony as REST writes and shows them (contract §4), made from the schema of the kind. */

export type TelephonyProviderFields = SnakeCased<TelephonyProviderSpec>;
export type TelephonyProviderWrite = TelephonyProviderFields & { name?: string };

/** Body of `POST /v1/telephony_providers`. */
export const TelephonyProviderWrite: z.ZodType<TelephonyProviderWrite> = typed(
  z
    .strictObject({
      name: dnsLabel
        .clone()
        .describe('What calls name it by: a DNS label, unique in the namespace, not `simulated`.')
        .optional(),
      ...restShape(telephonyProviderSpec),
    })
    .describe('A provider of telephony to create.'),
);

/**
 * Body of `PATCH /v1/telephony_providers/{id}`: an RFC 7386 merge patch. `name` is let through, so that
 * the use case can say that it never changes.
 */
export const TelephonyProviderPatch: z.ZodType<Record<string, unknown>> = z
  .strictObject({ ...patchShape(telephonyProviderSpec), name: z.unknown().optional() })
  .describe('Changes of a provider of telephony; null removes a field.');

/** The spec fields that a create body, or a whole merged resource, declares. */
export function toTelephonyProviderSpec(fields: TelephonyProviderFields): TelephonyProviderSpec {
  return toCamel(telephonyProviderSpec, fields);
}

export function fromTelephonyProviderSpec(spec: TelephonyProviderSpec): TelephonyProviderFields {
  return toSnake(telephonyProviderSpec, spec);
}

/** Place in the resource → place in the REST body: `/spec/outbound/ringSec` → `/outbound/ring_sec`. */
export function telephonyProviderPointer(pointer: string): string {
  if (pointer.startsWith('/metadata/')) return pointer.slice('/metadata'.length);
  return toSnakePointer(telephonyProviderSpec, pointer.replace(/^\/spec/, ''));
}
