import type { Db } from '../platform/postgres/pool.ts';
import { NOTHING, SUMS, type Measured } from './measures.sql.ts';
import { partsOf, type Counting, type Span } from './parts.sql.ts';

/** Properties by which conversations can be grouped. */
export const GROUPINGS = ['agent', 'version', 'channel', 'topic', 'person'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Measures of a group, with the costs by currency. */
export type Figures = Measured & { costs: Record<string, number> };

/** Key of a group. Only the properties of the grouping are set; the others are null. */
export type GroupKey = {
  agentId: string | null;
  version: number | null;
  channel: string | null;
  label: string | null;
};

/**
 * Selects the conversations to count in a period. The metrics of the period are compared with those of the preceding
 * period of the same length, for which the same selection applies.
 */
export type Compared = Omit<Counting, 'span' | 'hasCosts'> & { span: Span };

const noFigures = (): Figures => ({ ...NOTHING, costs: {} });

/** Row of a query: either the measures of a group, or its costs in one currency. */
type Row = Measured & { currency: string | null; amount: number };

const AMOUNT = 'currency, sum(amount)::float8 as amount';

function addRow(figures: Figures, { currency, amount, ...sums }: Row): void {
  if (currency !== null) {
    // The amount is 0 if the conversations that had costs in this currency have all been removed from the counters.
    if (amount !== 0) figures.costs[currency] = amount;
    return;
  }
  for (const name of Object.keys(NOTHING) as (keyof Measured)[]) figures[name] = sums[name];
}

export type Series = { total: Figures; previous: Figures; buckets: Figures[] };

/** Reads the metrics of a period, of each bucket in it, and of the preceding period, in one statement. */
export async function readSeries(
  db: Db,
  compared: Compared,
  starts: readonly number[],
): Promise<Series> {
  const { sql, values, isBefore } = comparedParts(compared);
  const bucket = `case when not ${isBefore} then width_bucket(quarter, ${timesOf(values, starts)}) end`;
  const { rows } = await db.query<
    Row & { isBefore: boolean; bucket: number | null; isTotal: boolean }
  >(
    `with ${sql}, placed as (select *, ${isBefore} as "isBefore", ${bucket} as bucket from parts)
     select "isBefore", bucket, grouping(bucket) = 1 as "isTotal", ${AMOUNT}, ${SUMS} from placed
      group by grouping sets (("isBefore", currency), ("isBefore", bucket, currency))`,
    values,
  );
  const series = { total: noFigures(), previous: noFigures(), buckets: starts.map(noFigures) };
  for (const row of rows) {
    if (row.isTotal) addRow(row.isBefore ? series.previous : series.total, row);
    else if (row.bucket !== null) addRow(series.buckets[row.bucket - 1]!, row);
  }
  return series;
}

export type Group = { key: GroupKey; total: Figures; previous: Figures };

/**
 * Reads the metrics of the `limit` groups with the most conversations in the period, and of the same groups in the
 * preceding period.
 */
export async function readGroups(
  db: Db,
  compared: Compared,
  { by, limit }: { by: Grouping; limit: number },
): Promise<Group[]> {
  const { sql, values, isBefore } = comparedParts(compared);
  const { columns, names } = KEYS[by];
  const { rows } = await db.query<Row & Partial<GroupKey> & { isBefore: boolean; rank: number }>(
    `with ${sql}, summed as (
       select ${columns}, ${isBefore} as "isBefore", ${AMOUNT}, ${SUMS} from parts
        group by ${columns}, ${isBefore}, currency
     ), sized as (
       select *, max(case when "isBefore" then 0 else active + ended end) over (partition by ${columns}) as size
         from summed
     ), ranked as (
       select *, dense_rank() over (order by size desc, ${columns}) as rank from sized where size > 0
     )
     select ${names}, * from ranked where rank <= $${values.push(limit)} order by rank`,
    values,
  );
  const groups: Group[] = [];
  for (const row of rows) {
    const group = (groups[row.rank - 1] ??= {
      key: keyOf(row),
      total: noFigures(),
      previous: noFigures(),
    });
    addRow(row.isBefore ? group.previous : group.total, row);
  }
  return groups;
}

export type Line = { key: GroupKey; bucket: number; figures: Figures };

/**
 * Reads the metrics of each group in each bucket that has conversations, earliest buckets first. Returns at most
 * `limit` lines.
 */
export async function readLines(
  db: Db,
  compared: Compared,
  { by, starts, limit }: { by: Grouping; starts: readonly number[]; limit: number },
): Promise<Line[]> {
  const { sql, values } = partsOf({ ...compared, hasCosts: true });
  const { columns, names } = KEYS[by];
  const bucket = `width_bucket(quarter, ${timesOf(values, starts)})`;
  const { rows } = await db.query<Row & Partial<GroupKey> & { bucket: number; place: number }>(
    `with ${sql}, summed as (
       select ${columns}, ${bucket} as bucket, ${AMOUNT}, ${SUMS} from parts group by ${columns}, ${bucket}, currency
     ), placed as (
       select *, dense_rank() over (order by bucket, ${columns}) as place from summed
     )
     select ${names}, * from placed where place <= $${values.push(limit)} order by place`,
    values,
  );
  const lines: Line[] = [];
  for (const row of rows) {
    const line = (lines[row.place - 1] ??= {
      key: keyOf(row),
      bucket: row.bucket - 1,
      figures: noFigures(),
    });
    addRow(line.figures, row);
  }
  return lines.filter(({ figures }) => figures.active + figures.ended > 0);
}

/**
 * Columns that form the key of each grouping: as they are (`columns`), and renamed to the properties of `GroupKey`
 * (`names`).
 */
const KEYS: Record<Grouping, { columns: string; names: string }> = {
  agent: { columns: 'agent_id', names: 'agent_id as "agentId"' },
  version: {
    columns: 'agent_id, agent_version',
    names: 'agent_id as "agentId", agent_version as version',
  },
  channel: { columns: 'channel', names: 'channel' },
  topic: { columns: 'label', names: 'label' },
  person: { columns: 'label', names: 'label' },
};

function keyOf({ agentId, version, channel, label }: Partial<GroupKey>): GroupKey {
  return {
    agentId: agentId ?? null,
    version: version ?? null,
    channel: channel ?? null,
    label: label ?? null,
  };
}

/**
 * Returns the SQL that selects the rows to be summed (parts.sql.ts) for a period and for the preceding period.
 * `isBefore` is an SQL condition that is true for rows of the preceding period.
 */
function comparedParts(compared: Compared): { sql: string; values: unknown[]; isBefore: string } {
  const { from, to } = compared.span;
  const { sql, values } = partsOf({
    ...compared,
    span: { from: from - (to - from), to },
    hasCosts: true,
  });
  return { sql, values, isBefore: `(quarter < to_timestamp($${values.push(from)}::float8))` };
}

function timesOf(values: unknown[], starts: readonly number[]): string {
  const times = starts.map((sec) => new Date(sec * 1_000).toISOString());
  return `$${values.push(times)}::timestamptz[]`;
}

/** Returns the most recent name of each human agent who accepted escalations, by the human agent's id. */
export async function readPersonNames(
  db: Db,
  { namespace, ids }: { namespace: string; ids: readonly string[] },
): Promise<Map<string, string>> {
  const { rows } = await db.query<{ id: string; name: string | null }>(
    `select p.id, (select e.accepted_by ->> 'name' from escalations e
                    where e.namespace = $1 and e.accepted_by is not null and e.accepted_by ->> 'id' = p.id
                    order by e.id desc limit 1) as name
       from unnest($2::text[]) as p (id)`,
    [namespace, ids],
  );
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}
