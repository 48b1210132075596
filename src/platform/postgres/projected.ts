import { CHANNELS, type Notifier } from './notifications.ts';

/** What is declared, as a reader of changes knows it (contract §4, event stream). */
const DECLARED_RESOURCES = [
  'agents',
  'webhooks',
  'knowledge_sources',
  'model_providers',
  'telephony_providers',
] as const;
export type DeclaredResource = (typeof DECLARED_RESOURCES)[number];

/** `id`: uuid of the row. */
export type Projected = { resource: DeclaredResource; namespace: string; id: string };

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

/** Undefined: it is something else that was told, such as a uid. */
export function readProjected(item: string): Projected | undefined {
  const [name, namespace = '', id = ''] = item.split('/');
  const resource = DECLARED_RESOURCES.find((one) => one === name);
  return resource && { resource, namespace, id };
}
