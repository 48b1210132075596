import type { Client } from '../platform/http/authorize.ts';
import type { MediaFrame } from './media.ts';

/** The `type` of a TelephonyProvider. */
export type CarrierType = 'twilio' | 'telnyx';

/** What a carrier is spoken to with: the part of a TelephonyProvider that its plug-in reads. */
export type CarrierAccount = {
  type: CarrierType;
  accountId: string;
  /** In clear. */
  authToken: string;
  /** What its carrier's requests are checked by, the base64 of 32 bytes; of Telnyx. */
  publicKey: string | undefined;
  /** What calls go out by, at the carrier; of Telnyx. */
  applicationId: string | undefined;
  /** Without a slash at its end. */
  apiUrl: string;
};

/** What became of a call, as its carrier reports it: it continues, or how it ended. `undefined` if the carrier does not say. */
export type CallState =
  | 'live'
  | { status: 'completed' | 'busy' | 'no_answer' | 'failed' | 'canceled'; reason: string }
  | undefined;

/** What the carrier sent: a form, and where to. */
export type Sent = {
  dialect: Dialect;
  form: URLSearchParams;
  /** The form, byte for byte. */
  body: Buffer;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  client: Client;
};

/** In what carriers differ that speak Twilio's dialect. */
export type Dialect = {
  type: CarrierType;
  paths: CarrierPaths;
  /** Whether the carrier of this account sent it. `bases`: addresses that it may have called. */
  isSigned: (
    account: CarrierAccount,
    sent: Omit<Sent, 'dialect'>,
    at: { bases: readonly string[]; nowMs: number },
  ) => boolean;
  /** Said to who is refused. */
  unsigned: string;
  /**
   * Whether only who has a secret of the account can declare what its signatures are checked by. Otherwise an
   * account that two have declared is nobody's, until the address names one of them.
   */
  provesOwner: boolean;
  /** How the agent's voice is named to it; `provider` and `voiceId` as they are declared. */
  voice: (voice: { provider?: string | undefined; voiceId?: string | undefined }) => {
    voice?: string | undefined;
    ttsProvider?: string | undefined;
  };
  /** Of `<Stream>`, beside its address. */
  stream: Readonly<Record<string, string>>;
  /** Whether it tells how a socket of ConversationRelay ended. */
  tellsRelayEnd: boolean;
  /** Whether the carrier may execute the answer to a status callback as TwiML. */
  followsStatus: boolean;
  media: MediaDialect;
};

export type CarrierPaths = { voice: string; status: string; relay: string; media: string };

/** Frames of sound. */
export type MediaDialect = {
  /** undefined: it is no frame that we know; a carrier may send new ones. */
  read: (text: string) => MediaFrame | undefined;
  sound: (streamSid: string, bytes: Uint8Array) => string;
  mark: (streamSid: string, name: string) => string;
  clear: (streamSid: string) => string;
};

/** The REST API of a carrier: one request each, no repeats of its own. */
export type CarrierApi = {
  /**
   * Resolves with the carrier's id of the call; undefined: it says it later, by its webhooks.
   * @throws DialRefused when it never will
   */
  dial: (account: CarrierAccount, call: Dial) => Promise<string | undefined>;
  /** The id of a call that was placed since; undefined: there is none. */
  findDialed: (
    account: CarrierAccount,
    call: Pick<Dial, 'from' | 'to'> & { sinceMs: number },
  ) => Promise<string | undefined>;
  /** As the carrier calls it; undefined: it knows no such call. */
  statusOf: (account: CarrierAccount, providerCallId: string) => Promise<string | undefined>;
  /** One that is over already is no error. */
  hangUp: (account: CarrierAccount, providerCallId: string) => Promise<void>;
};

export type Dial = {
  from: string;
  to: string;
  /** Asked for what to do once it is answered. */
  url: string;
  statusCallback: string;
  ringSec: number;
  /** Whether the carrier detects machines during the call, and reports them to `statusCallback`. */
  detectsMachine: boolean;
};

/** Where a carrier finds us (contract §4, telephony). */
export function pathsOf(type: CarrierType): CarrierPaths {
  const base = `/v1/telephony/${type}`;
  return {
    voice: `${base}/voice`,
    status: `${base}/status`,
    relay: `${base}/relay`,
    media: `${base}/media`,
  };
}
