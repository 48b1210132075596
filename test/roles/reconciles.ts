import type { Engine } from './engine.ts';

/** How often a controller (`agent`) has looked at something so far, whatever came of it. */
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
