import type { EmbeddingModel } from '../../models/embeddings/embedder.ts';
import type { EmbeddingsRow, OwnerToEmbed } from './knowledge-embeddings.sql.ts';

/** An owner and the model to embed it with, or `null` without a model at present. */
export type Wanted = { owner: OwnerToEmbed; model: EmbeddingModel | null };

export type Plan = {
  /** Owners that need a row for their model. */
  missing: { owner: OwnerToEmbed; model: EmbeddingModel }[];
  /** Rows to work on, with the current mark of their owner. */
  due: { row: EmbeddingsRow; mark: string }[];
  /** Rows to delete. */
  over: number[];
};

/**
 * Returns the work to do. Vectors of another model are deleted once those of the wanted model are complete. Until then
 * searches use them if they were complete themselves.
 */
export function planEmbeddings(wanted: readonly Wanted[], rows: readonly EmbeddingsRow[]): Plan {
  const byOwner = Map.groupBy(rows, ({ ownerId }) => ownerId);
  const plan: Plan = { missing: [], due: [], over: [] };
  for (const { owner, model } of wanted) {
    const own = byOwner.get(owner.ownerId) ?? [];
    byOwner.delete(owner.ownerId);
    // The provider may be unavailable temporarily, so its vectors stay in use.
    if (model === null) continue;
    const row = own.find((one) => isOf(one, model));
    if (!row) plan.missing.push({ owner, model });
    else if (row.isDue && row.mark !== owner.mark) plan.due.push({ row, mark: owner.mark });
    const others = own.filter((one) => one !== row && (row?.isComplete || !one.isComplete));
    plan.over.push(...others.map(({ id }) => id));
  }
  plan.over.push(...[...byOwner.values()].flat().map(({ id }) => id));
  return plan;
}

function isOf(row: EmbeddingsRow, model: EmbeddingModel): boolean {
  return (
    row.provider === model.provider &&
    row.model === model.model &&
    row.dimensions === (model.dimensions ?? 0)
  );
}
