import type { CarrierAccount } from '../../carriers/carrier.ts';
import { carrierOf, ownFieldsOf } from '../../carriers/carriers.ts';
import type { AccountSpec } from './accounts.sql.ts';

/** An active TelephonyProvider in the form that calls use, with defaults applied. */
export type Account = CarrierAccount & {
  id: string;
  namespace: string;
  name: string;
  /** Settings for outbound calls. Undefined if the provider places no outbound calls. */
  outbound: OutboundTerms | undefined;
  inbound: InboundTerms;
};

export type OutboundTerms = {
  /** ISO 3166-1 codes of the countries that may be called. */
  countries: readonly string[];
  maxConcurrentCalls: number;
  maxCallsPerMinute: number;
  ringSec: number;
  voicemailMessage: string | undefined;
};

export type InboundTerms = {
  maxConcurrentCalls: number;
  busyMessage: string | undefined;
  closedMessage: string | undefined;
};

const OUTBOUND = { maxConcurrentCalls: 10, maxCallsPerMinute: 60, ringSec: 30 };
const INBOUND = { maxConcurrentCalls: 100 };

/**
 * Returns the account that a declaration describes, with defaults applied (contract/telephony-providers.md#fields).
 * `authToken` is in plain text.
 */
export function accountOf(
  provider: { id: string; namespace: string; name: string; spec: AccountSpec },
  authToken: string,
): Account {
  const { id, namespace, name, spec } = provider;
  const { type, accountId, outbound, inbound = {} } = spec;
  const { apiUrl = carrierOf(type).provider.apiUrl } = spec;
  const { busyMessage, closedMessage } = inbound;
  return {
    id,
    namespace,
    name,
    type,
    accountId,
    authToken,
    apiUrl: apiUrl.replace(/\/+$/, ''),
    own: ownFieldsOf(spec),
    outbound: outbound && {
      ...OUTBOUND,
      ...outbound,
      voicemailMessage: outbound.voicemailMessage,
    },
    inbound: { ...INBOUND, ...inbound, busyMessage, closedMessage },
  };
}
