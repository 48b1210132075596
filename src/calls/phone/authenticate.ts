import { ApiError } from '../../errors.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Account, Accounts, BoundNumber } from '../providers/find-account.ts';
import type { Client } from '../../platform/http/authorize.ts';
import type { Callback, Carrier, SignedRequest } from '../../carriers/carrier.ts';

export type AuthenticateDeps = {
  accounts: Pick<Accounts, 'ofNumber' | 'byId' | 'numbersOf'>;
  /** Counts failed authentications per client address. Wrong signatures and wrong API keys are counted together. */
  rateLimits: Pick<RateLimits, 'countFailure'>;
  baseUrl: () => string;
  /** Value of `PARLEY_BASE_URL`. If undefined, carriers may use any host name of this server. */
  publicUrl: string | undefined;
  nowMs: () => number;
};

/** A carrier's request to a webhook of this server. */
export type Sent = Pick<SignedRequest, 'form' | 'body' | 'target' | 'headers'> & {
  carrier: Carrier;
  /** Content of the form, in a format that is the same for all carriers. */
  callback: Callback;
  client: Client;
};

/** A request whose URL may contain the ID of a TelephonyProvider (`providerId`, a UUID). */
export type SentTo = Sent & { providerId: string | undefined };

/**
 * Returns the account that has the number in the request and whose token verifies the request's signature. If the URL
 * names a TelephonyProvider, only its account is considered. Otherwise, several tenants may have declared the same
 * carrier account and number, and the signature decides between them. Rejects the request if several accounts match the
 * signature and the carrier's key does not prove who owns the account (`provesOwner`).
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
 * Returns the accounts to which the request may belong. Finds them by the account ID in the request, or by the provider
 * in the URL.
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

/**
 * Returns the number in the request that belongs to Parley's side of the call, or both numbers if the carrier does not
 * report the direction.
 */
function oursIn({ direction, from, to }: Callback): readonly string[] {
  if (direction === undefined) return [to ?? '', from ?? ''];
  return [(direction === 'outbound' ? from : to) ?? ''];
}

/**
 * Returns the account if its token verifies the request's signature.
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
  'Several namespaces declare this account and number. Add the ID of the TelephonyProvider to the webhook ' +
  'URL at the carrier: /voice?provider=tp_….';

function isFrom(deps: AuthenticateDeps, account: Account, sent: Sent): boolean {
  const { body, carrier, form, headers, target } = sent;
  const request = { body, form, headers, target, bases: basesOf(deps, sent), nowMs: deps.nowMs() };
  return account.type === carrier.type && carrier.signature.isSigned(account, request);
}

/**
 * Returns the base URLs that a signature may cover. The sender controls the `Host` header, so the header is ignored if
 * `PARLEY_BASE_URL` is set. If the header were trusted, an attacker could send this server a request that was signed
 * for a different server, with that server's name as `Host`.
 */
function basesOf({ baseUrl, publicUrl }: AuthenticateDeps, { headers }: Sent): string[] {
  if (publicUrl !== undefined) return [baseUrl()];
  const host = String(headers['host'] ?? '');
  return [baseUrl(), `https://${host}`, `http://${host}`];
}
