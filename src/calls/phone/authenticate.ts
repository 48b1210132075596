import { ApiError } from '../../errors.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Account, Accounts, BoundNumber } from '../providers/find-account.ts';
import type { Client } from '../../platform/http/authorize.ts';
import type { Callback, Carrier, SignedRequest } from '../../carriers/carrier.ts';

export type AuthenticateDeps = {
  accounts: Pick<Accounts, 'ofNumber' | 'byId' | 'numbersOf'>;
  /** Counts wrong signatures by client address, together with wrong API keys. */
  rateLimits: Pick<RateLimits, 'countFailure'>;
  baseUrl: () => string;
  /** PARLEY_BASE_URL. If undefined, carriers may call any host name of this server. */
  publicUrl: string | undefined;
  nowMs: () => number;
};

/** A request that a carrier posted to one of our webhooks. */
export type Sent = Pick<SignedRequest, 'form' | 'body' | 'target' | 'headers'> & {
  carrier: Carrier;
  /** The parsed form. */
  callback: Callback;
  client: Client;
};

/** A request to an address that may name a TelephonyProvider (uuid). */
export type SentTo = Sent & { providerId: string | undefined };

/**
 * Returns the account that signed the request, among the accounts with its number. Two tenants may have declared the
 * same carrier account; the request belongs to the one whose token verifies it, or that the address names.
 * @throws ApiError invalid_signature, rate_limited
 */
export async function signedFor(
  deps: AuthenticateDeps,
  sent: SentTo,
): Promise<{ account: Account; bound: BoundNumber }> {
  for (const number of oursIn(sent.callback)) {
    const candidates = await candidatesOf(deps, sent, number);
    const [found, other] = candidates.filter(({ account }) => isFrom(deps, account, sent));
    if (found && other && !sent.carrier.signature.provesOwner)
      throw new ApiError('invalid_signature', WHICH);
    if (found) return found;
  }
  return refuse(deps, sent);
}

type Candidate = { account: Account; bound: BoundNumber };

/**
 * Returns the accounts that the request may belong to, by the account id in the request or the provider in the address.
 */
async function candidatesOf(
  { accounts }: AuthenticateDeps,
  { callback: { accountId }, providerId }: SentTo,
  number: string,
): Promise<readonly Candidate[]> {
  if (accountId !== undefined) {
    const all = await accounts.ofNumber(accountId, number);
    return all.filter(({ account }) => providerId === undefined || account.id === providerId);
  }
  const account = providerId === undefined ? undefined : await accounts.byId(providerId);
  if (!account) return [];
  const bound = (await accounts.numbersOf(account)).find((one) => one.number === number);
  return bound ? [{ account, bound }] : [];
}

/** Returns our number in the request, or both numbers if the carrier does not report a direction. */
function oursIn({ direction, from, to }: Callback): readonly string[] {
  if (direction === undefined) return [to ?? '', from ?? ''];
  return [(direction === 'outbound' ? from : to) ?? ''];
}

/**
 * Returns the account if the request has its valid signature.
 * @throws ApiError invalid_signature, rate_limited
 */
export async function requireSigned(
  deps: AuthenticateDeps,
  account: Account | undefined,
  sent: Sent,
): Promise<Account> {
  const { accountId } = sent.callback;
  const isNamed = accountId === undefined || account?.accountId === accountId;
  if (account && isNamed && isFrom(deps, account, sent)) return account;
  return refuse(deps, sent);
}

async function refuse(deps: AuthenticateDeps, { client, carrier }: Sent): Promise<never> {
  await deps.rateLimits.countFailure(client.address ?? '');
  throw new ApiError('invalid_signature', carrier.signature.refusal);
}

const WHICH =
  'several namespaces have declared this account and number: name the TelephonyProvider that is meant in the ' +
  "carrier's address of the webhook, as in /voice?provider=tp_…";

function isFrom(deps: AuthenticateDeps, account: Account, sent: Sent): boolean {
  const { body, carrier, form, headers, target } = sent;
  const request = { body, form, headers, target, bases: basesOf(deps, sent), nowMs: deps.nowMs() };
  return account.type === carrier.type && carrier.signature.isSigned(account, request);
}

/**
 * Returns the base addresses that a signature may cover. The sender controls `Host`, so it counts only if no address is
 * configured: otherwise a request signed for another server could name that server.
 */
function basesOf({ baseUrl, publicUrl }: AuthenticateDeps, { headers }: Sent): string[] {
  if (publicUrl !== undefined) return [baseUrl()];
  const host = String(headers['host'] ?? '');
  return [baseUrl(), `https://${host}`, `http://${host}`];
}
