import { z } from 'zod';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { phoneNumber } from '../../platform/resources/schema/field-types.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { Call, callView } from '../call.view.ts';
import { pressKeys } from './press-keys.ts';
import { transferCall, type ActDeps } from './transfer-call.ts';

const tag = 'Calls';
const params = { id: idParam('call', 'call') };

/** Returns the routes that transfer calls in progress and send DTMF tones (contract/calls.md). */
export function actRoutes(deps: ActDeps): Route[] {
  return [transferRoute(deps), keysRoute(deps)];
}

const TransferWrite = z
  .strictObject({
    to: phoneNumber.clone().meta({ example: '+442071838750' }).describe('E.164.'),
  })
  .describe('To whom.');

function transferRoute(deps: ActDeps): Route {
  return route({
    method: 'post',
    path: '/v1/calls/{id}/transfer',
    operationId: 'transferCall',
    tag,
    scope: 'write',
    summary: 'Give a call to another number',
    description:
      'Of a call in progress over a TelephonyProvider, to a number that this may call. What is being said is ' +
      'said to its end, for ten seconds at most; then the number is rung. When somebody picks up the ' +
      'conversation ends, and the call with the two of them; when nobody does, the caller is back with the agent.',
    params,
    body: { schema: TransferWrite },
    answers: { 202: { description: 'The call, whose `transfer` says how it goes.', schema: Call } },
    errors: ['call_ended', 'call_not_connected', 'call_transferring'],
    handle: async ({ answering, caller: { namespace }, params: { id }, body: { to } }) =>
      answering(
        (beforeCommit) => transferCall(deps, { namespace, id, to }, beforeCommit),
        (row) => ({ status: 202, body: callView(row) }),
      ),
  });
}

const KeysWrite = z
  .strictObject({
    digits: z
      .string()
      .min(1)
      .max(32)
      .regex(
        ...saying(
          /^[0-9*#A-Dw]+$/,
          'must be keys of a telephone: 0-9, *, #, A-D, and w for half a second of nothing',
        ),
      )
      .describe('0-9, *, #, A-D, and `w` for half a second of nothing.'),
  })
  .describe('Keys, in their order.');

function keysRoute(deps: ActDeps): Route {
  return route({
    method: 'post',
    path: '/v1/calls/{id}/dtmf',
    operationId: 'pressKeys',
    tag,
    scope: 'write',
    summary: 'Press keys',
    description:
      'Of a call in progress over a TelephonyProvider: its agent presses keys, after what it has said by then. ' +
      'They are in no transcript.',
    params,
    body: { schema: KeysWrite },
    answers: { 202: { description: 'The call.', schema: Call } },
    errors: ['call_ended', 'call_not_connected', 'call_transferring'],
    handle: async ({ answering, caller: { namespace }, params: { id }, body: { digits: keys } }) =>
      answering(
        (beforeCommit) => pressKeys(deps, { namespace, id, keys }, beforeCommit),
        (row) => ({ status: 202, body: callView(row) }),
      ),
  });
}
