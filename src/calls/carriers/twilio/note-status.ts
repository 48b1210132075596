import { somebodyCame } from '../../acts/settle-transfer.ts';
import { readCallById, type CallRow } from '../../calls.sql.ts';
import { noteRinging, readByCarrier } from '../../lines/lines.sql.ts';
import { endingOf, settleCall } from '../../lines/settle-call.ts';
import { requireSigned, signedFor } from './authenticate.ts';
import type { SentOfCall, VoiceDeps } from './answer-voice.ts';
import { becameOf } from './statuses.ts';
import { EMPTY_TWIML } from './twiml.ts';

/**
 * What the carrier tells of a call. A call that is over stays as it is, so that what comes late or twice
 * changes nothing. Returns TwiML that says nothing.
 * @throws ApiError invalid_signature, rate_limited
 */
export async function noteStatus(deps: VoiceDeps, sent: SentOfCall): Promise<string> {
  if (sent.transfer !== undefined) return notePickUp(deps, sent);
  const call = await callOf(deps, sent);
  const status = sent.form.get('CallStatus') ?? '';
  const became = becameOf(status);
  if (!call || call.endedAt !== null || became === undefined) return EMPTY_TWIML;
  if (became === 'live') {
    const providerCallId = sent.form.get('CallSid') ?? '';
    if (status === 'ringing') await noteRinging(deps.pool, { id: call.id, providerCallId });
    return EMPTY_TWIML;
  }
  await settleCall(deps, call, endingOf(call, became));
  return EMPTY_TWIML;
}

/** Somebody has picked up at the number that a call of ours is transferred to: theirs is a call of its own. */
async function notePickUp(deps: VoiceDeps, sent: SentOfCall): Promise<string> {
  const call = sent.callId === undefined ? undefined : await readCallById(deps.pool, sent.callId);
  const account = call?.telephonyProviderId && (await deps.accounts.byId(call.telephonyProviderId));
  await requireSigned(deps, account || undefined, sent);
  const isPickUp = ['in-progress', 'answered'].includes(sent.form.get('CallStatus') ?? '');
  const isItsOwn = call?.providerCallId === sent.form.get('ParentCallSid');
  const isWaiting = call?.transferStatus === 'ringing' && call.transfers === sent.transfer;
  if (call && isPickUp && isItsOwn && isWaiting) await somebodyCame(deps, call, { isOver: false });
  return EMPTY_TWIML;
}

/** undefined: we know no such call. */
async function callOf(deps: VoiceDeps, sent: SentOfCall): Promise<CallRow | undefined> {
  const providerCallId = sent.form.get('CallSid') ?? '';
  if (sent.callId === undefined) {
    const { account } = await signedFor(deps, sent);
    return readByCarrier(deps.pool, { telephonyProviderId: account.id, providerCallId });
  }
  const call = await readCallById(deps.pool, sent.callId);
  const account = call?.telephonyProviderId && (await deps.accounts.byId(call.telephonyProviderId));
  await requireSigned(deps, account || undefined, sent);
  const isItsOwn = call?.providerCallId === null || call?.providerCallId === providerCallId;
  return isItsOwn ? call : undefined;
}
