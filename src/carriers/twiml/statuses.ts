import type { CallState } from '../dialect.ts';

/** What Twilio calls the states of a call. */
const BECAME: Record<string, CallState> = {
  queued: 'live',
  initiated: 'live',
  ringing: 'live',
  'in-progress': 'live',
  answered: 'live',
  completed: { status: 'completed', reason: 'user_hangup' },
  busy: { status: 'busy', reason: 'busy' },
  'no-answer': { status: 'no_answer', reason: 'no_answer' },
  failed: { status: 'failed', reason: 'dial_failed' },
  canceled: { status: 'canceled', reason: 'canceled' },
};

/** undefined: no state that we know. */
export function becameOf(status: string): CallState {
  return Object.hasOwn(BECAME, status) ? BECAME[status] : undefined;
}
