import { z } from 'zod';
import { ApiError } from '../../errors.ts';
import { OVERLAP_DEFAULT_SEC, rotateSecret, type RotateSecretDeps } from './rotate-secret.ts';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { endpointTag, endpointView, RotatedWebhookEndpoint } from './endpoint.view.ts';

const body = z
  .strictObject({
    overlap_sec: z
      .int()
      .min(0)
      .max(604_800)
      .optional()
      .describe(
        'Duration of each of the two steps of the rotation, in seconds. Default: ' +
          `${OVERLAP_DEFAULT_SEC}.`,
      ),
    activate: z
      .boolean()
      .optional()
      .describe('If true, the next secret signs `parley-signature` from now on.'),
    cancel: z
      .boolean()
      .optional()
      .describe('If true, the next secret is discarded before it signs `parley-signature`.'),
  })
  .describe(
    'Starts a rotation. With `activate` or `cancel`, ends the first step of the current rotation.',
  );

export function rotateSecretRoutes(deps: RotateSecretDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/webhooks/{id}/rotate_secret',
      operationId: 'rotateWebhookSecret',
      tag: 'Webhook endpoints',
      scope: 'write',
      summary: 'Rotate the signing secret of an endpoint',
      description:
        'A rotation has two steps. First, `parley-signature` uses the current secret and ' +
        '`parley-signature-next` the new one. When the overlap ends, or on a request with ' +
        '`activate`, the secrets swap roles for another period of the same length: ' +
        '`parley-signature` uses the new secret and `parley-signature-next` the old one. Then ' +
        'the old secret is deleted. `webhook-signature` contains both signatures during the ' +
        'whole rotation. `overlap_sec: 0` replaces the old secret immediately. If another rotation ' +
        'starts after the swap, the old secret is deleted immediately.',
      params: { id: idParam('we', 'webhook endpoint') },
      body: { schema: body, isOptional: true },
      answers: {
        200: { description: 'The endpoint and the new secret.', schema: RotatedWebhookEndpoint },
      },
      etag: true,
      errors: [
        'precondition_failed',
        'managed_secret',
        'rotation_in_progress',
        'no_rotation',
        'write_conflict',
      ],
      handle: async ({ answering, plan, precondition, caller, params: { id }, body: asked }) => {
        const by = { namespace: caller.namespace, by: caller, plan, precondition };
        const input = { ...by, id, overlapSec: asked.overlap_sec, step: stepOf(asked) };
        return answering(
          (beforeCommit) => rotateSecret(deps, input, beforeCommit),
          ({ endpoint, secret }) => ({
            status: 200,
            headers: { ETag: endpointTag(endpoint) },
            body: { ...endpointView(endpoint), ...(secret !== undefined && { secret }) },
          }),
        );
      },
    }),
  ];
}

function stepOf({ activate, cancel }: z.output<typeof body>): 'begin' | 'activate' | 'cancel' {
  if (activate !== true) return cancel === true ? 'cancel' : 'begin';
  if (cancel !== true) return 'activate';
  const detail = '`activate` and `cancel` cannot both be true';
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/cancel', code: 'invalid_value', detail }],
  });
}
