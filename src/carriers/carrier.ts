import type { z } from 'zod';
import type { EgressClient } from '../platform/egress/client.ts';
import type { MediaFrame } from './media.ts';

/**
 * A carrier of telephone calls: everything that Parley must know to speak with it. Each carrier is a value of this type
 * in its own folder, and one line of carriers.ts. It depends on no call, no line and no other carrier.
 */
export type Carrier<T extends string = string> = {
  /** The `type` of its TelephonyProviders. Also a segment of our webhook addresses. */
  type: T;
  /** Display name, also used in operation ids. */
  name: string;
  provider: ProviderPart;
  signature: SignatureCheck;
  createApi: (deps: { egress: Pick<EgressClient, 'send'> }) => CarrierApi;
  /** Reads a form that it posts to one of our webhooks. */
  readCallback: (form: URLSearchParams) => Callback;
  answers: AnswerWriter;
  media: MediaFrames;
  /** Absent if the carrier cannot transcribe and speak. Its agents then need their own ModelProviders for speech. */
  relay?: Relay;
};

/** The carrier's part of the kind TelephonyProvider. */
export type ProviderPart = {
  /** Base of its API if a provider names none. */
  apiUrl: string;
  /** Ends the sentence "of Twilio …" in the descriptions of two fields that all carriers share. */
  says: { accountId: string; authToken: string };
  /** Fields that only its own providers have, by their names in the resource. All are optional texts. */
  fields: Readonly<Record<string, z.ZodType<string | undefined>>>;
  /** CEL rules that Kubernetes checks. */
  rules: readonly { rule: string; message: string; fieldPath: string }[];
  /** Returns the first fault of its fields beyond their schema. */
  faultIn?: (own: OwnFields) => OwnFault | undefined;
};

export type OwnFields = Readonly<Record<string, string | undefined>>;

/** A fault: `code` for REST errors, `reason` for conditions. */
export type OwnFault = { field: string; code: string; reason: string; message: string };

/** The part of a TelephonyProvider that its carrier needs. */
export type CarrierAccount = {
  type: string;
  accountId: string;
  /** The token in plain text. */
  authToken: string;
  /** Without a trailing slash. */
  apiUrl: string;
  /** The fields that only providers of this carrier have. */
  own: OwnFields;
};

export type SignatureCheck = {
  /** The header that proves a request, as the documentation of the API names it. */
  header: string;
  /** `detail` of the 401 for a request that no account has signed. */
  refusal: string;
  /**
   * Whether only the owner of the account can declare the key that verifies its signatures. If false, and two
   * namespaces declare the same account, requests are refused until the address names one of their providers.
   */
  provesOwner: boolean;
  isSigned: (account: CarrierAccount, request: SignedRequest) => boolean;
};

/** A POST to one of our webhooks. */
export type SignedRequest = {
  /** Base addresses that the carrier may have called, without a path. */
  bases: readonly string[];
  /** Path and query. */
  target: string;
  form: URLSearchParams;
  /** The form, byte for byte. */
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  nowMs: number;
};

/** The content of a form, for all webhooks. */
export type Callback = {
  /** `undefined` if the carrier does not name the account; the address must then name the provider. */
  accountId: string | undefined;
  /** The carrier's id of the call; empty if absent. */
  callId: string;
  /** The call that this one belongs to. For a number rung in a transfer, that is the caller's call. */
  parentCallId: string | undefined;
  from: string | null;
  to: string | null;
  /** `undefined` if the carrier does not report it. */
  direction: 'inbound' | 'outbound' | undefined;
  state: CallState;
  /** Whether somebody has picked up. */
  isAnswered: boolean;
  isMachine: boolean;
  /** How a socket of a Relay ended; `undefined` for other events. */
  relayEnd: 'ended' | 'failed' | undefined;
  /** Result of ringing a number for a transfer. */
  dialed: 'answered' | 'busy' | 'no_answer' | 'failed';
};

/** State of a call: `live`, or how it ended. `undefined` if the carrier does not report it. */
export type CallState =
  | 'live'
  | { status: 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled'; reason: string }
  | undefined;

/** The REST API of a carrier. Each function sends requests without retrying them. */
export type CarrierApi = {
  /**
   * Places a call. Resolves to the carrier's id of the call, or `undefined` if the carrier reports it later, by its
   * webhooks.
   * @throws DialRefused if the carrier will never place the call
   */
  dial: (account: CarrierAccount, call: Dial) => Promise<string | undefined>;
  /** Returns the id of a call placed since `sinceMs`; `undefined` without one. */
  findDialed: (
    account: CarrierAccount,
    call: Pick<Dial, 'from' | 'to'> & { sinceMs: number },
  ) => Promise<string | undefined>;
  stateOf: (account: CarrierAccount, providerCallId: string) => Promise<CallState>;
  /** Hangs up. Accepts a call that is over already. */
  hangUp: (account: CarrierAccount, providerCallId: string) => Promise<void>;
};

export type Dial = {
  from: string;
  to: string;
  /** Address that the carrier asks for instructions when the call is answered. */
  url: string;
  statusCallback: string;
  ringSec: number;
  /** Whether the carrier detects machines during the call, and reports them to `statusCallback`. */
  detectsMachine: boolean;
};

/** Writes a carrier's instructions for a call, all as text/xml. */
export type AnswerWriter = {
  /**
   * Opens a socket for sound in both directions. When the socket closes, the carrier asks for instructions at `action`.
   */
  stream: (options: StreamOptions) => string;
  /** Rings a number, and connects the caller with the person at that number. */
  dial: (options: DialOptions) => string;
  /** Says something, then hangs up. */
  goodbye: (text?: string, language?: string) => string;
  /** Rejects the call without answering, so that the caller pays nothing. */
  reject: (reason: 'busy' | 'rejected') => string;
  /** An answer without instructions. */
  nothing: string;
  /** Answers a report. Empty for a carrier that would execute the answer. */
  noted: string;
};

export type StreamOptions = {
  url: string;
  action: string;
  /** Sent back in the first frame. */
  token: string;
};

export type DialOptions = {
  to: string;
  /** The number that the called person sees: one of ours. */
  callerId: string;
  ringSec: number;
  /** Address that the carrier asks for instructions when the call is over, or nobody has picked up. */
  action: string;
  /** Address where the carrier reports that somebody has picked up. */
  answered: string;
};

/** Frames of a socket for sound. */
export type MediaFrames = {
  /** Returns `undefined` for unknown frames: a carrier may introduce new ones. */
  read: (text: string) => MediaFrame | undefined;
  sound: (streamId: string, bytes: Uint8Array) => string;
  /** Asks the carrier to report when all sound before the mark was played. */
  mark: (streamId: string, name: string) => string;
  /** Drops sound that was not played. */
  clear: (streamId: string) => string;
};

/** Text instead of sound over the socket, for a carrier that transcribes and speaks. */
export type Relay = {
  /** Opens the socket. */
  answer: (options: RelayOptions) => string;
  /** Whether a callback reports how a socket ended. */
  reportsEnd: boolean;
  /** Returns `undefined` for unknown frames: a carrier may introduce new ones. */
  read: (text: string) => RelayFrame | undefined;
  /** Says part of an utterance. `isKept` protects it from interruptions, whatever the session's setting. */
  say: (text: string, isKept?: boolean) => string;
  /** Ends an utterance. */
  last: (isKept?: boolean) => string;
  keys: (digits: string) => string;
  /** Ends the session. The carrier returns `why` when it asks for more instructions. */
  end: (why?: string) => string;
};

export type RelayOptions = StreamOptions & {
  language: string | undefined;
  /** The voice that the agent declares; absent for the carrier's default. */
  voice?: { provider?: string | undefined; voiceId?: string | undefined };
  /** Whether the greeting ignores interruptions. */
  isGreetingKept?: boolean;
};

export type RelayFrame =
  | { type: 'setup'; callId: string; token: unknown }
  | { type: 'heard'; text: string }
  /** The user interrupted an utterance. `heard` is the part that they had heard. */
  | { type: 'interrupted'; heard: string }
  | { type: 'digit'; digit: string }
  | { type: 'error'; description: string | undefined }
  /** A frame without use here, such as a partial transcript. */
  | { type: 'other' };

export type CarrierPaths = { voice: string; status: string; relay: string; media: string };

/** Returns the paths of the webhooks and sockets for a carrier (contract, Telephony). */
export function pathsOf(type: string): CarrierPaths {
  const base = `/v1/telephony/${type}`;
  return {
    voice: `${base}/voice`,
    status: `${base}/status`,
    relay: `${base}/relay`,
    media: `${base}/media`,
  };
}
