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

/** `agentId`: uuid; null: the namespace has no such agent. `agentVersion` undefined: the live one. */
export type BoundNumber = {
  number: string;
  agentId: string | null;
  agentVersion: number | undefined;
  /** When it is answered; undefined: always. */
  hours?: DeclaredNumber['hours'] | undefined;
};

/**
 * The accounts that calls go by, remembered by one process: what the operator brings in force is used as
 * soon as it is told of (`look`), and within a second when that notification is lost. All throw when a
 * token was sealed with another PARLEY_ENCRYPTION_KEY.
 */
export type Accounts = {
  /**
   * All namespaces' accounts with this id at the carrier that bind the number, at most 20, the oldest
   * first. Whose token verifies decides whose call it is; one whose token does not open is left out,
   * unless there is no other.
   */
  ofNumber: (
    accountId: string,
    number: string,
  ) => Promise<readonly { account: Account; bound: BoundNumber }[]>;
  byName: (namespace: string, name: string) => Promise<Account | undefined>;
  /** `providerId`: uuid */
  byId: (providerId: string) => Promise<Account | undefined>;
  /** The numbers of an account bound to an agent (uuid), or all, in the order of their digits. */
  numbersOf: (account: Account, agentId?: string) => Promise<readonly BoundNumber[]>;
  /** These providers and agents were projected, or something else was; `*`: look at all. */
  look: (ids: readonly string[]) => void;
};

const ACCOUNTS_OF_A_NUMBER_MAX = 20;
/** Of each way to find accounts. */
const REMEMBERED_MAX = 1_000;
/** Of providers whose numbers are remembered, which may be a thousand each. */
const LISTS_MAX = 100;

type Deps = {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
  /** Monotonic. */
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
      // Who calls this route from outside may name anything: what no provider can have costs no query.
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
    // One that was missing may have come, under an id that nobody knew, and with any number.
    accounts.forget(({ account }) => isAll || !account || ids.has(account.id));
    numbers.forget(() => true);
    // It may have got a number that another of its namespace had.
    const namespaces = new Set(providers.map(({ namespace }) => namespace));
    lists.forget(({ namespace }) => isAll || namespaces.has(namespace));
  }
  if (isAll || agents.length === 0) return;
  // Many agents are published for each provider that changes: what they do not answer stays.
  numbers.forget(({ of }) =>
    of.some(({ account, bound }) => isAnswered(bound, account.namespace, agents)),
  );
  lists.forget(({ namespace, numbers: all }) =>
    all.some((bound) => isAnswered(bound, namespace, agents)),
  );
}

/** By one of the agents; where there was none, it may be the one that has come. */
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
      failures.push(error); // It is one tenant's: the others go on.
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
