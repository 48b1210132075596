import type { Redacted, Redaction } from '../conversations/redaction/redact.ts';
import type { CallRow, CallStatus } from './calls.sql.ts';
import type { ClaimedCall } from './claims.sql.ts';

/**
 * Event of a call. A simulated call produces all of its events from its script. A carrier call produces only `ringing`,
 * which makes Parley ask the carrier to dial.
 */
export type CallEvent =
  | { type: 'ringing' }
  /** A person or an answering machine has answered. For a machine, `message_left` follows. */
  | { type: 'answered' }
  | { type: 'not_connected'; why: 'busy' | 'no_answer' | 'dial_failed' }
  /** The user spoke an utterance. `redacted` lists the redactions made in its `text`. */
  | { type: 'heard'; text: string; redacted?: Redacted | undefined }
  | { type: 'message_left' }
  | { type: 'hung_up' };

export type DueEvent = {
  event: CallEvent;
  /** Time in ms from the end of this event to the next event. Null if none follows. */
  nextAfterMs: number | null;
};

/**
 * State of a call at its carrier: `live`, or how the call ended. Undefined if the carrier does not report the state.
 */
export type Became = 'live' | { status: CallStatus; reason: string } | undefined;

/**
 * Transport of calls: the telephone network, a web page or a script. After a crash, any function may be called again
 * for the same call, so an implementation must not dial twice.
 */
export type Transport = {
  /** Returns the options in a form that may be stored until the call takes place, with the user's words redacted. */
  keepable: (
    options: Record<string, unknown>,
    redact: (text: string) => Promise<Redaction>,
  ) => Promise<Record<string, unknown>>;
  /**
   * Dials. Resolves to the carrier's ID for the call, which is undefined if the carrier reports the ID later.
   * @throws DialRefused
   */
  place: (call: CallRow) => Promise<{ providerCallId: string | undefined }>;
  /** Returns the event of the current step, or undefined after the last one. */
  eventAt: (call: Pick<ClaimedCall, 'providerOptions' | 'step'>) => DueEvent | undefined;
  /**
   * Speaks the agent's text to the user. The text is already in the transcript and stays there even if the user does
   * not hear it. A failure is not retried.
   */
  say: (call: CallRow, text: string) => Promise<void>;
  /**
   * Closes this server's side of a call that has ended. An already closed connection is not an error. Never rejects.
   */
  hangUp: (call: CallRow) => Promise<void>;
  /** Queries the carrier for the state of a call. Never rejects, and takes at most a few seconds. */
  ask: (call: CallRow) => Promise<Became>;
};

/** Returns the transport of a call. */
export type TransportOf = (call: Pick<CallRow, 'provider' | 'telephonyProviderId'>) => Transport;
