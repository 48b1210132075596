import type { Fields } from '../../audit/audit-log.sql.ts';
import { changesBetween, differing, toldOf } from '../../audit/changes.ts';
import { recordDeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import { OWN_FIELDS } from '../../carriers/carriers.ts';
import { toSnakeKey } from '../../platform/resources/schema/key-map.ts';
import { fromTelephonyProviderSpec } from './rest-telephony-provider.ts';
import type { ProviderProjection, TelephonyProviderRow } from './telephony-providers.sql.ts';

/** What the audit log tells the values of. The numbers too: who sent a hotline elsewhere must be found. */
export const TOLD = [
  'name',
  'type',
  'account_id',
  'auth_token_secret_ref',
  ...OWN_FIELDS.map(toSnakeKey),
  'api_url',
  'numbers',
  'outbound',
  'inbound',
  'managed_by',
];

/** As the operator takes it over; `row`: what was there before. */
export async function recordProvider(
  db: Db,
  declared: {
    row: TelephonyProviderRow | undefined;
    provider: ProviderProjection;
    whoElse: WhoElse;
  },
): Promise<void> {
  const { row, provider, whoElse } = declared;
  const after: Fields = fromTelephonyProviderSpec(provider.spec);
  const { name, managedBy } = provider;
  await recordDeclared(db, {
    noun: 'telephony_provider',
    namespace: provider.namespace,
    target: fromUuid('tp', provider.id),
    before: row,
    after: provider,
    changed: row ? differing({ ...row.spec }, { ...provider.spec }) : [],
    whoElse,
    line: row
      ? changesBetween(fromTelephonyProviderSpec(row.spec), after, TOLD)
      : { after: toldOf({ ...after, name, managed_by: managedBy }, TOLD) },
  });
}

export function providerGone({
  name,
  managedBy,
  spec,
}: Pick<TelephonyProviderRow, 'name' | 'managedBy' | 'spec'>): { before: Fields } {
  const { type, account_id, numbers = [] } = fromTelephonyProviderSpec(spec);
  return { before: { name, type, account_id, numbers, managed_by: managedBy } };
}
