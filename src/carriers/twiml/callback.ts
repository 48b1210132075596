import type { Callback } from '../carrier.ts';
import { stateOf } from './statuses.ts';

/** Parses the forms of Twilio's webhooks, which Telnyx also uses. */
export function readTwimlCallback(form: URLSearchParams): Callback {
  const status = form.get('CallStatus') ?? '';
  return {
    accountId: form.get('AccountSid') ?? '',
    callId: form.get('CallSid') ?? '',
    parentCallId: form.get('ParentCallSid') ?? undefined,
    from: form.get('From'),
    to: form.get('To'),
    direction: directionOf(form.get('Direction')),
    state: stateOf(status),
    isAnswered: ['in-progress', 'answered'].includes(status),
    isMachine: /^(machine|fax)/.test(form.get('AnsweredBy') ?? ''),
    relayEnd: relayEndOf(form.get('SessionStatus')),
    dialed: DIALED.get(form.get('DialCallStatus') ?? '') ?? 'failed',
  };
}

const DIALED: ReadonlyMap<string, Callback['dialed']> = new Map([
  ['completed', 'answered'],
  ['answered', 'answered'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
]);

function directionOf(direction: string | null): Callback['direction'] {
  if (direction === null) return undefined;
  return direction.startsWith('outbound') ? 'outbound' : 'inbound';
}

function relayEndOf(status: string | null): Callback['relayEnd'] {
  if (status === null) return undefined;
  return status === 'failed' ? 'failed' : 'ended';
}
