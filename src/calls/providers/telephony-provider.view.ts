import { z } from 'zod';
import { CARRIER_TYPES, OWN_FIELDS } from '../../carriers/carriers.ts';
import { toSnakeKey } from '../../platform/resources/schema/key-map.ts';
import { fromUuid } from '../../ids.ts';
import { createdAt, unixSec, updatedAt } from '../../platform/http/fields.ts';
import { readableFields } from '../../platform/resources/schema/rest-schema.ts';
import { fromTelephonyProviderSpec, TelephonyProviderWrite } from './rest-telephony-provider.ts';
import type { TelephonyProviderRow } from './telephony-providers.sql.ts';

/** Providers of telephony as REST answers them (contract §4). A token is never among it, only its place. */

const BoundNumber = z.strictObject({
  number: z.string().meta({ description: 'In E.164.' }),
  agent: z.string().meta({ description: 'Name of the agent that answers it.' }),
  version: z.int().optional().meta({ description: 'Absent: the one that is live.' }),
  hours: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'When it is answered, as it is written; absent: always.' }),
});

/** Names of the fields that only one carrier has. */
const OWN_NAMES = OWN_FIELDS.map(toSnakeKey);

/** What is not set is null, so that readers need not know what may be absent. */
export const TelephonyProvider = z
  .strictObject({
    id: z.string().meta({ description: 'tp_…' }),
    created: createdAt,
    updated: updatedAt,
    name: z.string().meta({ description: 'What calls name it by; never changes.' }),
    type: z.enum(CARRIER_TYPES),
    account_id: z.string().meta({ description: "The account's id at the carrier." }),
    ...readableFields(TelephonyProviderWrite, [
      'auth_token_secret_ref',
      ...OWN_NAMES,
      'api_url',
      'outbound',
      'inbound',
    ]),
    numbers: z.array(BoundNumber).meta({ description: 'As they are declared.' }),
    metadata: z.record(z.string(), z.string()),
    managed_by: z.enum(['api', 'kubernetes', 'file']),
    ready: z.boolean().meta({ description: 'Whether all of it is in force as declared.' }),
    status_message: z.string().nullable(),
  })
  .meta({ id: 'TelephonyProvider', description: 'An account at a carrier, and its numbers.' });

export function providerView(row: TelephonyProviderRow): Record<string, unknown> {
  const fields = fromTelephonyProviderSpec(row.spec);
  const set = new Map<string, unknown>(Object.entries(fields));
  const own = Object.fromEntries(OWN_NAMES.map((name) => [name, set.get(name) ?? null]));
  return {
    id: fromUuid('tp', row.id),
    created: unixSec(row.createdAt),
    updated: unixSec(row.updatedAt),
    name: row.name,
    type: fields.type,
    account_id: fields.account_id,
    auth_token_secret_ref: fields.auth_token_secret_ref,
    ...own,
    api_url: fields.api_url ?? null,
    numbers: fields.numbers ?? [],
    outbound: fields.outbound ?? null,
    inbound: fields.inbound ?? null,
    metadata: fields.metadata ?? {},
    managed_by: row.managedBy,
    ready: row.ready,
    status_message: row.message === '' ? null : row.message,
  };
}
