import type { Redacted, Redaction } from '../../conversations/redaction/redact.ts';
import type { CallRow, CallStatus, ClaimedCall } from '../calls.sql.ts';

/** What happens on a line that tells of it by its script. */
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

/** What became of a call, as its carrier says: it goes on, or how it ended; undefined: it does not say. */
export type Became = 'live' | { status: CallStatus; reason: string } | undefined;

/**
 * What carries calls: the telephone network, or a script. After a crash anything may be asked again
 * for the same call: it must not dial twice.
 */
export type Transport = {
  /** Its options as they may be kept until it is played: with what the user will say redacted. */
  keepable: (
    options: Record<string, unknown>,
    redact: (text: string) => Promise<Redaction>,
  ) => Promise<Record<string, unknown>>;
  /** Dials. Resolves with the carrier's own id of the call; undefined: it tells it later. @throws DialRefused */
  place: (call: CallRow) => Promise<{ providerCallId: string | undefined }>;
  /** What happens at this step of a call; undefined: nothing more happens by itself. */
  eventAt: (call: Pick<ClaimedCall, 'providerOptions' | 'step'>) => DueEvent | undefined;
  /** Speaks the agent's words to the user. They are stored already and are not repeated. */
  say: (call: CallRow, text: string) => Promise<void>;
  /** Closes our side of a call that has ended; a line that is closed already is no error. Never fails. */
  hangUp: (call: CallRow) => Promise<void>;
  /** Never fails, and takes seconds at most. */
  ask: (call: CallRow) => Promise<Became>;
};

/** Who carries a call. */
export type TransportOf = (call: Pick<CallRow, 'provider' | 'telephonyProviderId'>) => Transport;
