import type { z } from 'zod';
import { createRemembering, type Remembering } from '../../platform/controller/remembering.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { readProjected, type Projected } from '../../platform/postgres/projected.ts';
import type { Sealer } from '../../platform/postgres/sealing.ts';
import { accountOf, type Account } from './account.ts';
import {
  findById,
  findByName,
  findByNumber,
  listBound,
  type AccountRow,
  type BoundRow,
} from './accounts.sql.ts';
import { phoneNumber } from '../../platform/resources/schema/field-types.ts';
import { accountIdField } from '../../carriers/account-id.ts';
import type { DeclaredNumber } from './telephony-provider.ts';
import { secretPlace } from '../../kinds/kind-rows.sql.ts';
import { TELEPHONY_PROVIDER_KIND } from './telephony-provider.kind.ts';

export type { Account } from './account.ts';

/**
 * A number and the agent that answers it. `agentId` is a UUID, or null if the namespace has no such agent.
 * `agentVersion` is undefined for the live version.
 */
export type BoundNumber = {
  number: string;
  agentId: string | null;
  agentVersion: number | undefined;
  /** Opening hours. Undefined means always open. */
  hours?: DeclaredNumber['hours'] | undefined;
};

/**
 * Accounts that calls use, cached in each process. A change takes effect as soon as its notification arrives (`look`),
 * or within a second if the notification is lost. `byName` and `byId` throw if the account's token was encrypted
 * (sealed) with a different `PARLEY_ENCRYPTION_KEY`.
 */
export type Accounts = {
  /**
   * Returns the accounts in all namespaces that have this carrier account ID and this number: at most 20, oldest first.
   * The call belongs to the account whose token verifies the signature of the carrier's request. Omits accounts whose
   * token cannot be decrypted, and throws if that leaves none.
   */
  ofNumber: (
    accountId: string,
    number: string,
  ) => Promise<readonly { account: Account; bound: BoundNumber }[]>;
  byName: (namespace: string, name: string) => Promise<Account | undefined>;
  /** Returns the account of the provider with this UUID. */
  byId: (providerId: string) => Promise<Account | undefined>;
  /**
   * Returns the numbers of an account, ordered by their digits. With `agentId` (a UUID), returns only the numbers bound
   * to that agent.
   */
  numbersOf: (account: Account, agentId?: string) => Promise<readonly BoundNumber[]>;
  /** Drops the cached entries that these changes to providers and agents affect. `*` drops all entries. */
  look: (ids: readonly string[]) => void;
};

const ACCOUNTS_OF_A_NUMBER_MAX = 20;
/** Maximum number of cached entries per kind of lookup. */
const REMEMBERED_MAX = 1_000;
/** Maximum number of providers whose lists of numbers are cached. Each list may have a thousand numbers. */
const LISTS_MAX = 100;

type Deps = {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
  /** Monotonic clock. */
  nowMs: () => number;
};
type FoundAccount = { account?: Account };
type FoundNumbers = { of: { account: Account; bound: BoundNumber }[] };
type FoundList = { namespace: string; numbers: BoundNumber[] };

export function createAccounts(deps: Deps): Accounts {
  const { pool, nowMs } = deps;
  const accounts = createRemembering<FoundAccount>({ max: REMEMBERED_MAX, nowMs });
  const numbers = createRemembering<FoundNumbers>({ max: REMEMBERED_MAX, nowMs });
  const lists = createRemembering<FoundList>({ max: LISTS_MAX, nowMs });
  const one = async (
    place: string,
    find: () => Promise<AccountRow | undefined>,
  ): Promise<Account | undefined> => {
    const { account } = await accounts.find(place, async () => {
      const row = await find();
      return row ? { account: open(deps, row) } : {};
    });
    return account;
  };
  return {
    ofNumber: async (accountId, number) => {
      // Unauthenticated clients can send any value here. Values that no provider can have are rejected without a query.
      if (!isOf(accountIdField, accountId) || !isOf(phoneNumber, number)) return [];
      const { of } = await numbers.find(`${accountId}/${number}`, async () => {
        const max = ACCOUNTS_OF_A_NUMBER_MAX;
        return { of: openAll(deps, await findByNumber(pool, { accountId, number, max })) };
      });
      return of;
    },
    byName: (namespace, name) =>
      one(`name/${namespace}/${name}`, () => findByName(pool, { namespace, name })),
    byId: (providerId) => one(`id/${providerId}`, () => findById(pool, providerId)),
    numbersOf: async ({ id, namespace }, agentId) => {
      const { numbers: all } = await lists.find(id, async () => {
        const rows = await listBound(pool, id);
        return { namespace, numbers: rows.map(boundOf) };
      });
      return agentId === undefined ? all : all.filter((one) => one.agentId === agentId);
    },
    look: (ids) => look({ accounts, numbers, lists }, ids),
  };
}

const isOf = (schema: z.ZodType, value: string): boolean => schema.safeParse(value).success;

type Known = {
  accounts: Remembering<FoundAccount>;
  numbers: Remembering<FoundNumbers>;
  lists: Remembering<FoundList>;
};

function look({ accounts, numbers, lists }: Known, items: readonly string[]): void {
  const isAll = items.includes('*');
  const told = items.flatMap((item) => readProjected(item) ?? []);
  const providers = told.filter(({ resource }) => resource === 'telephony_providers');
  const agents = told.filter(({ resource }) => resource === 'agents');
  if (isAll || providers.length > 0) {
    const ids = new Set(providers.map(({ id }) => id));
    // Cached misses are dropped as well. A miss contains no ID, so any of the changed providers may be the one that was
    // missing.
    accounts.forget(({ account }) => isAll || !account || ids.has(account.id));
    numbers.forget(() => true);
    // The changed provider may have taken a number from another provider in its namespace, so all lists of the
    // namespace are dropped.
    const namespaces = new Set(providers.map(({ namespace }) => namespace));
    lists.forget(({ namespace }) => isAll || namespaces.has(namespace));
  }
  if (isAll || agents.length === 0) return;
  // Agents are published much more often than providers change, so only numbers of the changed agents are dropped.
  numbers.forget(({ of }) =>
    of.some(({ account, bound }) => isAnswered(bound, account.namespace, agents)),
  );
  lists.forget(({ namespace, numbers: all }) =>
    all.some((bound) => isAnswered(bound, namespace, agents)),
  );
}

/**
 * Returns whether one of the changed agents may be bound to the number. If the number's agent was missing, any changed
 * agent in the namespace may be the missing one.
 */
function isAnswered(
  { agentId }: BoundNumber,
  namespace: string,
  agents: readonly Projected[],
): boolean {
  return agents.some((agent) =>
    agentId === null ? agent.namespace === namespace : agent.id === agentId,
  );
}

function openAll(deps: Deps, rows: readonly (AccountRow & BoundRow)[]): FoundNumbers['of'] {
  const failures: unknown[] = [];
  const opened = rows.flatMap((row) => {
    try {
      return [{ account: open(deps, row), bound: boundOf(row) }];
    } catch (error) {
      failures.push(error); // The failure affects only one tenant. The accounts of the others are still usable.
      return [];
    }
  });
  if (opened.length === 0 && failures.length > 0) throw failures[0];
  return opened;
}

function open({ sealer }: Pick<Deps, 'sealer'>, row: AccountRow): Account {
  const token = sealer.open(row.authToken, secretPlace(TELEPHONY_PROVIDER_KIND, row));
  return accountOf(row, token);
}

function boundOf({ number, agentId, agentVersion, hours }: BoundRow): BoundNumber {
  return { number, agentId, agentVersion: agentVersion ?? undefined, hours: hours ?? undefined };
}
