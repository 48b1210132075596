import { isRecalled } from '../../agents/recalls/recalls.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import type { DeclaredNumber, TelephonyProviderSpec } from './telephony-provider.ts';

/**
 * SQL for active accounts and their numbers. Each number is joined with the agent that currently has the declared name.
 */

/** The part of a declaration that calls use. The numbers are stored in a table of their own. */
export type AccountSpec = Omit<TelephonyProviderSpec, 'numbers' | 'metadata'>;
/** Row of an active account. `authToken` is encrypted (sealed). */
export type AccountRow = ObjectKey & { id: string; spec: AccountSpec; authToken: Buffer };
/**
 * Row of a number. `agentId` is null if the namespace has no such agent. `agentVersion` is null for the live version,
 * which also answers if the declared version was recalled.
 */
export type BoundRow = {
  number: string;
  agentId: string | null;
  agentVersion: number | null;
  /** Opening hours. Null means always open. */
  hours: DeclaredNumber['hours'] | null;
};

const ACCOUNT = `p.id, p.namespace, p.name, p.in_force as spec, p.auth_token as "authToken"`;
const IN_FORCE = 'p.deleted_at is null and p.in_force is not null';
const BOUND = `n.number, a.id as "agentId", n.hours,
  case when not ${isRecalled('a.id', 'n.agent_version')} then n.agent_version end as "agentVersion"`;
const AGENT = `left join agents a
  on a.namespace = n.namespace and a.name = n.agent_name and a.deleted_at is null`;

/**
 * Returns up to `max` accounts with this number and this ID at the carrier, from all namespaces. The oldest come first,
 * so that newly declared accounts cannot displace older ones.
 */
export async function findByNumber(
  db: Db,
  { accountId, number, max }: { accountId: string; number: string; max: number },
): Promise<(AccountRow & BoundRow)[]> {
  const { rows } = await db.query<AccountRow & BoundRow>({
    name: 'find_telephony_account_by_number',
    text: `select ${ACCOUNT}, ${BOUND}
             from telephony_numbers n
             join telephony_providers p on p.id = n.provider_id and ${IN_FORCE}
             ${AGENT}
            where n.number = $1 and p.in_force ->> 'accountId' = $2
            order by p.id limit $3`,
    values: [number, accountId, max],
  });
  return rows;
}

export async function findByName(db: Db, key: ObjectKey): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>({
    name: 'find_telephony_account_by_name',
    text: `select ${ACCOUNT} from telephony_providers p
            where p.namespace = $1 and p.name = $2 and ${IN_FORCE}`,
    values: [key.namespace, key.name],
  });
  return rows[0];
}

export async function findById(db: Db, id: string): Promise<AccountRow | undefined> {
  const { rows } = await db.query<AccountRow>({
    name: 'find_telephony_account',
    text: `select ${ACCOUNT} from telephony_providers p where p.id = $1 and ${IN_FORCE}`,
    values: [id],
  });
  return rows[0];
}

/** Returns the numbers of a provider, ordered by their digits. */
export async function listBound(db: Db, providerId: string): Promise<BoundRow[]> {
  const { rows } = await db.query<BoundRow>({
    name: 'list_telephony_numbers',
    text: `select ${BOUND} from telephony_numbers n ${AGENT}
            where n.provider_id = $1 order by n.number collate "C"`,
    values: [providerId],
  });
  return rows;
}
