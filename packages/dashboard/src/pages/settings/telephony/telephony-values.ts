import type { BodyOf, ItemOf } from '../../../data/parley.ts';
import { isSame, linesOf, setMembers, textOfLines } from '../../../form/merge.ts';

export type Account = ItemOf<'/v1/telephony_providers'>;
type Create = BodyOf<'/v1/telephony_providers', 'post'>;
type Patch = BodyOf<'/v1/telephony_providers/{id}', 'patch'>;

/**
 * The carriers, each with its own names for the account, the token and two addresses. The carrier requests the first
 * address when a call comes in, and the second when the status of a call changes.
 */
export const CARRIERS = {
  twilio: {
    name: 'Twilio or compatible',
    account: 'Account SID',
    token: 'Auth token',
    newToken: 'New auth token',
    addresses: ['A call comes in', 'Call status changes'],
    where: 'at each number',
  },
  telnyx: {
    name: 'Telnyx',
    account: 'User ID',
    token: 'API key',
    newToken: 'New API key',
    addresses: ['Voice URL', 'Status callback'],
    where: 'in a TeXML application, and assign the numbers to it',
  },
  plivo: {
    name: 'Plivo',
    account: 'Auth ID',
    token: 'Auth token',
    newToken: 'New auth token',
    addresses: ['Answer URL', 'Hangup URL'],
    where: 'in an application, and assign the numbers to it',
  },
} as const;
export type Carrier = keyof typeof CARRIERS;

/** Form values of an account with a carrier. */
export type AccountDraft = {
  name: string;
  type: Carrier;
  account_id: string;
  /** Plain-text token, or empty to keep the stored token. */
  auth_token: string;
  public_key: string;
  application_id: string;
  api_url: string;
  numbers: readonly Account['numbers'][number][];
  /** Codes of the countries that may be called, one per line. If empty, the account places no calls. */
  countries: string;
};

export const NEW_ACCOUNT: AccountDraft = {
  name: '',
  type: 'twilio',
  account_id: '',
  auth_token: '',
  public_key: '',
  application_id: '',
  api_url: '',
  numbers: [{ number: '', agent: '' }],
  countries: '',
};

/** Returns the addresses to enter at the carrier, each with the carrier's name for it. */
export function addressesOf({ id, type }: Account, origin: string): [name: string, url: string][] {
  const [voice, status] = CARRIERS[type].addresses;
  // Twilio's requests name the account. Requests from other carriers may not, so the address contains the account's ID.
  const query = type === 'twilio' ? '' : `?provider=${id}`;
  const url = (path: string): string => `${origin}/v1/telephony/${type}/${path}${query}`;
  return [
    [voice, url('voice')],
    [status, url('status')],
  ];
}

export function draftOf(account: Account): AccountDraft {
  return {
    name: account.name,
    type: account.type,
    account_id: account.account_id,
    auth_token: '',
    public_key: account.public_key ?? '',
    application_id: account.application_id ?? '',
    api_url: account.api_url ?? '',
    numbers: account.numbers,
    countries: textOfLines(account.outbound?.countries),
  };
}

export function createOf(draft: AccountDraft): Create {
  const { name, auth_token } = draft;
  // `setMembers` loses the types, but the members are those of the request body.
  return setMembers({ name, auth_token, ...membersOf(draft, null) }) as Create;
}

/**
 * Returns the changed fields, or undefined if nothing changed. Keeps settings that the form does not show, such as the
 * hours of numbers and the limits on calls.
 */
export function patchOf(account: Account, draft: AccountDraft): Patch | undefined {
  const before = membersOf(draftOf(account), account.outbound);
  const after = membersOf(draft, account.outbound);
  const changed = Object.entries(after).filter(([name, value]) => !isSame(before[name], value));
  const patch = {
    ...Object.fromEntries(changed.map(([name, value]) => [name, value || null])),
    ...(draft.auth_token && { auth_token: draft.auth_token }),
  };
  return Object.keys(patch).length > 0 ? (patch as Patch) : undefined;
}

function membersOf(
  { type, countries, numbers, ...draft }: AccountDraft,
  outbound: Account['outbound'],
): Record<string, unknown> {
  const allowed = linesOf(countries.toUpperCase());
  const isTelnyx = type === 'telnyx';
  return {
    type,
    account_id: draft.account_id.trim(),
    api_url: draft.api_url.trim(),
    public_key: isTelnyx ? draft.public_key.trim() : '',
    application_id: isTelnyx ? draft.application_id.trim() : '',
    numbers: numbers.filter(({ number }) => number.trim() !== ''),
    outbound: allowed.length > 0 ? { ...outbound, countries: allowed } : null,
  };
}
