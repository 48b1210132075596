import type { Callback, CallState } from '../carrier.ts';

/** Parses the forms of Plivo's webhooks. They do not contain the account. */
export function readPlivoCallback(form: URLSearchParams): Callback {
  return {
    accountId: undefined,
    callId: form.get('CallUUID') ?? '',
    parentCallId: form.get('DialALegUUID') ?? undefined,
    from: withPlus(form.get('From')),
    to: withPlus(form.get('To')),
    direction: DIRECTIONS.get(form.get('Direction') ?? ''),
    state: stateOf(form.get('CallStatus') ?? ''),
    isAnswered: form.get('DialAction') === 'answer',
    isMachine: form.get('Machine') === 'true',
    relayEnd: undefined,
    dialed: DIALED.get(form.get('DialStatus') ?? '') ?? 'failed',
  };
}

/** Adds the plus sign of E.164, which Plivo omits in most of its forms. */
export function withPlus(number: string | null): string | null {
  return number !== null && /^[1-9][0-9]{6,14}$/.test(number) ? `+${number}` : number;
}

export const withoutPlus = (number: string): string => number.replace(/^\+/, '');

const DIRECTIONS: ReadonlyMap<string, Callback['direction']> = new Map([
  ['inbound', 'inbound'],
  ['outbound', 'outbound'],
]);

const NO_ANSWER: CallState = { status: 'no_answer', reason: 'no_answer' };
const CANCELED: CallState = { status: 'canceled', reason: 'canceled' };

const STATES: ReadonlyMap<string, CallState> = new Map<string, CallState>([
  ['queued', 'live'],
  ['ringing', 'live'],
  ['in-progress', 'live'],
  ['completed', { status: 'completed', reason: 'user_hangup' }],
  ['busy', { status: 'busy', reason: 'busy' }],
  ['no-answer', NO_ANSWER],
  // Nobody answered while the number was ringing.
  ['timeout', NO_ANSWER],
  ['failed', { status: 'failed', reason: 'dial_failed' }],
  ['cancel', CANCELED],
  ['canceled', CANCELED],
]);

export function stateOf(status: string): CallState {
  return STATES.get(status);
}

const DIALED: ReadonlyMap<string, Callback['dialed']> = new Map([
  ['completed', 'answered'],
  ['busy', 'busy'],
  ['no-answer', 'no_answer'],
  ['timeout', 'no_answer'],
]);
