import { CHANNELS, type Notifier } from './notifications.ts';

/**
 * A declared thing whose row has changed. `resource`: what readers of changes know its kind by (contract/events.md). `id`:
 * uuid of the row.
 */
export type Projected = { resource: string; namespace: string; id: string };

/**
 * After the commit: the row of a declared thing is another, or gone. It is told with its namespace, so
 * that nobody has to look for a row that may not be there any more. `others`: what else its listeners
 * know it by.
 */
export function tellProjected(
  { notifier }: { notifier: Pick<Notifier, 'notify'> },
  { resource, namespace, id }: Projected,
  others: readonly string[] = [],
): void {
  notifier.notify(CHANNELS.projected, [...others, `${resource}/${namespace}/${id}`]);
}

/** Returns undefined for anything else in the payload, such as a uid. */
export function readProjected(item: string): Projected | undefined {
  const [resource, namespace, id, ...rest] = item.split('/');
  if (!resource || !namespace || !id || rest.length > 0) return undefined;
  return { resource, namespace, id };
}
