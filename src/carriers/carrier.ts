import type { z } from 'zod';
import type { EgressClient } from '../platform/egress/client.ts';
import type { MediaFrame } from './media.ts';

/**
 * One carrier of telephone calls: everything that Parley must know to speak with it. A carrier is a value of this type in
 * a folder of its own, and one line of carriers.ts. It knows no call, no line and no other carrier.
 */
export type Carrier<T extends string = string> = {
  /** The `type` of its TelephonyProviders, and the part of our addresses that is its own. */
  type: T;
  /** What people call it, also in the ids of its operations. */
  name: string;
  provider: ProviderPart;
  signature: SignatureCheck;
  createApi: (deps: { egress: Pick<EgressClient, 'send'> }) => CarrierApi;
  /** Reads a form that it posts to one of our webhooks. */
  readCallback: (form: URLSearchParams) => Callback;
  answers: AnswerWriter;
  media: MediaFrames;
  /** Absent if the carrier cannot hear and speak by itself: then an agent needs speech of its own. */
  relay?: Relay;
};

/** Its part of the kind TelephonyProvider. */
export type ProviderPart = {
  /** Base of its API where a provider names none. */
  apiUrl: string;
  /** Ends the sentence "of Twilio …" in the descriptions of two fields that all carriers share. */
  says: { accountId: string; authToken: string };
  /** Fields that only its own providers have, by their names in the resource. All of them are texts and optional. */
  fields: Readonly<Record<string, z.ZodType<string | undefined>>>;
  /** CEL rules that Kubernetes checks. */
  rules: readonly { rule: string; message: string; fieldPath: string }[];
  /** What is wrong with its fields beyond their schema. */
  faultIn?: (own: OwnFields) => OwnFault | undefined;
};

export type OwnFields = Readonly<Record<string, string | undefined>>;

/** `code` in an answer of REST, `reason` in a condition. */
export type OwnFault = { field: string; code: string; reason: string; message: string };

/** A TelephonyProvider as far as its carrier is concerned. */
export type CarrierAccount = {
  type: string;
  accountId: string;
  /** In clear. */
  authToken: string;
  /** Without a slash at its end. */
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
   * Whether only the owner of the account can declare what its signatures are checked by. Otherwise an account that two
   * namespaces have declared is nobody's until the address names one of them.
   */
  provesOwner: boolean;
  isSigned: (account: CarrierAccount, request: SignedRequest) => boolean;
};

/** A POST to one of our webhooks. */
export type SignedRequest = {
  /** Addresses that the carrier may have called, without a path. */
  bases: readonly string[];
  /** Path and query. */
  target: string;
  form: URLSearchParams;
  /** The form, byte for byte. */
  body: Buffer;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  nowMs: number;
};

/** What a form says, whichever webhook it came to. */
export type Callback = {
  /** `undefined` if the carrier does not name the account: then the address must name the provider. */
  accountId: string | undefined;
  /** The carrier's id of the call; empty if there is none. */
  callId: string;
  /** The call that this one belongs to, such as the caller's for a number that was rung. */
  parentCallId: string | undefined;
  from: string | null;
  to: string | null;
  /** `undefined` if the carrier does not say. */
  direction: 'inbound' | 'outbound' | undefined;
  state: CallState;
  /** Somebody has picked up. */
  isAnswered: boolean;
  isMachine: boolean;
  /** How a socket of a Relay ended; `undefined` if this is about something else. */
  relayEnd: 'ended' | 'failed' | undefined;
  /** What became of a number that was rung for a transfer. */
  dialed: 'answered' | 'busy' | 'no_answer' | 'failed';
};

/** It continues, or how it ended. `undefined` if the carrier does not say. */
export type CallState =
  | 'live'
  | { status: 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled'; reason: string }
  | undefined;

/** The REST API of a carrier: one question each, no repeats of its own. */
export type CarrierApi = {
  /**
   * Resolves with the carrier's id of the call, or `undefined` if the carrier reports it later, by its webhooks.
   * @throws DialRefused if the carrier will never place the call
   */
  dial: (account: CarrierAccount, call: Dial) => Promise<string | undefined>;
  /** The id of a call that was placed since then; `undefined` if there is none. */
  findDialed: (
    account: CarrierAccount,
    call: Pick<Dial, 'from' | 'to'> & { sinceMs: number },
  ) => Promise<string | undefined>;
  stateOf: (account: CarrierAccount, providerCallId: string) => Promise<CallState>;
  /** A call that is over already is no error. */
  hangUp: (account: CarrierAccount, providerCallId: string) => Promise<void>;
};

export type Dial = {
  from: string;
  to: string;
  /** The carrier asks here what to do once the call is answered. */
  url: string;
  statusCallback: string;
  ringSec: number;
  /** Whether the carrier detects machines during the call, and reports them to `statusCallback`. */
  detectsMachine: boolean;
};

/** Writes what a carrier is to do with a call. All of it is text/xml. */
export type AnswerWriter = {
  /** Opens a socket for sound in both directions. The carrier asks at `action` for more when the socket is over. */
  stream: (options: StreamOptions) => string;
  /** Rings a number, and connects the caller with whoever picks up. */
  dial: (options: DialOptions) => string;
  /** Says something, then hangs up. */
  goodbye: (text?: string, language?: string) => string;
  /** Does not answer, so that the caller pays nothing. */
  reject: (reason: 'busy' | 'rejected') => string;
  /** Nothing more to do. */
  nothing: string;
  /** Answers a report, which may be asked for no instructions at all. */
  noted: string;
};

export type StreamOptions = {
  /** `wss://…` */
  url: string;
  action: string;
  /** The first frame hands it over. */
  token: string;
};

export type DialOptions = {
  to: string;
  /** The number that is shown: one of ours. */
  callerId: string;
  ringSec: number;
  /** The carrier asks here what to do when the call is over, or nobody has picked up. */
  action: string;
  /** The carrier reports here that somebody picks up. */
  answered: string;
};

/** Frames of a socket for sound. */
export type MediaFrames = {
  /** `undefined` if we do not know the frame: a carrier may send new ones. */
  read: (text: string) => MediaFrame | undefined;
  sound: (streamId: string, bytes: Uint8Array) => string;
  /** Asks the carrier to report that all sound before it was played. */
  mark: (streamId: string, name: string) => string;
  /** Drops what was not played. */
  clear: (streamId: string) => string;
};

/** The carrier hears and speaks: text goes over the socket instead of sound. */
export type Relay = {
  /** Opens the socket. */
  answer: (options: RelayOptions) => string;
  /** Whether a callback says how a socket ended. */
  reportsEnd: boolean;
  /** `undefined` if we do not know the frame: a carrier may send new ones. */
  read: (text: string) => RelayFrame | undefined;
  /** `isKept`: nobody interrupts it, whatever the session says. */
  say: (text: string, isKept?: boolean) => string;
  /** The utterance is whole. */
  last: (isKept?: boolean) => string;
  keys: (digits: string) => string;
  /** `why` comes back with the carrier's question what is next. */
  end: (why?: string) => string;
};

export type RelayOptions = StreamOptions & {
  language: string | undefined;
  /** As the agent declares it; absent: the carrier's own. */
  voice?: { provider?: string | undefined; voiceId?: string | undefined };
  /** Part of the greeting cannot be interrupted. */
  isGreetingKept?: boolean;
};

export type RelayFrame =
  | { type: 'setup'; callId: string; token: unknown }
  | { type: 'heard'; text: string }
  /** The user spoke into what was being said, having heard that much of it. */
  | { type: 'interrupted'; heard: string }
  | { type: 'digit'; digit: string }
  | { type: 'error'; description: string | undefined }
  /** Says nothing that is of use here, such as half an utterance. */
  | { type: 'other' };

export type CarrierPaths = { voice: string; status: string; relay: string; media: string };

/** Where a carrier finds us (contract, Telephony). */
export function pathsOf(type: string): CarrierPaths {
  const base = `/v1/telephony/${type}`;
  return {
    voice: `${base}/voice`,
    status: `${base}/status`,
    relay: `${base}/relay`,
    media: `${base}/media`,
  };
}
