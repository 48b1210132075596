import type { Db } from '../../platform/postgres/pool.ts';
import type { SearchScope } from './knowledge-search.sql.ts';

/** Number of passages in a scope, and the number of passages that contain each word. */
export type WordCounts = { passages: number; having: ReadonlyMap<string, number> };

/**
 * Counts the passages that contain each word. `stems` are stems as `to_tsvector` returns them. Omits words that no
 * passage contains.
 */
export async function countWords(
  db: Db,
  { scope, stems }: { scope: SearchScope; stems: readonly string[] },
): Promise<WordCounts> {
  const { namespace, owners, all } = scope;
  const { rows } = await db.query<{ lexeme: string; passages: number }>({
    name: 'count_words',
    // Each owner has a row for the empty string, which holds the number of its passages. `offset 0` forces PostgreSQL
    // to read the rows of each word as one range of the primary key.
    text: `select w.lexeme, sum(p.chunks)::integer as passages
             from unnest($4::text[] || array['']) w (lexeme)
            cross join lateral (
              select p.chunks from knowledge_postings p
               where p.lexeme = w.lexeme collate "C" and p.namespace = $1
                 and (p.owner_id = any($2::uuid[]) or ($3 and not p.is_answers)) offset 0) p
            group by w.lexeme`,
    values: [namespace, owners, all !== false, stems],
  });
  const having = new Map(rows.map(({ lexeme, passages }) => [lexeme, passages]));
  return { passages: having.get('') ?? 0, having };
}
