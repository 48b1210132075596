import { failpoint } from '../../failpoints.ts';
import { fromUuid } from '../../ids.ts';
import { ringTransfer } from '../acts/acts.sql.ts';
import { nobodyCame, somebodyCame } from '../acts/settle-transfer.ts';
import type { TransferStatus } from '../calls.sql.ts';
import { endingOf, isTransferred, settleCall } from '../settle-call.ts';
import { boundTo, connectAgain, contentOf } from './connect.ts';
import { pathsOf } from '../../carriers/carrier.ts';
import type { OfCall, VoiceDeps } from './voice-deps.ts';

/**
 * Responds to the carrier's request after the line was closed for a transfer. The response tells the carrier to ring
 * the number. Ignores a late request that belongs to an earlier transfer.
 */
export async function afterHandOff(deps: VoiceDeps, ofCall: OfCall): Promise<string> {
  const { call, account, sent } = ofCall;
  const { id, transfers, transferTo: to, status } = call;
  if (sent.after !== transfers - 1 || status !== 'transferring')
    return sent.carrier.answers.nothing;
  const callerId = call.direction === 'inbound' ? call.to : call.from;
  const { outbound } = account;
  // Since the transfer was requested, the TelephonyProvider may have lost its permission for outbound calls.
  if (!outbound || to === null || callerId === null) return backToAgent(deps, ofCall, 'failed');
  const { ringSec } = outbound;
  if (!(await ringTransfer(deps.pool, { id, transfers, ms: ringSec * 1_000 + TOLD_MS })))
    return sent.carrier.answers.goodbye();
  await failpoint('transfer.ringing');
  const paths = pathsOf(sent.carrier.type);
  const base = deps.baseUrl();
  const of = `?call=${fromUuid('call', id)}&transfer=${transfers}`;
  const answered = `${base}${paths.status}${of}`;
  return sent.carrier.answers.dial({
    to,
    callerId,
    ringSec,
    action: `${base}${paths.voice}${of}`,
    answered,
  });
}

/** Time in ms that the carrier has to report the result once the ringing has ended. */
const TOLD_MS = 30_000;

/**
 * Responds to the carrier's request after the number has rung. If somebody answered, the response ends the call.
 * Otherwise, the caller returns to the agent. A repeated request gets the same response.
 */
export async function afterDial(deps: VoiceDeps, ofCall: OfCall): Promise<string> {
  const { call, sent } = ofCall;
  const { callback, transfer } = sent;
  const became = callback.state ?? 'live';
  const { dialed } = callback;
  // A late request that belongs to an earlier transfer is ignored.
  if (transfer !== call.transfers) return sent.carrier.answers.nothing;
  const isWaiting = call.status === 'transferring';
  if (isTransferred(call) || (isWaiting && dialed === 'answered')) {
    await somebodyCame(deps, call, { isOver: true });
    return sent.carrier.answers.goodbye();
  }
  if (became !== 'live') {
    // The caller hung up while the number was ringing.
    await settleCall(deps, call, endingOf(call, became));
    return sent.carrier.answers.goodbye();
  }
  return backToAgent(deps, ofCall, dialed === 'answered' ? 'failed' : dialed);
}

async function backToAgent(
  deps: VoiceDeps,
  { call, sent }: OfCall,
  why: TransferStatus,
): Promise<string> {
  if (call.status === 'transferring') {
    const { language } = (await contentOf(deps, call, boundTo(call))) ?? {};
    await nobodyCame(deps, call, { why, language });
    await failpoint('transfer.back');
  }
  return connectAgain(deps, { call, carrier: sent.carrier });
}
