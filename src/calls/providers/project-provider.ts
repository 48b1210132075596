import { isDeepStrictEqual } from 'node:util';
import { recordUndeclared } from '../../audit/record-declared.ts';
import { fromUuid } from '../../ids.ts';
import { lockCount } from '../../platform/declare/quota.sql.ts';
import { requireRoom, type QuotaDeps } from '../../platform/declare/quota.ts';
import { assertLeader } from '../../platform/postgres/leadership.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Db, Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { sealIfNew } from '../../platform/postgres/seal-if-new.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import type { WhoElse } from '../../platform/reconcile/actors.ts';
import type { Problem } from '../../platform/reconcile/conditions.ts';
import { providerGone, recordProvider } from './audit-provider.ts';
import {
  findTaken,
  readNumbers,
  replaceNumbers,
  type TakenNumber,
} from './telephony-numbers.sql.ts';
import type { DeclaredNumber } from './telephony-provider.ts';
import {
  authTokenPlace,
  markProviderDeleted,
  NUMBER_TAKEN,
  readInForce,
  readProvider,
  upsertProvider,
  type AccountInForce,
  type ProviderProjection,
} from './telephony-providers.sql.ts';

export type ProjectDeps = QuotaDeps & { pool: Pool; notifier: Notifier; sealer: Sealer };

/** What was found of a declaration; `reason` and `message` are those of `Ready`. */
export type Found = Problem & { ready: boolean };

export type ProviderToProject = {
  epoch: number;
  provider: Omit<ProviderProjection, keyof Found>;
  found: Found;
  /** In clear; null: the declaration is refused, and what was in force stays so. */
  authToken: string | null;
  whoElse: WhoElse;
};

/**
 * Brings a provider's row and its numbers in line with what is declared, and tells whoever remembers
 * them. Address, token and numbers are written together. Nothing is written when nothing changed.
 * Returns why it is refused, where another provider of the namespace has one of the numbers.
 */
export async function projectProvider(
  deps: ProjectDeps,
  input: ProviderToProject,
): Promise<Problem | undefined> {
  const { provider, authToken } = input;
  const row = await readProvider(deps.pool, provider);
  const account = authToken === null ? null : await accountOf(deps, provider, authToken);
  const { projection: seen, taken: isTaken } = await judge(deps.pool, input);
  if (isShown(row, seen) && (isTaken || !(await isNew(deps, input, account)))) return isTaken;
  const { replaced, taken } = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    await requireRoom(db, deps, 'telephony_providers', provider);
    // What is found taken, or free, stays so until the end: others who bring numbers in force wait.
    await lockCount(db, 'telephony_numbers', provider.namespace);
    // Another object had this name before and its deletion was not seen: that one goes first.
    const gone = await markProviderDeleted(db, provider, provider.id);
    const { projection, taken: why } = await judge(db, input);
    await upsertProvider(db, projection, why ? null : account);
    if (authToken !== null && !why) await replaceNumbers(db, provider, numbersOf(provider));
    await recordProvider(db, { row, provider: projection, whoElse: input.whoElse });
    return { replaced: gone?.id, taken: why };
  });
  const ids = [provider.id, ...(replaced === undefined ? [] : [replaced])];
  tell(deps, provider, [provider.uid, ...ids]);
  return taken;
}

/** What the row is to say: as it was found, or that a number is another's. */
async function judge(
  db: Db,
  { provider, found, authToken }: Pick<ProviderToProject, 'provider' | 'found' | 'authToken'>,
): Promise<{ projection: ProviderProjection; taken: Problem | undefined }> {
  const numbers = numbersOf(provider).map(({ number }) => number);
  // What is refused for another reason takes no number.
  const held = authToken === null ? undefined : await findTaken(db, provider, numbers);
  const taken = held && { reason: NUMBER_TAKEN, message: numberTaken(held) };
  return { projection: { ...provider, ...(taken ? { ready: false, ...taken } : found) }, taken };
}

/** What is said of one. */
export function numberTaken({ number, by }: TakenNumber): string {
  return `${number} stands in the TelephonyProvider ${by} already: take it out there, or leave it out here`;
}

function isShown(row: object | undefined, projection: ProviderProjection): boolean {
  return row !== undefined && isDeepStrictEqual({ ...row, ...projection }, row);
}

/** Whether account or numbers are to be others than those in force. */
async function isNew(
  { pool }: Pick<ProjectDeps, 'pool'>,
  { provider, authToken }: Pick<ProviderToProject, 'provider' | 'authToken'>,
  account: AccountInForce | null,
): Promise<boolean> {
  if (authToken === null) return false;
  if (account !== null) return true;
  return !isDeepStrictEqual(await readNumbers(pool, provider.id), numbersOf(provider));
}

/** Null when it is in force already. */
async function accountOf(
  { pool, sealer }: Pick<ProjectDeps, 'pool' | 'sealer'>,
  { namespace, id, spec }: ProviderToProject['provider'],
  authToken: string,
): Promise<AccountInForce | null> {
  const before = await readInForce(pool, id);
  const known = before && { value: before.spec, sealed: before.authToken };
  const { numbers: _, metadata: __, ...value } = spec;
  const wanted = { value, secret: authToken };
  const next = sealIfNew(sealer, authTokenPlace(namespace, id), known, wanted);
  return next && { spec: next.value, authToken: next.sealed };
}

/** In the order of their digits, as they are read. */
function numbersOf({ spec }: Pick<ProviderProjection, 'spec'>): DeclaredNumber[] {
  return (spec.numbers ?? []).toSorted((a, b) => (a.number < b.number ? -1 : 1));
}

/** The declaration is gone: hides the provider, lets go of its numbers and forgets its token. */
export async function removeProvider(
  deps: Pick<ProjectDeps, 'pool' | 'notifier'>,
  input: { epoch: number; namespace: string; name: string },
): Promise<void> {
  const removed = await inTransaction(deps.pool, async (db) => {
    await assertLeader(db, input.epoch);
    const gone = await markProviderDeleted(db, input);
    if (gone === undefined) return undefined;
    await recordUndeclared(db, {
      noun: 'telephony_provider',
      namespace: input.namespace,
      target: fromUuid('tp', gone.id),
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
  tellProjected(deps, { resource: 'telephony_providers', namespace, id }, others);
}
