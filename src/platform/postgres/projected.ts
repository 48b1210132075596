import { CHANNELS, type Notifier } from './notifications.ts';

/**
 * Declared object whose row has changed. `resource` is the name of its kind for readers of changes
 * (contract/events.md). `id` is the uuid of the row.
 */
export type Projected = { resource: string; namespace: string; id: string };

/**
 * Announces after the commit that the row of a declared object has changed or is gone. The message includes the
 * namespace, so that listeners need not look up a row that may no longer exist. `others` are further ids under which
 * listeners know the resource.
 */
export function tellProjected(
  { notifier }: { notifier: Pick<Notifier, 'notify'> },
  { resource, namespace, id }: Projected,
  others: readonly string[] = [],
): void {
  notifier.notify(CHANNELS.projected, [...others, `${resource}/${namespace}/${id}`]);
}

/** Returns undefined for any other item of a payload, such as a uid. */
export function readProjected(item: string): Projected | undefined {
  const [resource, namespace, id, ...rest] = item.split('/');
  if (!resource || !namespace || !id || rest.length > 0) return undefined;
  return { resource, namespace, id };
}
