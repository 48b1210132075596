import { ApiError } from '../../errors.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Account, Accounts, BoundNumber } from '../providers/find-account.ts';
import type { Client } from '../../platform/http/authorize.ts';
import type { Callback, Carrier, SignedRequest } from '../../carriers/carrier.ts';

export type AuthenticateDeps = {
  accounts: Pick<Accounts, 'ofNumber' | 'byId' | 'numbersOf'>;
  /** Of wrong signatures by address, as of wrong keys. */
  rateLimits: Pick<RateLimits, 'countFailure'>;
  baseUrl: () => string;
  /** PARLEY_BASE_URL; undefined: it is not set, and carriers may call any name of this server. */
  publicUrl: string | undefined;
  nowMs: () => number;
};

/** What a carrier posted to one of our webhooks. */
export type Sent = Pick<SignedRequest, 'form' | 'body' | 'target' | 'headers'> & {
  carrier: Carrier;
  /** What the form says. */
  callback: Callback;
  client: Client;
};

/** What came by an address that may name a TelephonyProvider (uuid). */
export type SentTo = Sent & { providerId: string | undefined };

/**
 * Whose request it is: the account that it is signed for, of those that have its number. Two tenants may have
 * declared the same account: the one that knows its token is meant, or that the address names.
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

/** Accounts that the request may be of: those that it names by their id, or by the address. */
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

/** Which of the numbers is ours; where the carrier does not say, either may be. */
function oursIn({ direction, from, to }: Callback): readonly string[] {
  if (direction === undefined) return [to ?? '', from ?? ''];
  return [(direction === 'outbound' ? from : to) ?? ''];
}

/** @throws ApiError invalid_signature, rate_limited */
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
 * The addresses that a signature may be over. `Host` is the sender's word, so it counts only where no address is
 * configured: a request that was signed for another server could name that one.
 */
function basesOf({ baseUrl, publicUrl }: AuthenticateDeps, { headers }: Sent): string[] {
  if (publicUrl !== undefined) return [baseUrl()];
  const host = String(headers['host'] ?? '');
  return [baseUrl(), `https://${host}`, `http://${host}`];
}
