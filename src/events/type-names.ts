import { z } from 'zod';
import { flag } from '../platform/http/fields.ts';
import { EVENT_TYPES, isSubscribed, SUBSCRIPTIONS, type EventType } from './event-types.ts';

/**
 * Names of event types in requests. A name is a type, a group (`agent.*`) or `*` for all types, as in an endpoint's
 * `event_types`. Names are expanded to the types that they cover.
 */

const RULE = `must be one of ${EVENT_TYPES.join(', ')}, a group such as agent.*, or *`;

/** Query parameter to include test events, which are omitted by default (contract/events.md#test-events). */
export const withTests = flag.meta({
  description: 'If true, includes test events. Default: false.',
});

/** Schema of one name in a query. */
export const typeName = z
  .string()
  .max(100)
  .transform((name, context) => typesOf([name], context))
  .meta({
    description: 'Event type, group such as `agent.*`, or `*` for all.',
    example: 'agent.*',
  });

/** Schema of several names in a query, separated by commas. */
export const typeNameList = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const names = text.split(',').map((name) => name.trim());
    return typesOf(names, context);
  })
  .meta({
    description:
      'Event types and groups such as `agent.*`, separated by commas. Default: every type.',
    example: 'agent.published',
  });

/** Schema of a list of names in a body. */
export const typeNames = z
  .array(z.enum([...SUBSCRIPTIONS] as [string, ...string[]], RULE))
  .min(1)
  .max(SUBSCRIPTIONS.size)
  .transform((names) => meantBy(names));

function typesOf(names: readonly string[], context: z.RefinementCtx): EventType[] {
  if (names.every((name) => SUBSCRIPTIONS.has(name))) return meantBy(names);
  context.addIssue({ code: 'custom', message: RULE });
  return z.NEVER;
}

/** Returns the types that the names cover, without duplicates and in the order of EVENT_TYPES. */
function meantBy(names: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) => isSubscribed(names, type));
}
