import type { EmbeddingModel } from '../../models/embeddings/embedder.ts';
import type { EmbeddingsRow, OwnerToEmbed } from './knowledge-embeddings.sql.ts';

/** What an owner is to be embedded with; null: nothing, for now or at all. */
export type Wanted = { owner: OwnerToEmbed; model: EmbeddingModel | null };

export type Plan = {
  /** Owners without a row of what they are to be embedded with. */
  missing: { owner: OwnerToEmbed; model: EmbeddingModel }[];
  /** Rows to work on, with what their owner's passages are known by now. */
  due: { row: EmbeddingsRow; mark: string }[];
  /** Rows that serve nobody. */
  over: number[];
};

/**
 * What there is to do. Another model's vectors go once those that are wanted are complete; until then
 * they serve if they were complete themselves.
 */
export function planEmbeddings(wanted: readonly Wanted[], rows: readonly EmbeddingsRow[]): Plan {
  const byOwner = Map.groupBy(rows, ({ ownerId }) => ownerId);
  const plan: Plan = { missing: [], due: [], over: [] };
  for (const { owner, model } of wanted) {
    const own = byOwner.get(owner.ownerId) ?? [];
    byOwner.delete(owner.ownerId);
    // A provider that is gone for a moment: what it has made goes on being of use.
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
