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
        `How long both secrets are live before they swap, and again after. Default ${OVERLAP_DEFAULT_SEC}.`,
      ),
    activate: z.boolean().optional().describe('True: the next secret signs from now on.'),
    cancel: z.boolean().optional().describe('True: the next secret is dropped before it signs.'),
  })
  .describe('Begins a rotation, or ends the first step of one.');

export function rotateSecretRoutes(deps: RotateSecretDeps): Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/webhooks/{id}/rotate_secret',
      operationId: 'rotateWebhookSecret',
      tag: 'Webhook endpoints',
      scope: 'write',
      summary: 'Give an endpoint another signing secret',
      description:
        'In two steps. At first `parley-signature` stays with the current secret and ' +
        '`parley-signature-next` carries the new one; when the overlap ends, or with `activate`, they ' +
        'swap: `parley-signature` is by the new one and `parley-signature-next` by the old one, for ' +
        'as long again; then the old one is gone. `webhook-signature` carries both all the while. ' +
        'With `overlap_sec: 0` the new one replaces the old one at once. A rotation that begins after ' +
        'a swap drops the old secret.',
      params: { id: idParam('we', 'webhook endpoint') },
      body: { schema: body, isOptional: true },
      answers: {
        200: { description: 'The endpoint, and the new secret.', schema: RotatedWebhookEndpoint },
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
  const detail = 'activate and cancel exclude each other';
  throw new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/cancel', code: 'invalid_value', detail }],
  });
}
