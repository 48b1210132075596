import { idParam } from '../platform/http/fields.ts';
import { route, type Route } from '../platform/http/route.ts';
import { eraseConversation, type ErasureDeps } from './erase-conversation.ts';

/** Taking a conversation out of everything that is stored (contract §4). */
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
      'events that were not delivered yet too; what was counted stays.',
    params: { id: idParam('conv', 'conversation') },
    answers: { 204: { description: 'It is gone.' } },
    handle: async ({ caller: { namespace, actor, requestId }, params: { id } }) => {
      await eraseConversation(deps, { namespace, id, actor, requestId });
      return { status: 204 };
    },
  });
}
