import { expect, test } from 'vitest';
import {
  addressesOf,
  createOf,
  draftOf,
  NEW_ACCOUNT,
  patchOf,
  type Account,
  type AccountDraft,
} from '../../packages/dashboard/src/pages/settings/telephony/telephony-values.ts';

/** What the form of an account at a carrier sends. */

const HOURS = { time_zone: 'Europe/Berlin' };
const account = {
  id: 'tp_1',
  name: 'main',
  type: 'twilio',
  account_id: 'AC1',
  auth_token_secret_ref: { name: 'tp-1-key', key: 'key-1' },
  public_key: null,
  application_id: null,
  api_url: null,
  numbers: [{ number: '+442071838750', agent: 'front-desk', hours: HOURS }],
  outbound: { countries: ['GB'], ring_sec: 20 },
} as unknown as Account;
const changed = (change: Partial<AccountDraft>) =>
  patchOf(account, { ...draftOf(account), ...change });

test('a new account is sent without the fields that are empty or of another carrier', () => {
  const draft: AccountDraft = {
    ...NEW_ACCOUNT,
    name: 'main',
    account_id: ' AC1 ',
    auth_token: 'token',
    public_key: 'left over',
  };
  expect(createOf(draft)).toEqual({
    name: 'main',
    type: 'twilio',
    account_id: 'AC1',
    auth_token: 'token',
  });
  expect(createOf({ ...draft, type: 'telnyx', countries: 'gb\n de' })).toMatchObject({
    public_key: 'left over',
    outbound: { countries: ['GB', 'DE'] },
  });
});

test('a change sends what changed, and keeps what the form does not show', () => {
  expect(changed({})).toBeUndefined();
  expect(changed({ auth_token: 'new' })).toEqual({ auth_token: 'new' });
  expect(changed({ countries: 'GB\nDE' })).toEqual({
    outbound: { countries: ['GB', 'DE'], ring_sec: 20 },
  });
  expect(changed({ countries: '' })).toEqual({ outbound: null });
  const other = { number: '+442071838751', agent: 'sales' };
  expect(changed({ numbers: [...account.numbers, other, { number: '', agent: '' }] })).toEqual({
    numbers: [...account.numbers, other],
  });
  expect(changed({ api_url: 'https://a.example' })).toEqual({ api_url: 'https://a.example' });
});

test.each([
  ['twilio', 'A call comes in', '/v1/telephony/twilio/voice'],
  ['telnyx', 'Voice URL', '/v1/telephony/telnyx/voice?provider=tp_1'],
  ['plivo', 'Answer URL', '/v1/telephony/plivo/voice?provider=tp_1'],
] as const)(
  '%s calls an address that names the provider if its requests do not',
  (type, name, path) => {
    const [voice, status] = addressesOf({ ...account, type }, 'https://parley.example.com');
    expect(voice).toEqual([name, `https://parley.example.com${path}`]);
    expect(status?.[1]).toBe(voice?.[1].replace('voice', 'status'));
  },
);
