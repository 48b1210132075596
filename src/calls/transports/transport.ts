import type { Redacted, Redaction } from '../../conversations/redaction/redact.ts';
import type { CallRow, CallStatus, ClaimedCall } from '../calls.sql.ts';

/** An event of a call whose script produces its events. */
export type CallEvent =
  | { type: 'ringing' }
  /** A person or a machine answered; for a machine, `message_left` follows. */
  | { type: 'answered' }
  | { type: 'not_connected'; why: 'busy' | 'no_answer' | 'dial_failed' }
  /** A whole utterance of the user, and the redactions in it. */
  | { type: 'heard'; text: string; redacted?: Redacted | undefined }
  | { type: 'message_left' }
  | { type: 'hung_up' };

export type DueEvent = {
  event: CallEvent;
  /** Time until the next event, counted from the end of this one; null if none follows. */
  nextAfterMs: number | null;
};

/** State of a call at its carrier: `live`, or how it ended. `undefined` if the carrier does not report it. */
export type Became = 'live' | { status: CallStatus; reason: string } | undefined;

/**
 * Carries calls: the telephone network, a web page or a script. After a crash any request may be repeated for the same
 * call, so an implementation must not dial twice.
 */
export type Transport = {
  /** Returns the options as they may be stored until the call is played, with the user's words redacted. */
  keepable: (
    options: Record<string, unknown>,
    redact: (text: string) => Promise<Redaction>,
  ) => Promise<Record<string, unknown>>;
  /**
   * Dials. Resolves to the carrier's id of the call; undefined if the carrier reports the id later.
   * @throws DialRefused
   */
  place: (call: CallRow) => Promise<{ providerCallId: string | undefined }>;
  /** Returns the event of this step; undefined if no event follows. */
  eventAt: (call: Pick<ClaimedCall, 'providerOptions' | 'step'>) => DueEvent | undefined;
  /** Speaks the agent's words to the user. The words are stored already, and speaking is not retried. */
  say: (call: CallRow, text: string) => Promise<void>;
  /** Closes our side of a call that has ended. A closed line is not an error. Never fails. */
  hangUp: (call: CallRow) => Promise<void>;
  /** Asks the carrier for the state of a call. Never fails, and takes seconds at most. */
  ask: (call: CallRow) => Promise<Became>;
};

/** Returns the transport of a call. */
export type TransportOf = (call: Pick<CallRow, 'provider' | 'telephonyProviderId'>) => Transport;
