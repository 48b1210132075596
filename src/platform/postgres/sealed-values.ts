import { markPlace } from '../idempotency/idempotency-marks.sql.ts';
import type { Db } from './pool.ts';
import { secretPlace } from '../resources/resources.sql.ts';
import { endpointSecretPlace } from '../../webhooks/endpoints/webhook-endpoints.sql.ts';

/** Every column that holds something sealed, for giving it another key (platform/postgres/reseal.ts). */

/** One sealed value: where it belongs and how to find it again. */
export type SealedValue = { key: string[]; place: string; sealed: Buffer };

export type SealedColumn = {
  table: string;
  /** The sealed bytes, in SQL. */
  value: string;
  /** Puts other bytes there, in SQL. */
  assign: (bytes: string) => string;
  /** What tells its rows apart: column and type. */
  key: readonly [string, string][];
  /** What else the place is made of. */
  with: readonly string[];
  place: (row: Record<string, string>) => string;
  where: string;
};

const endpoints = (value: string): SealedColumn => ({
  table: 'webhook_endpoints',
  value,
  assign: (bytes) => `${value} = ${bytes}`,
  key: [['id', 'uuid']],
  with: ['namespace'],
  place: ({ namespace = '', id = '' }) => endpointSecretPlace(namespace, id),
  where: 'true',
});

const marks = (value: string): SealedColumn => ({
  table: 'idempotency_marks',
  value,
  assign: (bytes) => `${value} = ${bytes}`,
  key: [
    ['api_key_id', 'uuid'],
    ['place_hash', 'bytea'],
  ],
  with: [],
  place: ({ api_key_id: apiKeyId = '', place_hash: hash = '' }) =>
    // As PostgreSQL writes bytes: two characters, then hex.
    markPlace({ apiKeyId, hash: Buffer.from(hash.slice(2), 'hex') }),
  where: 'true',
});

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  endpoints('secret'),
  endpoints('next_secret'),
  {
    table: 'resources',
    value: `decode(spec->>'sealed', 'base64')`,
    // Without line breaks, as the store writes it. The version stays: nothing has changed.
    assign: (bytes) =>
      `spec = jsonb_build_object('sealed', replace(encode(${bytes}, 'base64'), chr(10), ''))`,
    key: [
      ['namespace', 'text'],
      ['name', 'text'],
    ],
    with: [],
    place: ({ namespace = '', name = '' }) => secretPlace({ namespace, name }),
    where: `kind = 'Secret' and deleted_at is null`,
  },
  marks('request'),
  marks('decision'),
  marks('answer'),
];

const sealedByAnother = ({ value, where }: SealedColumn): string =>
  `${where} and ${value} is not null and substring(${value} from 2 for 4) <> $1`;

/** The next ones that another key sealed, in the order of their keys, after `after`. */
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

/** False: it was changed meanwhile, and so sealed anew. */
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

export async function countSealedByAnother(db: Db, keyId: Buffer): Promise<number> {
  let count = 0;
  for (const column of SEALED_COLUMNS) {
    const { rows } = await db.query<{ count: number }>(
      `select count(*) as count from ${column.table} where ${sealedByAnother(column)}`,
      [keyId],
    );
    count += rows[0]?.count ?? 0;
  }
  return count;
}
