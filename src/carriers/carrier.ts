import type { z } from 'zod';
import type { EgressClient } from '../platform/egress/client.ts';
import type { MediaFrame } from './media.ts';

/**
 * Everything that Parley needs in order to use a telephone carrier. Each carrier is a value of this type, in its own
 * folder and with one line in carriers.ts. A carrier does not depend on the modules for calls and lines, nor on other
 * carriers.
 */
export type Carrier<T extends string = string> = {
  /** Value of `type` in the carrier's TelephonyProviders. It is also a segment of the carrier's webhook URLs. */
  type: T;
  /** Display name, also used in operation IDs. */
  name: string;
  provider: ProviderPart;
  signature: SignatureCheck;
  createApi: (deps: { egress: Pick<EgressClient, 'send'> }) => CarrierApi;
  /** Parses a form that the carrier posts to a webhook of this server. */
  readCallback: (form: URLSearchParams) => Callback;
  answers: AnswerWriter;
  media: MediaFrames;
  /**
   * Text socket: the carrier exchanges text with Parley, and recognizes and synthesizes the speech itself. If absent,
   * agents need their own ModelProviders for speech.
   */
  relay?: Relay;
};

/** The part of the kind TelephonyProvider that is specific to the carrier. */
export type ProviderPart = {
  /** Base URL of the carrier's API, used if a TelephonyProvider does not set one. */
  apiUrl: string;
  /**
   * What two fields of every TelephonyProvider mean at this carrier. The API documentation shows each text after the
   * words "for" and the name of the carrier, as in "for Plivo, the Auth ID".
   */
  says: { accountId: string; authToken: string };
  /** Carrier-specific fields of a TelephonyProvider, by their names in the resource. All are optional strings. */
  fields: Readonly<Record<string, z.ZodType<string | undefined>>>;
  /** CEL rules of the CRD, which Kubernetes evaluates. */
  rules: readonly { rule: string; message: string; fieldPath: string }[];
  /** Returns the first fault in `fields` that their schemas do not detect. */
  faultIn?: (own: OwnFields) => OwnFault | undefined;
};

export type OwnFields = Readonly<Record<string, string | undefined>>;

/** Fault in a field. `code` is used in REST errors, and `reason` in conditions. */
export type OwnFault = { field: string; code: string; reason: string; message: string };

/** The part of a TelephonyProvider that the carrier's implementation needs. */
export type CarrierAccount = {
  type: string;
  accountId: string;
  /** The account's auth token in plain text. */
  authToken: string;
  /** Base URL of the API, without a trailing slash. */
  apiUrl: string;
  /** Values of the carrier-specific fields. */
  own: OwnFields;
};

export type SignatureCheck = {
  /** Name of the header that contains the signature. It appears in the API documentation. */
  header: string;
  /** `detail` of the 401 response to a request whose signature matches no account. */
  refusal: string;
  /**
   * Whether only the owner of an account can declare the key that verifies its signatures. If false, two namespaces may
   * declare the same account. In that case, requests for the account are rejected unless the webhook URL names one of
   * the two TelephonyProviders.
   */
  provesOwner: boolean;
  isSigned: (account: CarrierAccount, request: SignedRequest) => boolean;
};

/** A POST request to a webhook of this server. */
export type SignedRequest = {
  /** Base URLs that the carrier may have used to reach this server, without a path. */
  bases: readonly string[];
  /** Path and query of the request. */
  target: string;
  form: URLSearchParams;
  /** Body of the request, byte for byte. */
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  nowMs: number;
};

/** Content of a webhook form, in a format that is the same for all webhooks and carriers. */
export type Callback = {
  /**
   * Account of the call. Undefined if the carrier does not report it, in which case the webhook URL must name the
   * TelephonyProvider.
   */
  accountId: string | undefined;
  /** The carrier's ID for the call, or '' if the form does not contain one. */
  callId: string;
  /**
   * The carrier's ID for the call to which this one belongs. A transfer rings a number in a separate call, which
   * belongs to the caller's call.
   */
  parentCallId: string | undefined;
  from: string | null;
  to: string | null;
  /** Direction of the call. Undefined if the carrier does not report it. */
  direction: 'inbound' | 'outbound' | undefined;
  state: CallState;
  /** Whether somebody has answered the call. */
  isAnswered: boolean;
  isMachine: boolean;
  /** How the socket of a `Relay` ended. Undefined if the form reports something else. */
  relayEnd: 'ended' | 'failed' | undefined;
  /** Result of ringing the number of a transfer. */
  dialed: 'answered' | 'busy' | 'no_answer' | 'failed';
};

/** State of a call: `live`, or how the call ended. Undefined if the carrier does not report the state. */
export type CallState =
  | 'live'
  | { status: 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled'; reason: string }
  | undefined;

/** Client for a carrier's REST API. It does not retry requests. */
export type CarrierApi = {
  /**
   * Places a call. Resolves to the carrier's ID for the call, or to undefined if the carrier reports the ID later
   * through a webhook.
   * @throws DialRefused if the carrier will never place the call
   */
  dial: (account: CarrierAccount, call: Dial) => Promise<string | undefined>;
  /** Returns the ID of a call between these numbers that was placed since `sinceMs`, or undefined if none exists. */
  findDialed: (
    account: CarrierAccount,
    call: Pick<Dial, 'from' | 'to'> & { sinceMs: number },
  ) => Promise<string | undefined>;
  stateOf: (account: CarrierAccount, providerCallId: string) => Promise<CallState>;
  /** Hangs up. Succeeds if the call has already ended. */
  hangUp: (account: CarrierAccount, providerCallId: string) => Promise<void>;
};

export type Dial = {
  from: string;
  to: string;
  /** URL from which the carrier requests instructions when the call is answered. */
  url: string;
  statusCallback: string;
  ringSec: number;
  /** Whether the carrier detects answering machines during the call and reports them to `statusCallback`. */
  detectsMachine: boolean;
};

/** Writes the XML instructions that a carrier executes during a call. */
export type AnswerWriter = {
  /**
   * Returns the instruction to open a socket for audio in both directions. When the socket closes, the carrier requests
   * further instructions from `action`.
   */
  stream: (options: StreamOptions) => string;
  /** Returns the instruction to ring a number and connect the caller with the person who answers. */
  dial: (options: DialOptions) => string;
  /** Returns the instructions to speak the text, if there is one, and hang up. */
  goodbye: (text?: string, language?: string) => string;
  /** Returns the instruction to reject the call without answering it, so that the caller pays nothing. */
  reject: (reason: 'busy' | 'rejected') => string;
  /** Response without any instructions. */
  nothing: string;
  /** Response to a status report. It is empty for a carrier that would execute instructions in the response. */
  noted: string;
};

export type StreamOptions = {
  url: string;
  action: string;
  /** One-time token. The carrier returns it in the first frame of the socket. */
  token: string;
};

export type DialOptions = {
  to: string;
  /** Number that the called person sees. It is one of the TelephonyProvider's numbers. */
  callerId: string;
  ringSec: number;
  /** URL from which the carrier requests instructions when the connected call has ended, or when nobody answered. */
  action: string;
  /** URL to which the carrier reports that somebody has answered. */
  answered: string;
};

/** Reads and writes the frames of an audio socket. */
export type MediaFrames = {
  /** Parses a frame. Returns undefined for an unknown frame. Carriers may introduce new ones at any time. */
  read: (text: string) => MediaFrame | undefined;
  sound: (streamId: string, bytes: Uint8Array) => string;
  /** Returns a frame that asks the carrier to report when it has played all audio sent before this frame. */
  mark: (streamId: string, name: string) => string;
  /** Returns a frame that asks the carrier to drop all audio that has not been played yet. */
  clear: (streamId: string) => string;
};

/**
 * Text socket of a carrier that recognizes and synthesizes speech itself. The two sides exchange text instead of audio.
 */
export type Relay = {
  /** Returns the instruction to open the socket. */
  answer: (options: RelayOptions) => string;
  /** Whether the carrier reports to `action` how a socket ended. */
  reportsEnd: boolean;
  /** Parses a frame. Returns undefined for an unknown frame. Carriers may introduce new ones at any time. */
  read: (text: string) => RelayFrame | undefined;
  /**
   * Returns a frame with part of an utterance. If `isKept` is true, the user cannot interrupt it, regardless of the
   * session's setting.
   */
  say: (text: string, isKept?: boolean) => string;
  /** Returns the frame that ends an utterance. */
  last: (isKept?: boolean) => string;
  keys: (digits: string) => string;
  /** Returns the frame that ends the session. The carrier repeats `why` when it requests further instructions. */
  end: (why?: string) => string;
};

export type RelayOptions = StreamOptions & {
  language: string | undefined;
  /** Voice that the agent declares. If absent, the carrier's default voice is used. */
  voice?: { provider?: string | undefined; voiceId?: string | undefined };
  /** Whether the greeting is protected from interruption by the user. */
  isGreetingKept?: boolean;
};

export type RelayFrame =
  | { type: 'setup'; callId: string; token: unknown }
  | { type: 'heard'; text: string }
  /** The user interrupted an utterance. `playedText` is the part that had been played. */
  | { type: 'interrupted'; playedText: string }
  | { type: 'digit'; digit: string }
  | { type: 'error'; description: string | undefined }
  /** A known frame that Parley does not use, such as a partial transcript. */
  | { type: 'other' };

export type CarrierPaths = { voice: string; status: string; relay: string; media: string };

/** Returns the paths of a carrier's webhooks and sockets (contract, Telephony). */
export function pathsOf(type: string): CarrierPaths {
  const base = `/v1/telephony/${type}`;
  return {
    voice: `${base}/voice`,
    status: `${base}/status`,
    relay: `${base}/relay`,
    media: `${base}/media`,
  };
}
