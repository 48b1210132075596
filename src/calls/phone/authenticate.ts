import { ApiError } from '../../errors.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { Account, Accounts, BoundNumber } from '../providers/find-account.ts';
import type { Sent } from '../../carriers/dialect.ts';

export type AuthenticateDeps = {
  accounts: Pick<Accounts, 'ofNumber' | 'byId'>;
  /** Of wrong signatures by address, as of wrong keys. */
  rateLimits: Pick<RateLimits, 'countFailure'>;
  baseUrl: () => string;
  /** PARLEY_BASE_URL; undefined: it is not set, and carriers may call any name of this server. */
  publicUrl: string | undefined;
  nowMs: () => number;
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
  const { dialect, form, providerId } = sent;
  const accountId = form.get('AccountSid') ?? '';
  for (const side of oursOf(form)) {
    const candidates = await deps.accounts.ofNumber(accountId, form.get(side) ?? '');
    const [found, other] = candidates.filter(
      ({ account }) =>
        (providerId === undefined || account.id === providerId) && isFrom(deps, account, sent),
    );
    if (found && other && !dialect.provesOwner) throw new ApiError('invalid_signature', WHICH);
    if (found) return found;
  }
  return refuse(deps, sent);
}

/** Which of its numbers is ours; where it does not say, either may be. */
function oursOf(form: URLSearchParams): readonly string[] {
  const direction = form.get('Direction');
  if (direction === null) return ['To', 'From'];
  return [direction.startsWith('outbound') ? 'From' : 'To'];
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
  return refuse(deps, sent);
}

async function refuse(deps: AuthenticateDeps, { client, dialect }: Sent): Promise<never> {
  await deps.rateLimits.countFailure(client.address ?? '');
  throw new ApiError('invalid_signature', dialect.unsigned);
}

const WHICH =
  'several namespaces have declared this account and number: name the TelephonyProvider that is meant in the ' +
  "carrier's address of the webhook, as in /voice?provider=tp_…";

function isFrom(deps: AuthenticateDeps, account: Account, sent: Sent): boolean {
  const { dialect } = sent;
  const at = { bases: basesOf(deps, sent), nowMs: deps.nowMs() };
  return account.type === dialect.type && dialect.isSigned(account, sent, at);
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
