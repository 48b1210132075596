import type { Fields } from '../audit/audit-log.sql.ts';
import { changesBetween, differing, toldOf } from '../audit/changes.ts';
import { recordDeclared } from '../audit/record-declared.ts';
import { fromUuid } from '../ids.ts';
import type { Db } from '../platform/postgres/pool.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import { fromModelProviderSpec } from './rest-model-provider.ts';
import type { ModelProviderRow, ProviderProjection } from './model-providers.sql.ts';

/** What the audit log tells the values of; of headers and parameters only that they changed. */
export const TOLD = [
  'name',
  'base_url',
  'api_key_secret_ref',
  'chat',
  'embeddings',
  'speech',
  'transcription',
  'managed_by',
] as const;

/** As the operator takes it over; `row`: what was there before. */
export async function recordProvider(
  db: Db,
  declared: { row: ModelProviderRow | undefined; provider: ProviderProjection; whoElse: WhoElse },
): Promise<void> {
  const { row, provider, whoElse } = declared;
  const after: Fields = fromModelProviderSpec(provider.spec);
  const { name, managedBy } = provider;
  await recordDeclared(db, {
    noun: 'model_provider',
    namespace: provider.namespace,
    target: fromUuid('mp', provider.id),
    before: row,
    after: provider,
    changed: row ? differing({ ...row.spec }, { ...provider.spec }) : [],
    whoElse,
    line: row
      ? changesBetween(fromModelProviderSpec(row.spec), after, TOLD)
      : { after: toldOf({ ...after, name, managed_by: managedBy }, TOLD) },
  });
}

export function providerGone({
  name,
  managedBy,
  spec,
}: Pick<ModelProviderRow, 'name' | 'managedBy' | 'spec'>): { before: Fields } {
  return { before: { name, base_url: spec.baseUrl, managed_by: managedBy } };
}
