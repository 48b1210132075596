import { somebodyCame } from '../acts/settle-transfer.ts';
import { readCallById, type CallRow } from '../calls.sql.ts';
import { noteRinging, readByCarrier } from '../lines/lines.sql.ts';
import { endingOf, settleCall } from '../settle-call.ts';
import type { Account } from '../providers/find-account.ts';
import { requireSigned, signedFor } from './authenticate.ts';
import { isOf } from './answer-voice.ts';
import { closeMailbox, hasVoicemail, noteMachine } from './machine.ts';
import type { SentOfCall, VoiceDeps } from './voice-deps.ts';

/**
 * Handles a carrier's report about a call. Late and repeated reports do not change a call that has ended. Carriers also
 * report here that an answering machine has answered an outbound call.
 * @throws ApiError invalid_signature, rate_limited
 */
export async function noteStatus(deps: VoiceDeps, sent: SentOfCall): Promise<string> {
  const nothing = sent.carrier.answers.noted;
  if (sent.transfer !== undefined) {
    await notePickUp(deps, sent);
    return nothing;
  }
  const { account, call } = await callOf(deps, sent);
  if (!call) return nothing;
  const { callId: providerCallId, state: became } = sent.callback;
  const isOver = became !== 'live' && became !== undefined;
  if (call.endedAt !== null) {
    // The call ended before the carrier's ID for it was known, so the carrier has not been asked to hang up yet.
    const isUnheard = became === 'live' && call.providerCallId === null;
    if (isUnheard) await deps.transportOf(call).hangUp({ ...call, providerCallId });
    // The machine hung up before the voicemail message was spoken, so the conversation ends without it.
    if (hasVoicemail(call) && isOver) await closeMailbox(deps, call);
    return nothing;
  }
  if (call.direction === 'outbound' && sent.callback.isMachine) {
    await noteMachine(deps, call, account);
    if (isOver) await closeMailbox(deps, call);
    return nothing;
  }
  if (became === 'live') await noteRinging(deps.pool, { id: call.id, providerCallId });
  else if (became !== undefined) await settleCall(deps, call, endingOf(call, became));
  return nothing;
}

/** Records that somebody answered a transfer. The carrier treats the connection to that person as a separate call. */
async function notePickUp(deps: VoiceDeps, sent: SentOfCall): Promise<void> {
  const call = sent.callId === undefined ? undefined : await readCallById(deps.pool, sent.callId);
  const account = call?.telephonyProviderId && (await deps.accounts.byId(call.telephonyProviderId));
  await requireSigned(deps, account || undefined, sent);
  const { isAnswered, parentCallId } = sent.callback;
  const isItsOwn = call !== undefined && call.providerCallId === (parentCallId ?? null);
  const isWaiting = call?.transferStatus === 'ringing' && call.transfers === sent.transfer;
  if (call && isAnswered && isItsOwn && isWaiting)
    await somebodyCame(deps, call, { isOver: false });
}

type Told = { account: Account; call: CallRow | undefined };

/** Finds the account and the call that a report is about. In the result, `call` is undefined if the call is unknown. */
async function callOf(deps: VoiceDeps, sent: SentOfCall): Promise<Told> {
  if (sent.callId === undefined) {
    const { account } = await signedFor(deps, sent);
    const providerCallId = sent.callback.callId;
    const key = { telephonyProviderId: account.id, providerCallId };
    return { account, call: await readByCarrier(deps.pool, key) };
  }
  const call = await readCallById(deps.pool, sent.callId);
  const found = call?.telephonyProviderId && (await deps.accounts.byId(call.telephonyProviderId));
  const account = await requireSigned(deps, found || undefined, sent);
  return { account, call: call && isOf(call, sent) ? call : undefined };
}
