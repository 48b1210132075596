import { expect, test } from 'vitest';
import {
  requireSigned,
  signedFor,
  type AuthenticateDeps,
  type SentTo,
} from '../../../src/calls/phone/authenticate.ts';
import { readTwimlCallback } from '../../../src/carriers/twiml/callback.ts';
import type { Account } from '../../../src/calls/providers/find-account.ts';

/** Finds the account behind a carrier's request. The stand-in carrier accepts the tokens that a test names. */

const accountOf = (id: string, over: object = {}): Account =>
  ({ id, accountId: 'AC1', type: 'twilio', ...over }) as unknown as Account;

function sending(over: {
  form?: Record<string, string>;
  signedBy?: string[];
  providerId?: string;
  provesOwner?: boolean;
  /** Whether its forms name the account. Defaults to true. */
  namesAccount?: boolean;
}) {
  const bases: string[] = [];
  const sent = {
    client: { address: '1.2.3.4' },
    headers: { host: 'called.test' },
    callback: {
      ...readTwimlCallback(
        new URLSearchParams({ AccountSid: 'AC1', To: '+1', From: '+2', ...over.form }),
      ),
      ...(over.namesAccount === false && { accountId: undefined }),
    },
    providerId: over.providerId,
    carrier: {
      type: 'twilio',
      signature: {
        refusal: 'not signed',
        provesOwner: over.provesOwner ?? false,
        isSigned: (account: Account, { bases: called }: { bases: string[] }) => {
          bases.push(...called);
          return (over.signedBy ?? ['a']).includes(account.id);
        },
      },
    },
  } as unknown as SentTo;
  return { sent, bases };
}

function having(accounts: Record<string, Account[]>, publicUrl?: string) {
  const failures: string[] = [];
  const asked: string[] = [];
  const deps = {
    accounts: {
      ofNumber: async (accountId: string, number: string) => {
        asked.push(`${accountId} ${number}`);
        return (accounts[number] ?? []).map((account) => ({ account, bound: { number } }));
      },
      byId: async (id: string) =>
        Object.values(accounts)
          .flat()
          .find((account) => account.id === id),
      numbersOf: async ({ id }: Account) =>
        Object.keys(accounts)
          .filter((number) => accounts[number]!.some((account) => account.id === id))
          .map((number) => ({ number })),
    },
    rateLimits: { countFailure: async (address: string) => failures.push(address) },
    baseUrl: () => 'https://ours.test',
    publicUrl,
    nowMs: () => 0,
  } as unknown as AuthenticateDeps;
  return { deps, failures, asked };
}
const REFUSED = { code: 'invalid_signature' };

test('a request is of the account that has its number and signed it', async () => {
  const { deps, failures } = having({ '+1': [accountOf('b'), accountOf('a')] });
  const { sent, bases } = sending({});
  expect(await signedFor(deps, sent)).toMatchObject({
    account: { id: 'a' },
    bound: { number: '+1' },
  });
  expect(new Set(bases)).toEqual(
    new Set(['https://ours.test', 'https://called.test', 'http://called.test']),
  );
  await expect(signedFor(deps, sending({ signedBy: ['c'] }).sent)).rejects.toMatchObject(REFUSED);
  expect(failures).toEqual(['1.2.3.4']);
});

test('where the address of this server is configured, no other that Host names counts', async () => {
  const { deps } = having({ '+1': [accountOf('a')] }, 'https://ours.test');
  const { sent, bases } = sending({});
  await signedFor(deps, sent);
  await requireSigned(deps, accountOf('a'), sent);
  expect(bases).toEqual(['https://ours.test', 'https://ours.test']);
});

test('its number is the side that is ours, or either where it does not say', async () => {
  const { deps, asked } = having({ '+2': [accountOf('a')] });
  expect(await signedFor(deps, sending({}).sent)).toMatchObject({ bound: { number: '+2' } });
  for (const Direction of ['outbound-api', 'outbound-dial']) {
    expect(await signedFor(deps, sending({ form: { Direction } }).sent)).toBeDefined();
  }
  const inbound = sending({ form: { Direction: 'inbound' } }).sent;
  await expect(signedFor(deps, inbound)).rejects.toMatchObject(REFUSED);
  expect(asked).toEqual(['AC1 +1', 'AC1 +2', 'AC1 +2', 'AC1 +2', 'AC1 +1']);
});

test('of two that signed it the address names one, or the carrier proves who owns it', async () => {
  const { deps } = having({ '+1': [accountOf('a'), accountOf('b')] });
  const signedBy = ['a', 'b'];
  const ask = (over: Parameters<typeof sending>[0]) =>
    signedFor(deps, sending({ signedBy, ...over }).sent);
  await expect(ask({})).rejects.toThrow('Add the ID of the TelephonyProvider');
  expect(await ask({ providerId: 'b' })).toMatchObject({ account: { id: 'b' } });
  expect(await ask({ provesOwner: true })).toMatchObject({ account: { id: 'a' } });
  await expect(ask({ providerId: 'c' })).rejects.toMatchObject(REFUSED);
});

test('a known account is required to be the one, of the carrier, that signed it', async () => {
  const { deps, failures } = having({});
  const { sent } = sending({});
  expect(await requireSigned(deps, accountOf('a'), sent)).toMatchObject({ id: 'a' });
  for (const account of [
    undefined,
    accountOf('b'),
    accountOf('a', { accountId: 'AC2' }),
    accountOf('a', { type: 'telnyx' }),
  ]) {
    await expect(requireSigned(deps, account, sent)).rejects.toMatchObject(REFUSED);
  }
  expect(failures).toHaveLength(4);
});

test('a carrier that does not name the account has the address name the provider', async () => {
  const { deps, asked } = having({ '+1': [accountOf('a')], '+3': [accountOf('b')] });
  const ask = (over: Parameters<typeof sending>[0]) =>
    signedFor(deps, sending({ namesAccount: false, ...over }).sent);
  expect(await ask({ providerId: 'a' })).toMatchObject({
    account: { id: 'a' },
    bound: { number: '+1' },
  });
  for (const refused of [
    {},
    { providerId: 'nobody' },
    // The first names an account of this carrier without the number; the second names one that did not sign.
    { providerId: 'a', form: { To: '+3', From: '+3' } },
    { providerId: 'b', form: { To: '+3' } },
  ])
    await expect(ask(refused)).rejects.toMatchObject(REFUSED);
  expect(asked).toEqual([]);
  const { sent } = sending({ namesAccount: false });
  expect(await requireSigned(deps, accountOf('a', { accountId: 'AC2' }), sent)).toBeDefined();
});
