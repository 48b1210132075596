import type { Db } from './pool.ts';

/**
 * This module reads and replaces the values in encrypted ("sealed") columns, for the `reseal` command, which encrypts
 * them with a different key (commands/reseal.ts).
 */

/**
 * An encrypted value, its place (the location that is authenticated with it), and the values of its row's key columns.
 */
export type SealedValue = { key: string[]; place: string; sealed: Buffer };

/** A column with encrypted values. The module that owns the table declares it. */
export type SealedColumn = {
  table: string;
  /** SQL expression that returns the encrypted bytes. */
  value: string;
  /** Returns the SQL assignment that replaces the encrypted bytes. */
  assign: (bytes: string) => string;
  /** Names and types of the table's key columns. */
  key: readonly [string, string][];
  /** Other columns that are needed to compute the place. */
  with: readonly string[];
  place: (row: Record<string, string>) => string;
  where: string;
};

const sealedByAnother = ({ value, where }: SealedColumn): string =>
  `${where} and ${value} is not null and substring(${value} from 2 for 4) <> $1`;

/**
 * Returns the next values that are encrypted with a key other than `keyId`, ordered by row key. Starts after the row
 * key `after`.
 */
export async function listSealedByAnother(
  db: Db,
  column: SealedColumn,
  page: { keyId: Buffer; after: readonly string[] | null; limit: number },
): Promise<SealedValue[]> {
  const { table, value, key } = column;
  const names = key.map(([name]) => name);
  const last = key.map(([, type], i) => `$${i + 3}::text::${type}`).join(', ');
  const { rows } = await db.query<Record<string, string> & { sealed: Buffer }>(
    `select ${[...names, ...column.with].map((name) => `t.${name}::text as ${name}`).join(', ')},
            ${value} as sealed
       from ${table} t
      where ${sealedByAnother(column)}${page.after ? ` and (${names.join(', ')}) > (${last})` : ''}
      order by ${names.map((name) => `t.${name}`).join(', ')} limit $2`,
    [page.keyId, page.limit, ...(page.after ?? [])],
  );
  return rows.map(({ sealed, ...row }) => ({
    key: names.map((name) => String(row[name])),
    place: column.place(row),
    sealed,
  }));
}

/**
 * Replaces an encrypted value. Returns false if the value has changed in the meantime. In that case, the process that
 * changed it has already encrypted the new value.
 */
export async function replaceSealed(
  db: Db,
  column: SealedColumn,
  change: SealedValue & { resealed: Buffer },
): Promise<boolean> {
  const { table, value, key, assign, where } = column;
  const matches = key.map(([name, type], i) => `${name} = $${i + 3}::text::${type}`).join(' and ');
  const { rowCount } = await db.query(
    `update ${table} set ${assign('$1::bytea')} where ${where} and ${matches} and ${value} = $2`,
    [change.resealed, change.sealed, ...change.key],
  );
  return rowCount === 1;
}

export async function countSealedByAnother(
  db: Db,
  columns: readonly SealedColumn[],
  keyId: Buffer,
): Promise<number> {
  let count = 0;
  for (const column of columns) {
    const { rows } = await db.query<{ count: number }>(
      `select count(*) as count from ${column.table} where ${sealedByAnother(column)}`,
      [keyId],
    );
    count += rows[0]?.count ?? 0;
  }
  return count;
}
