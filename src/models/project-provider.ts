import { isDeepStrictEqual } from 'node:util';
import { recordUndeclared } from '../audit/record-declared.ts';
import { fromUuid } from '../ids.ts';
import { requireRoom, type QuotaDeps } from '../platform/declare/quota.ts';
import { assertLeader } from '../platform/postgres/leadership.ts';
import type { Notifier } from '../platform/postgres/notifications.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import { tellProjected } from '../platform/postgres/projected.ts';
import { sealIfNew } from '../platform/postgres/seal-if-new.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import { inTransaction } from '../platform/postgres/transaction.ts';
import type { WhoElse } from '../platform/reconcile/actors.ts';
import { providerGone, recordProvider } from './audit-provider.ts';
import {
  markProviderDeleted,
  providerKeyPlace,
  readInForce,
  readProvider,
  upsertProvider,
  type InForce,
  type ProviderProjection,
} from './model-providers.sql.ts';

export type ProjectDeps = QuotaDeps & { pool: Pool; notifier: Notifier; sealer: Sealer };

export type ProviderToProject = {
  epoch: number;
  provider: ProviderProjection;
  /** In clear, undefined: it takes none; null: it is refused, and what was in force stays so. */
  key: { text: string | undefined } | null;
  whoElse: WhoElse;
};

/**
 * Brings a provider's row in line with what is declared, and tells whoever remembers it. Address and key
 * are written together. Nothing is written when nothing changed.
 */
export async function projectProvider(deps: ProjectDeps, input: ProviderToProject): Promise<void> {
  const { provider } = input;
  const known = await readProvider(deps.pool, provider);
  const inForce = input.key && (await inForceOf(deps, provider, input.key.text));
  const isDeclared = known && isDeepStrictEqual({ ...known, ...provider }, known);
  if (isDeclared && inForce === null) return;
  const replaced = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await requireRoom(db, deps, 'model_providers', provider);
    // Another object had this name before and its deletion was not seen: that one goes first.
    const gone = await markProviderDeleted(db, provider, provider.id);
    await upsertProvider(db, provider, inForce);
    await recordProvider(db, { row: known, provider, whoElse: input.whoElse });
    return gone?.id;
  });
  const ids = [provider.id, ...(replaced === undefined ? [] : [replaced])];
  tell(deps, provider, [provider.uid, ...ids]);
}

/** Null when it is in force already. */
async function inForceOf(
  { pool, sealer }: Pick<ProjectDeps, 'pool' | 'sealer'>,
  { namespace, id, spec }: ProviderProjection,
  key: string | undefined,
): Promise<InForce | null> {
  const before = await readInForce(pool, id);
  const known = before && { value: before.spec, sealed: before.apiKey };
  const wanted = { value: spec, secret: key };
  const next = sealIfNew(sealer, providerKeyPlace(namespace, id), known, wanted);
  return next && { spec: next.value, apiKey: next.sealed };
}

/** The declaration is gone: hides the provider and forgets its key. */
export async function removeProvider(
  deps: Pick<ProjectDeps, 'pool' | 'notifier'>,
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  const removed = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const gone = await markProviderDeleted(db, input);
    if (gone === undefined) return undefined;
    await recordUndeclared(db, {
      noun: 'model_provider',
      namespace: input.namespace,
      target: fromUuid('mp', gone.id),
      managedBy: gone.managedBy,
      ...providerGone(gone),
    });
    return gone.id;
  });
  if (removed === undefined) return;
  tell(deps, { namespace: input.namespace, id: removed }, [removed]);
}

function tell(
  deps: Pick<ProjectDeps, 'notifier'>,
  { namespace, id }: { namespace: string; id: string },
  others: readonly string[],
): void {
  tellProjected(deps, { resource: 'model_providers', namespace, id }, others);
}
