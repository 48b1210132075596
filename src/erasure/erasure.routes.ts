import { z } from 'zod';
import { EVENT_TYPES } from '../events/event-types.ts';
import { fromUuid } from '../ids.ts';
import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { eraseConversation, type ErasureDeps } from './erase-conversation.ts';

const events = z
  .enum(['deliver', 'cancel'], 'must be one of deliver, cancel')
  .default('deliver')
  .describe(
    'What becomes of its events that are not delivered yet: they are sent without the words, ' +
      'user_id and metadata, or canceled.',
  );

const ErasedConversation = z
  .strictObject({
    id: z.string().meta({ description: 'conv_…' }),
    canceled_count: z.int().min(0).meta({ description: 'How many deliveries were canceled.' }),
    canceled: z
      .array(
        z.strictObject({
          event_id: z.string(),
          event_type: z.enum(EVENT_TYPES),
          delivery_id: z.string(),
          endpoint_id: z.string(),
        }),
      )
      .meta({ description: 'The first 1,000 of them, by event.' }),
  })
  .meta({ id: 'ErasedConversation', description: 'What its receivers will not be sent.' });

/** Serves the erasure of a conversation from everything that is stored (contract/conversations.md#erasure). */
export function eraseConversationRoute(deps: ErasureDeps): Route {
  return route({
    method: 'delete',
    path: '/v1/conversations/{id}',
    operationId: 'deleteConversation',
    tag: 'Conversations',
    scope: 'write',
    summary: 'Erase a conversation',
    description:
      'One that goes on is ended first. Its words are gone from everything that is stored, from ' +
      'events that were not delivered yet too; what was counted stays. An attempt that is under ' +
      'way may still bring them; its result does not count, and nothing of it is kept.',
    params: { id: idParam('conv', 'conversation') },
    query: { events },
    answers: {
      204: { description: 'It is gone; with `events=deliver`.' },
      200: {
        description: 'It is gone, and so are these deliveries; with `events=cancel`.',
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
