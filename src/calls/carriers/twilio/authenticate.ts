import { ApiError } from '../../../errors.ts';
import type { RateLimits } from '../../../platform/http/rate-limit.ts';
import type { Client } from '../../../platform/http/authorize.ts';
import type { Account, Accounts, BoundNumber } from '../../providers/find-account.ts';
import { isSigned } from './signature.ts';

/** What the carrier sent: a form, and where to. */
export type Sent = {
  form: URLSearchParams;
  /** Path and query. */
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  client: Client;
};

export type AuthenticateDeps = {
  accounts: Pick<Accounts, 'ofNumber' | 'byId'>;
  /** Of wrong signatures by address, as of wrong keys. */
  rateLimits: Pick<RateLimits, 'countFailure'>;
  baseUrl: () => string;
};

/**
 * Whose request it is: the account whose token signed it, of those that have its number. Two tenants may have
 * declared the same account; the one that knows its token is meant.
 * @throws ApiError invalid_signature, rate_limited
 */
export async function signedFor(
  deps: AuthenticateDeps,
  sent: Sent,
): Promise<{ account: Account; bound: BoundNumber }> {
  const { form } = sent;
  const accountId = form.get('AccountSid') ?? '';
  const isOutbound = (form.get('Direction') ?? '').startsWith('outbound');
  const number = form.get(isOutbound ? 'From' : 'To') ?? '';
  const candidates = await deps.accounts.ofNumber(accountId, number);
  const found = candidates.find(({ account }) => isFrom(deps, account, sent));
  if (found) return found;
  await deps.rateLimits.countFailure(sent.client.address ?? '');
  throw new ApiError('invalid_signature', WHY);
}

/** @throws ApiError invalid_signature, rate_limited */
export async function requireSigned(
  deps: AuthenticateDeps,
  account: Account | undefined,
  sent: Sent,
): Promise<Account> {
  if (account && account.accountId === sent.form.get('AccountSid') && isFrom(deps, account, sent)) {
    return account;
  }
  await deps.rateLimits.countFailure(sent.client.address ?? '');
  throw new ApiError('invalid_signature', WHY);
}

const WHY =
  'no TelephonyProvider with this account and number has a token that X-Twilio-Signature was made with; ' +
  'PARLEY_BASE_URL must be the address that the carrier calls';

/** By the address that we are configured with, and by the one that it called: a proxy may have another. */
function isFrom({ baseUrl }: AuthenticateDeps, { authToken }: Account, sent: Sent): boolean {
  const { form: params, headers, target } = sent;
  const signature = String(headers['x-twilio-signature'] ?? '');
  const host = String(headers['host'] ?? '');
  return [baseUrl(), `https://${host}`, `http://${host}`].some((base) =>
    isSigned(authToken, { url: `${base.replace(/\/+$/, '')}${target}`, params, signature }),
  );
}
