import type { Became } from '../../transports/transport.ts';

/** What Twilio calls the states of a call. */
const BECAME: Record<string, Became> = {
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
export function becameOf(status: string): Became {
  return Object.hasOwn(BECAME, status) ? BECAME[status] : undefined;
}
