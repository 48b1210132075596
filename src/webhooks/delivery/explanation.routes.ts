import { z } from 'zod';
import { fromUuid } from '../../ids.ts';
import { explainDelivery, REASONS } from './explain-delivery.ts';
import { idParam, idValue } from '../../platform/http/params.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { unixSecOrNull, unixTime } from '../../platform/http/time.ts';

export type ExplanationRoutesDeps = Parameters<typeof explainDelivery>[0];

const Explanation = z
  .strictObject({
    event_id: z.string(),
    endpoint_id: z.string(),
    reason: z.enum(REASONS),
    detail: z.string().meta({ description: 'What happened and what to do, for people.' }),
    delivery_id: z.string().nullable().meta({ description: 'The delivery it is about.' }),
    next_attempt_at: unixTime.nullable(),
  })
  .meta({ id: 'Explanation', description: 'Why an event did not arrive, or that it did.' });

/** Why an event has not got to an endpoint. */
export function explanationRoutes(deps: ExplanationRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/v1/events/{id}/explanation',
      operationId: 'explainDelivery',
      tag: 'Events',
      scope: 'read',
      summary: 'Why an event has not got to an endpoint',
      params: { id: idParam('evt', 'event') },
      query: { endpoint_id: idValue('we') },
      answers: { 200: { description: 'The reason.', schema: Explanation } },
      handle: async ({ caller: { namespace }, params: { id }, query: { endpoint_id } }) => {
        const why = await explainDelivery(deps, { namespace, id, endpointId: endpoint_id });
        return {
          status: 200,
          body: {
            event_id: fromUuid('evt', id),
            endpoint_id: fromUuid('we', endpoint_id),
            reason: why.reason,
            detail: why.detail,
            delivery_id: why.deliveryId === null ? null : fromUuid('dlv', why.deliveryId),
            next_attempt_at: unixSecOrNull(why.nextAttemptAt),
          },
        };
      },
    }),
  ];
}
