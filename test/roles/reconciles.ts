import type { Engine } from './engine.ts';

/** Returns how often a controller (`agent`) has reconciled anything so far, whatever the result. */
export async function countReconciles(
  { metrics }: Pick<Engine, 'metrics'>,
  controller: string,
): Promise<number> {
  const metric = /controller_runtime_reconcile_total\{[^}]*controller="(\w+)"[^}]*\} (\d+)/g;
  const counts = [...(await metrics.render()).matchAll(metric)];
  return counts
    .filter(([, name]) => name === controller)
    .reduce((sum, [, , count]) => sum + Number(count), 0);
}
