import { CHANNELS, type Notifier } from './notifications.ts';

/**
 * A declared object whose row (its "projection") has changed. `resource` is the name of its kind in change events
 * (contract/events.md). `id` is the UUID of the row.
 */
export type Projected = { resource: string; namespace: string; id: string };

/**
 * Notifies other processes that the row of a declared object was changed or removed. Must be called after the commit.
 * The message includes the namespace, because listeners cannot read it from a removed row. `others` contains other
 * payload items by which listeners recognize the object, such as its uid.
 */
export function tellProjected(
  { notifier }: { notifier: Pick<Notifier, 'notify'> },
  projected: Projected,
  others: readonly string[] = [],
): void {
  notifier.notify(CHANNELS.projected, [...others, projectedItem(projected)]);
}

/** Returns the payload item for a row. `readProjected` parses it. */
export const projectedItem = ({ resource, namespace, id }: Projected): string =>
  `${resource}/${namespace}/${id}`;

/** Parses an item in a payload. Returns undefined for an item in a different form, such as a uid. */
export function readProjected(item: string): Projected | undefined {
  const [resource, namespace, id, ...rest] = item.split('/');
  if (!resource || !namespace || !id || rest.length > 0) return undefined;
  return { resource, namespace, id };
}
