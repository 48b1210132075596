import { z } from 'zod';
import { idParam } from '../../platform/http/fields.ts';
import { route, type Route } from '../../platform/http/route.ts';
import { phoneNumber } from '../../platform/resources/schema/field-types.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';
import { Call, callView } from '../call.view.ts';
import { transferCall, notConnected, requireConnected, type ActDeps } from './transfer-call.ts';
import { found } from '../../errors.ts';
import { inOneCommit, noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';
import { readCall, type CallRow } from '../calls.sql.ts';
import { addKeys, KEYS_WAITING_MAX } from './acts.sql.ts';

const tag = 'Calls';
const params = { id: idParam('call', 'call') };

/** Returns the routes that transfer calls in progress and send DTMF tones (contract/calls.md). */
export function actRoutes(deps: ActDeps): Route[] {
  return [transferRoute(deps), keysRoute(deps)];
}

const TransferWrite = z
  .strictObject({
    to: phoneNumber
      .clone()
      .meta({ example: '+442071838750' })
      .describe('Telephone number in E.164 format.'),
  })
  .describe('The number to transfer the call to.');

function transferRoute(deps: ActDeps): Route {
  return route({
    method: 'post',
    path: '/v1/calls/{id}/transfer',
    operationId: 'transferCall',
    tag,
    scope: 'write',
    summary: 'Transfer a call to another number',
    description:
      'The call must be in progress through a TelephonyProvider that may call the number. The agent finishes its ' +
      'sentence within ten seconds, and then the number rings. If somebody answers, the ' +
      'conversation ends and the caller talks with that person. If nobody does, the caller returns to the agent.',
    params,
    body: { schema: TransferWrite },
    answers: { 202: { description: 'The call. `transfer` shows the progress.', schema: Call } },
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
          'must contain only telephone keys (0-9, *, #, A-D) and w for a pause of half a second',
        ),
      )
      .describe('Keys to press.'),
  })
  .describe('The keys to press, in order.');

function keysRoute(deps: ActDeps): Route {
  return route({
    method: 'post',
    path: '/v1/calls/{id}/dtmf',
    operationId: 'pressKeys',
    tag,
    scope: 'write',
    summary: 'Send DTMF tones',
    description:
      'The call must be in progress through a TelephonyProvider. The tones are sent once the agent has ' +
      'finished speaking. ' +
      'Transcripts do not contain the keys.',
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

/**
 * Sends DTMF tones in a call. The process that owns the call's line sends them, at most once: if that process is
 * killed, no other process repeats them.
 * @throws ApiError not_found, call_ended, call_not_connected, call_transferring
 */
async function pressKeys(
  deps: Pick<ActDeps, 'pool' | 'accounts' | 'wakeLine'>,
  asked: { namespace: string; id: string; keys: string },
  beforeCommit: CommitHook<CallRow> = noCommitHook,
): Promise<CallRow> {
  const call = found(await readCall(deps.pool, asked), 'call');
  await requireConnected(deps, call);
  const pressing = await inOneCommit(deps.pool, beforeCommit, async (db) => {
    const row = await addKeys(db, asked);
    if (row) return row;
    throw notConnected(
      `The call changed during this request, or more than ${KEYS_WAITING_MAX} keys would be ` +
        'waiting. Read the call again.',
    );
  });
  deps.wakeLine(call.id);
  return pressing;
}
