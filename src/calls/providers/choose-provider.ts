import type { NumberType } from 'libphonenumber-js/max';
import { ApiError } from '../../errors.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import type { CallRow } from '../calls.sql.ts';
import { countAsked, countLive, lockDialing } from './dialing.sql.ts';
import type { OutboundTerms } from './account.ts';
import type { Account, Accounts, BoundNumber } from './find-account.ts';

type Asked = Pick<CallRow, 'namespace' | 'agentId' | 'direction' | 'from' | 'to' | 'provider'>;

/** Account and calling number chosen for an outbound call. */
export type Chosen = {
  account: Account & { outbound: NonNullable<Account['outbound']> };
  call: { from: string; telephonyProviderId: string; agentVersion: number | null };
};

/**
 * Chooses the account and the calling number for an outbound call. The account is that of the call's TelephonyProvider,
 * which must be allowed to call the number.
 * @throws ApiError invalid_body
 */
export async function chooseProvider(
  { accounts }: { accounts: Pick<Accounts, 'byName' | 'numbersOf'> },
  asked: Asked,
): Promise<Chosen> {
  const { namespace, provider, direction } = asked;
  if (direction === 'inbound') {
    throw invalid(
      '/direction',
      'not_simulated',
      'An inbound call starts at its carrier. Set `provider` to "simulated" to simulate one.',
    );
  }
  const account = await accounts.byName(namespace, provider);
  if (!account) {
    const detail = `TelephonyProvider "${provider}" does not exist or is not ready. Check its conditions.`;
    throw invalid('/provider', 'unknown_provider', detail);
  }
  const outbound = await requireCallable(account, asked.to ?? '', '/provider');
  const { number, agentVersion = null } = await chooseNumber(accounts, account, asked);
  return {
    account: { ...account, outbound },
    call: { from: number, telephonyProviderId: account.id, agentVersion },
  };
}

/**
 * Checks that an account may call the number, and returns its settings for outbound calls. `pointer` is the JSON
 * Pointer in the error if the account may not place outbound calls.
 * @throws ApiError invalid_body
 */
export async function requireCallable(
  { name, outbound }: Pick<Account, 'name' | 'outbound'>,
  to: string,
  pointer: string,
): Promise<OutboundTerms> {
  if (!outbound) {
    const detail = `TelephonyProvider "${name}" may not place calls. Add \`outbound\` with the countries it may call.`;
    throw invalid(pointer, 'outbound_not_allowed', detail);
  }
  await requireOrdinary(to, outbound.countries);
  return outbound;
}

/**
 * Types of numbers that may be called. Calls to premium, shared-cost and personal numbers, pagers and voicemail cost
 * extra, and fraudsters profit from such calls.
 */
const ORDINARY: readonly NumberType[] = [
  'FIXED_LINE',
  'MOBILE',
  'FIXED_LINE_OR_MOBILE',
  'VOIP',
  'TOLL_FREE',
  'UAN',
];

/**
 * Checks that a number is of an ordinary type and in one of the declared countries. Calls cost money, and much more in
 * some countries than in others.
 */
async function requireOrdinary(to: string, countries: readonly string[]): Promise<void> {
  // The package is loaded on first use, because loading it takes 40 ms.
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/max');
  const number = parsePhoneNumberFromString(to);
  if (!number?.isValid()) {
    throw invalid('/to', 'invalid_number', `${to} is not a valid phone number.`);
  }
  const type = number.getType();
  if (!ORDINARY.includes(type)) {
    const kind = type?.toLowerCase().replaceAll('_', '-') ?? 'unknown';
    const code = type === 'PREMIUM_RATE' ? 'premium_rate' : 'number_type_not_allowed';
    const detail = `${to} is a ${kind} number, which may cost extra. Use a fixed, mobile, VoIP, toll-free or company (UAN) number.`;
    throw invalid('/to', code, detail);
  }
  const country = number.country ?? 'no country';
  if (number.country !== undefined && countries.includes(number.country)) return;
  const detail = `${to} belongs to ${country}, but this TelephonyProvider may only call ${countries.join(', ')}.`;
  throw invalid('/to', 'country_not_allowed', detail);
}

/**
 * Returns the requested number. If none is requested, returns the first number bound to the agent, or else the
 * account's first number.
 */
async function chooseNumber(
  accounts: Pick<Accounts, 'numbersOf'>,
  account: Account,
  { agentId, from }: Asked,
): Promise<BoundNumber> {
  const numbers = await accounts.numbersOf(account);
  const ofAgent = numbers.filter((one) => one.agentId === agentId);
  const chosen =
    from === null ? (ofAgent[0] ?? numbers[0]) : numbers.find(({ number }) => number === from);
  if (!chosen) {
    const detail =
      from === null
        ? `TelephonyProvider "${account.name}" has no number to call from.`
        : `${from} is not a number of TelephonyProvider "${account.name}".`;
    throw invalid('/from', 'unknown_number', detail);
  }
  // The version bound to a number applies only to the agent bound to the same number.
  return chosen.agentId === agentId ? chosen : { ...chosen, agentVersion: undefined };
}

const MINUTE_MS = 60_000;

/**
 * Checks the limits on outbound calls. The lock prevents concurrent requests from exceeding the limits together. Both
 * counts use an index.
 * @throws ApiError rate_limited, too_many_in_flight
 */
export async function requireRoomToDial(
  db: Db,
  { id, name, outbound }: Chosen['account'],
): Promise<void> {
  await lockDialing(db, id);
  const { maxConcurrentCalls, maxCallsPerMinute } = outbound;
  const live = await countLive(db, { telephonyProviderId: id, direction: 'outbound' });
  if (live >= maxConcurrentCalls) {
    const detail = `TelephonyProvider "${name}" already has ${maxConcurrentCalls} outbound calls in progress, its maximum.`;
    throw new ApiError('too_many_in_flight', detail, { retryAfterSec: 10 });
  }
  const asked = await countAsked(db, { telephonyProviderId: id, ms: MINUTE_MS });
  if (asked < maxCallsPerMinute) return;
  const detail = `TelephonyProvider "${name}" may place at most ${maxCallsPerMinute} calls per minute.`;
  throw new ApiError('rate_limited', detail, { retryAfterSec: MINUTE_MS / 1_000 });
}

function invalid(pointer: string, code: string, detail: string): ApiError {
  return new ApiError('invalid_body', detail, { errors: [{ pointer, code, detail }] });
}
