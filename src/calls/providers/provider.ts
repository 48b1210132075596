import type { Redacted, Redaction } from '../../conversations/redaction/redact.ts';
import type { ClaimedCall, CallRow } from '../calls.sql.ts';

/** What happens on a line, whoever carries it. */
export type CallEvent =
  | { type: 'ringing' }
  /** Also by a machine: then a message is left. */
  | { type: 'answered' }
  | { type: 'not_connected'; why: 'busy' | 'no_answer' | 'dial_failed' }
  /** A whole utterance of the user, their turn; what was taken out of it before. */
  | { type: 'heard'; text: string; redacted?: Redacted | undefined }
  | { type: 'message_left' }
  | { type: 'hung_up' };

export type DueEvent = {
  event: CallEvent;
  /** When the next one is due, counted from the end of this one; null: none follows by itself. */
  nextAfterMs: number | null;
};

/**
 * What carries calls: the telephone network, or a script. After a crash anything may be asked again
 * for the same call: it must not dial twice.
 */
export type TelephonyProvider = {
  name: string;
  /** Its options as they may be kept until it is played: with what the user will say redacted. */
  keepable: (
    options: Record<string, unknown>,
    redact: (text: string) => Promise<Redaction>,
  ) => Promise<Record<string, unknown>>;
  /** Dials, or takes an incoming call. Resolves with the provider's own id of the call. */
  place: (call: CallRow) => Promise<{ providerCallId: string }>;
  /** What happens at this step of a call; undefined: nothing more happens by itself. */
  eventAt: (call: Pick<ClaimedCall, 'providerOptions' | 'step'>) => DueEvent | undefined;
  /** Speaks the agent's words to the user. They are stored already and are not repeated. */
  say: (call: CallRow, text: string) => Promise<void>;
  /** Closes our side of a call that has ended; a line that is closed already is no error. */
  hangUp: (call: CallRow) => Promise<void>;
};

/** By the name that a call's `provider` has. */
export type Providers = Readonly<Record<string, TelephonyProvider>>;
