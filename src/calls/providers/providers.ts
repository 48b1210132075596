import type { ClaimedCall, CallRow } from '../calls.sql.ts';
import { simulated } from './simulated.ts';

/** What happens on a line, whoever carries it. */
export type CallEvent =
  | { type: 'ringing' }
  /** A machine answers, too: then a message is left. */
  | { type: 'answered' }
  | { type: 'not_connected'; why: 'busy' | 'no_answer' | 'dial_failed' }
  /** A whole utterance of the user, their turn. */
  | { type: 'heard'; text: string }
  | { type: 'message_left' }
  | { type: 'hung_up' };

export type DueEvent = {
  event: CallEvent;
  /** When the following one is due, counted from when this one is done; null: none follows by itself. */
  nextAfterMs: number | null;
};

/**
 * Whoever carries calls: the telephone network, or a script. Everything it does for a call may be
 * asked again after a crash, with the same call: it must not dial twice.
 */
export type TelephonyProvider = {
  name: string;
  /** Dials, or takes an incoming call. Resolves with the provider's own id of the call. */
  place: (call: CallRow) => Promise<{ providerCallId: string }>;
  /** What happens at this step of a call; undefined: nothing more does by itself. */
  eventAt: (call: Pick<ClaimedCall, 'providerOptions' | 'step'>) => DueEvent | undefined;
  /** The agent says something to the user. What was said is stored already, and not said again. */
  say: (call: CallRow, text: string) => Promise<void>;
  /** From our side, when the call has ended; a line that is closed already is no error. */
  hangUp: (call: CallRow) => Promise<void>;
};

/** By the name that a call's `provider` has. */
export type Providers = Readonly<Record<string, TelephonyProvider>>;

export const PROVIDERS: Providers = { [simulated.name]: simulated };
