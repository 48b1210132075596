import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { fromUuid } from '../ids.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { eraseConversation, type ErasureDeps } from './erase-conversation.ts';

/** Query parameter that decides what happens to undelivered events. */
export const undeliveredEvents = z
  .enum(['deliver', 'cancel'], 'must be one of deliver, cancel')
  .default('deliver')
  .describe(
    'What happens to undelivered events about an erased conversation. `deliver` sends them without the ' +
      'text, `user_id` and `metadata` of the conversation. `cancel` cancels their deliveries.',
  );

const ErasedConversation = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the conversation, `conv_…`.' }),
    canceled_count: z.int().min(0).meta({ description: 'Number of canceled webhook deliveries.' }),
    canceled: z
      .array(
        z.strictObject({
          event_id: z.string(),
          event_type: z.enum(EVENT_TYPES),
          delivery_id: z.string(),
          endpoint_id: z.string(),
        }),
      )
      .meta({ description: 'The first 1,000 canceled deliveries, ordered by event.' }),
  })
  .meta({
    id: 'ErasedConversation',
    description: 'An erased conversation and its canceled deliveries.',
  });

/** Returns the route that erases a conversation from all stored data (contract/conversations.md#erasure). */
export function eraseConversationRoute(deps: ErasureDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/conversations/{id}',
    operationId: 'deleteConversation',
    tag: 'Conversations',
    scope: 'write',
    summary: 'Erase a conversation',
    description:
      'Ends the conversation first if it is active. Removes its text from all stored data, including ' +
      'undelivered events. The times, counts and outcome of the conversation remain. A delivery ' +
      'attempt in progress may still send the text; its result is discarded.',
    params: { id: idParam('conv', 'conversation') },
    query: { events: undeliveredEvents },
    answers: {
      204: { description: 'The conversation is erased (`events=deliver`).' },
      200: {
        description:
          'The conversation is erased and these deliveries are canceled (`events=cancel`).',
        schema: ErasedConversation,
      },
    },
    handle: async ({ caller, params: { id }, query }) => {
      const { canceled, canceledCount } = await eraseConversation(deps, caller, {
        id,
        events: query.events,
      });
      if (query.events === 'deliver') return { status: 204 };
      const body: z.output<typeof ErasedConversation> = {
        id: fromUuid('conv', id),
        canceled_count: canceledCount,
        canceled: canceled.map((one) => ({
          event_id: fromUuid('evt', one.eventId),
          event_type: one.eventType,
          delivery_id: fromUuid('dlv', one.deliveryId),
          endpoint_id: fromUuid('we', one.endpointId),
        })),
      };
      return { status: 200, body };
    },
  });
}
