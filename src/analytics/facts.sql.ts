import type { Db } from '../platform/postgres/pool.ts';
import { labelled, STORED } from './measures.sql.ts';

const KEY = 'namespace, kind, quarter, agent_id, agent_version, channel, label';
const KINDS = ['all', 'topic', 'person'] as const;

export async function hasFacts(db: Db): Promise<boolean> {
  const { rows } = await db.query<{ hasAny: boolean }>({
    name: 'has_conversation_fact',
    text: 'select exists (select from conversation_facts) as "hasAny"',
  });
  return rows[0]!.hasAny; // A select without `from` yields one row.
}

/**
 * Moves up to `limit` facts into the counters in one statement, so that each fact counts once. Returns how many facts
 * it moved. The caller ensures that only one such statement runs at a time, because two at the same time could lock
 * counters in different orders and deadlock.
 */
export async function foldFacts(db: Db, limit: number): Promise<number> {
  const columns = STORED.map(({ column }) => column);
  const { rows } = await db.query<{ count: number }>({
    name: 'fold_conversation_facts',
    text: `with facts as materialized (
        delete from conversation_facts where (namespace, id) in (
          select namespace, id from conversation_facts order by namespace, id limit $1)
        returning *, true as is_ended
      ), labelled as materialized (
        ${KINDS.map((kind) => `select '${kind}' as kind, l.* from (${labelled(kind)}) l`).join(' union all ')}
      ), counted as (
        insert into analytics_counts as a (${KEY}, ${columns.join(', ')})
        select ${KEY}, ${STORED.map(({ expression }) => `sum(${expression})`).join(', ')}
          from labelled group by ${KEY}
            on conflict (${KEY}) do update set ${columns.map((name) => `${name} = a.${name} + excluded.${name}`).join(', ')}
      ), priced as (
        insert into analytics_costs as a (${KEY}, currency, amount)
        select ${KEY}, cost.key, sum(weight * cost.value::numeric)
          from labelled cross join lateral jsonb_each_text(costs) cost group by ${KEY}, cost.key
            on conflict (${KEY}, currency) do update set amount = a.amount + excluded.amount
      )
      select count(*) from facts`,
    values: [limit],
  });
  return rows[0]!.count; // An aggregate without `group by` returns one row.
}

/**
 * Deletes the counters of topics and human agents that have no conversations left. Such a counter contains the topic or
 * the human agent's ID, which must not be kept longer than the conversations.
 */
export async function deleteEmptyLabels(db: Db): Promise<void> {
  await db.query(`delete from analytics_counts where kind <> 'all' and ended = 0`);
  await db.query(`delete from analytics_costs where kind <> 'all' and amount = 0`);
}
