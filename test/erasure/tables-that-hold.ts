import type { ConversationFixture } from '../conversations/conversation-setup.ts';

/** Every column of every table, as text. */
export async function tablesThatHold(
  { engine: { pool } }: Pick<ConversationFixture, 'engine'>,
  word: string,
): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind in ('r', 'p') and nspname = 'public' and not relispartition`,
  );
  const found = [];
  for (const { name } of tables) {
    const { rows } = await pool.query(
      `select 1 from ${name} t where t::text ilike $1 or t::text ilike $2 limit 1`,
      [`%${word}%`, `%${Buffer.from(word).toString('hex')}%`],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}
