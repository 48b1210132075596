import { listDocuments, type DocumentRow } from './knowledge-documents.sql.ts';
import {
  listSources,
  readSourceText,
  type KnowledgeSourceRow,
  type SourceFilter,
} from './knowledge-sources.sql.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { requireSource } from './write-source.ts';

export type { DocumentRow };

type Deps = { pool: Pool };

/** Newest first; one row more than `limit` tells that there is another page. */
export function listSourcePage(
  { pool }: Deps,
  page: { namespace: string; before: string | null; limit: number; filter: SourceFilter },
): Promise<KnowledgeSourceRow[]> {
  return listSources(pool, page);
}

/** The source with its text; null of other types. @throws ApiError not_found */
export async function readWholeSource(
  deps: Deps,
  key: { namespace: string; id: string },
): Promise<{ source: KnowledgeSourceRow; text: string | null }> {
  const source = await requireSource(deps, key);
  return { source, text: await readSourceText(deps.pool, source.id) };
}

/** @throws ApiError not_found */
export async function listDocumentPage(
  deps: Deps,
  page: { namespace: string; sourceId: string; before: string | null; limit: number },
): Promise<DocumentRow[]> {
  const { id } = await requireSource(deps, { namespace: page.namespace, id: page.sourceId });
  return listDocuments(deps.pool, { ...page, sourceId: id });
}
