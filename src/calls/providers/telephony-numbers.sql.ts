import type { Db } from '../../platform/postgres/pool.ts';
import type { ObjectKey } from '../../platform/resources/resource-store.ts';
import type { DeclaredNumber } from './telephony-provider.ts';

/** SQL for the numbers that providers own within a namespace (contract/telephony-providers.md#numbers). */

/** Reason of the condition `Accepted=False` while another provider in the namespace owns one of the numbers. */
export const NUMBER_TAKEN = 'NumberTaken';

/** SQL condition of the list filter `number`: selects the provider that owns this active number in namespace `$1`. */
export const HAS_NUMBER =
  'id = (select provider_id from telephony_numbers n where n.namespace = $1 and number = ?)';

type Owner = { id: string; namespace: string };

/** A number that belongs to another provider. `by` is the name of that provider. */
export type TakenNumber = { number: string; by: string };

/**
 * Returns the first number that another provider both owns and still declares. A number counts as free as soon as its
 * owner no longer declares it. It may then still be active, because the owner's new declaration was rejected. If such a
 * number counted as taken, two providers that exchange numbers would wait for each other forever.
 */
export async function findTaken(
  db: Db,
  { id, namespace }: Owner,
  numbers: readonly string[],
): Promise<TakenNumber | undefined> {
  if (numbers.length === 0) return undefined;
  const { rows } = await db.query<TakenNumber>(
    `with held as (
       select number, provider_id from telephony_numbers
        where namespace = $1 and number = any($2) and provider_id <> $3
     ), declared as (
       select p.id, p.name, d ->> 'number' as number
         from telephony_providers p cross join jsonb_array_elements(p.spec -> 'numbers') as d
        where p.id in (select provider_id from held)
     )
     select held.number, declared.name as by
       from held join declared on declared.id = held.provider_id and declared.number = held.number
      order by held.number collate "C" limit 1`,
    [namespace, numbers, id],
  );
  return rows[0];
}

/** Returns the providers that were rejected because of a number that is now free. */
export async function listWaiting(db: Db): Promise<ObjectKey[]> {
  const { rows } = await db.query<ObjectKey>(
    `select w.namespace, w.name from telephony_providers w
      where w.deleted_at is null and w.reason = '${NUMBER_TAKEN}' and not exists (
        select from jsonb_array_elements(w.spec -> 'numbers') as wanted
          join telephony_numbers n on n.namespace = w.namespace and n.number = wanted ->> 'number'
          join telephony_providers p on p.id = n.provider_id
         where p.id <> w.id
           and p.spec -> 'numbers' @> jsonb_build_array(jsonb_build_object('number', n.number)))`,
  );
  return rows;
}

/** Returns a provider's active numbers in the form of a declaration, ordered by their digits. */
export async function readNumbers(db: Db, providerId: string): Promise<DeclaredNumber[]> {
  const { rows } = await db.query<{
    number: string;
    agent: string;
    version: number | null;
    hours: DeclaredNumber['hours'] | null;
  }>(
    `select number, agent_name as agent, agent_version as version, hours
       from telephony_numbers where provider_id = $1 order by number collate "C"`,
    [providerId],
  );
  return rows.map(({ number, agent, version, hours }) => {
    return {
      number,
      agent,
      ...(version !== null && { version }),
      ...(hours !== null && hours !== undefined && { hours }),
    };
  });
}

/** Replaces a provider's active numbers. A number that another provider owns is moved to this provider. */
export async function replaceNumbers(
  db: Db,
  { id, namespace }: Owner,
  numbers: readonly DeclaredNumber[],
): Promise<void> {
  const names = numbers.map(({ number }) => number);
  await db.query(
    `delete from telephony_numbers where provider_id = $1 and number <> all($2::text[])`,
    [id, names],
  );
  await db.query(
    `insert into telephony_numbers as n (namespace, number, provider_id, agent_name, agent_version, hours)
     select $1, w.number, $2, w.agent, w.version, w.hours
       from unnest($3::text[], $4::text[], $5::integer[], $6::jsonb[]) as w (number, agent, version, hours)
     on conflict (namespace, number) do update set
       provider_id = excluded.provider_id, agent_name = excluded.agent_name,
       agent_version = excluded.agent_version, hours = excluded.hours
     where (n.provider_id, n.agent_name, n.agent_version, n.hours) is distinct from
           (excluded.provider_id, excluded.agent_name, excluded.agent_version, excluded.hours)`,
    [
      namespace,
      id,
      names,
      numbers.map(({ agent }) => agent),
      numbers.map(({ version }) => version ?? null),
      numbers.map(({ hours }) => (hours === undefined ? null : JSON.stringify(hours))),
    ],
  );
}

/** Deletes the numbers of a deleted provider, so that other providers may use them. */
export async function deleteNumbers(db: Db, providerId: string): Promise<void> {
  await db.query('delete from telephony_numbers where provider_id = $1', [providerId]);
}
