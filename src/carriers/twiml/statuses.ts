import { z } from 'zod';
import type { CarrierAnswer } from '../ask-carrier.ts';
import type { CallState } from '../carrier.ts';

/** Call states, by Twilio's names for them. */
const STATES: Record<string, CallState> = {
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

/** Returns the state for one of Twilio's names, or undefined for an unknown name. */
export function stateOf(status: string): CallState {
  return Object.hasOwn(STATES, status) ? STATES[status] : undefined;
}

const Listed = z.object({
  calls: z.array(z.object({ sid: z.string(), date_created: z.string().nullish() })),
});

/**
 * Returns the ID of the first call in a list that was created since `sinceMs`, if any.
 * @throws Error if the response is not a list of calls
 */
export function sidSince({ body }: CarrierAnswer, sinceMs: number): string | undefined {
  const isLate = (made: string | null | undefined): boolean =>
    made === null || made === undefined || Date.parse(made) >= sinceMs - 1_000;
  return Listed.parse(body).calls.find(({ date_created }) => isLate(date_created))?.sid;
}

const Read = z.object({ status: z.string() });

/** Returns the carrier's name for the state of a call, or undefined if the response does not contain one. */
export function statusIn({ status, body }: CarrierAnswer): string | undefined {
  const read = Read.safeParse(body);
  return status === 200 && read.success ? read.data.status : undefined;
}
