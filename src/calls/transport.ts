import type { Redacted, Redaction } from '../conversations/redaction/redact.ts';
import type { CallRow, CallStatus } from './calls.sql.ts';
import type { ClaimedCall } from './claims.sql.ts';

/**
 * Event of a call. A simulated call produces all of its events from its script. A carrier call produces only `ringing`,
 * on which the carrier is requested to dial.
 */
export type CallEvent =
  | { type: 'ringing' }
  /** A person or an answering machine has answered. For a machine, `message_left` follows. */
  | { type: 'answered' }
  | { type: 'not_connected'; why: 'busy' | 'no_answer' | 'dial_failed' }
  /** The user said `text`, a whole utterance. `redacted` lists the redactions made in it. */
  | { type: 'heard'; text: string; redacted?: Redacted | undefined }
  | { type: 'message_left' }
  | { type: 'hung_up' };

export type DueEvent = {
  event: CallEvent;
  /** Time until the next event, counted from the end of this event; null if none follows. */
  nextAfterMs: number | null;
};

/** State of a call at its carrier: `live`, or how the call ended. Undefined if the carrier does not report it. */
export type Became = 'live' | { status: CallStatus; reason: string } | undefined;

/**
 * Transport of calls: the telephone network, a web page or a script. After a crash, any function may be called again
 * for the same call, so an implementation must not dial twice.
 */
export type Transport = {
  /** Returns the options as they may be stored until the call takes place, with the user's words redacted. */
  keepable: (
    options: Record<string, unknown>,
    redact: (text: string) => Promise<Redaction>,
  ) => Promise<Record<string, unknown>>;
  /**
   * Dials. Resolves to the carrier's id of the call, which is undefined if the carrier reports the id later.
   * @throws DialRefused
   */
  place: (call: CallRow) => Promise<{ providerCallId: string | undefined }>;
  /** Returns the event of the current step, or undefined after the last one. */
  eventAt: (call: Pick<ClaimedCall, 'providerOptions' | 'step'>) => DueEvent | undefined;
  /**
   * Speaks a text of the agent to the user. The text is already in the transcript and stays there even if the user does
   * not hear it. A failure is not retried.
   */
  say: (call: CallRow, text: string) => Promise<void>;
  /**
   * Closes this server's side of a call that has ended. A connection that is already closed is not an error. Never
   * rejects.
   */
  hangUp: (call: CallRow) => Promise<void>;
  /** Queries the carrier for the state of a call. Never rejects, and takes a few seconds at most. */
  ask: (call: CallRow) => Promise<Became>;
};

/** Function that returns the transport of a call. */
export type TransportOf = (call: Pick<CallRow, 'provider' | 'telephonyProviderId'>) => Transport;
