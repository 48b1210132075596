import { isIPv4 } from 'node:net';
import {
  FORBIDDEN,
  FORBIDDEN_SCOPED,
  percentEncoded,
  PUBLIC_DEAD,
  PUBLIC_V4,
  PUBLIC_V6,
  spellings,
  type Forbidden,
} from './ssrf-addresses.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

/** Answers for a name: one list of addresses for each lookup. Then the last list stays, or all of them repeat. */
export type Zone = { lookups: string[][]; repeats: boolean };

/** The status of an answer from the outside, or the class of the error. */
export type Expected = number | 'blocked' | 'connect';

export type SsrfCase = {
  address: string;
  form: string;
  url: string;
  /** Answers for the name in `url`. */
  zone?: Zone;
  /** An address in the hosts file, instead of a zone. */
  hosts?: string;
  /** Expected results of consecutive requests. */
  expected: Expected[];
  /** Unguarded code that reaches the canary in this case. Without it the case would prove nothing. */
  control: 'fetch' | 'check, then fetch' | 'connect' | 'none';
};

export const DOMAIN = 'ssrf.test';
/** In the short run, each case represents this number of cases. */
const EVERY_FORM = 8;
const EVERY_ADDRESS = 32;
export const REDIRECTS = [301, 302, 303, 307, 308];

/**
 * Returns every address in every form. The short run takes every eighth form, offset by `turn`. The names are unique,
 * so that no case affects another.
 */
export function makeCases(turn: number): SsrfCase[] {
  const cases = FORBIDDEN.flatMap((forbidden, i) =>
    [...literalCases(forbidden), ...nameCases(forbidden), ...redirectCases(forbidden)].filter(
      (_, j) => IS_NIGHTLY || (i + j + turn) % EVERY_FORM === 0,
    ),
  );
  return [...cases, ...scopedCases()].map((made, index) => {
    const name = `c${index}.${DOMAIN}`;
    return {
      ...made,
      url: made.url.replace('ENCODED', percentEncoded(name)).replace('NAME', name),
    };
  });
}

/** Returns all forbidden addresses. The short run takes one in EVERY_ADDRESS, offset by `turn`. */
export function addressesOf(turn: number): readonly Forbidden[] {
  return FORBIDDEN.filter((_, i) => IS_NIGHTLY || (i + turn) % EVERY_ADDRESS === 0);
}

function literalCases({ address, isConnectable }: Forbidden): SsrfCase[] {
  const all = Object.entries(spellings(address));
  const host = all[0]![1];
  const urls = [
    ...all.map(([form, spelled]) => [form, `http://${spelled}/`] as const),
    ['https', `https://${host}/`] as const,
    ['without slashes', `http:${host}/`] as const,
    ['backslashes', `http:\\\\${host}\\`] as const,
    ['three slashes', `HtTp:///${host}`] as const,
    ['spaces around', ` \u0001http://${host}/ `] as const,
    ['another host in the query', `http://${host}?@${PUBLIC_V4}/`] as const,
    ['another host in the fragment', `http://${host}#@${PUBLIC_V4}/`] as const,
    ['another host as the user', `http://${PUBLIC_V4}@${host}/`] as const,
  ];
  return urls.map(([form, url]) => ({
    address,
    form: `literal, ${form}`,
    url,
    expected: ['blocked'],
    // `fetch` itself refuses a user name.
    control: isConnectable && !form.endsWith('user') ? 'fetch' : 'none',
  }));
}

function nameCases({ address, isConnectable }: Forbidden): SsrfCase[] {
  const same = isIPv4(address) ? PUBLIC_V4 : PUBLIC_V6;
  const other = isIPv4(address) ? PUBLIC_V6 : PUBLIC_V4;
  const zone = (...lookups: string[][]): Zone => ({ lookups, repeats: false });
  const fetched = isConnectable ? 'fetch' : 'none';
  const fooled = isConnectable ? 'check, then fetch' : 'none';
  const inside = { address, zone: zone([address]), control: fetched } as const;
  const mixed = { address, url: 'http://NAME/', control: 'none' } as const;
  const url = 'http://NAME/';
  return [
    { ...inside, form: 'name', url, expected: ['blocked'] },
    { ...inside, form: 'name, https', url: 'https://NAME/', expected: ['blocked'] },
    { ...inside, form: 'name, trailing dot', url: 'http://NAME./', expected: ['blocked'] },
    { ...inside, form: 'name, encoded', url: 'http://ENCODED/', expected: ['blocked'] },
    { ...mixed, form: 'hosts file', hosts: address, expected: ['blocked'] },
    { ...mixed, form: 'twice', zone: zone([address, address]), expected: ['blocked'] },
    { ...mixed, form: 'public first', zone: zone([same, address]), expected: [200] },
    { ...mixed, form: 'public last', zone: zone([address, same]), expected: [200] },
    {
      ...mixed,
      form: 'public in the middle',
      zone: zone([address, same, address]),
      expected: [200],
    },
    { ...mixed, form: 'public of the other family', zone: zone([address, other]), expected: [200] },
    {
      ...mixed,
      form: 'public after many',
      zone: zone([...Array<string>(6).fill(address), same]),
      expected: [200],
    },
    {
      ...mixed,
      form: 'public without a route',
      zone: zone([PUBLIC_DEAD, address]),
      expected: ['connect'],
      control: fetched,
    },
    {
      ...mixed,
      form: 'rebinding at connect',
      zone: zone([same], [address]),
      expected: [200],
      control: fooled,
    },
    {
      ...mixed,
      form: 'rebinding to a mixed set',
      zone: zone([same], [address, same]),
      expected: [200, 200],
    },
    {
      ...mixed,
      form: 'rebinding at the next request',
      zone: zone([same], [address]),
      expected: [200, 'blocked', 'blocked'],
      control: fooled,
    },
    {
      ...mixed,
      form: 'alternating',
      zone: { lookups: [[same], [address]], repeats: true },
      expected: [200, 'blocked', 200, 'blocked'],
      control: fooled,
    },
  ];
}

function redirectCases({ address, isConnectable }: Forbidden): SsrfCase[] {
  const [host] = Object.values(spellings(address));
  const to = encodeURIComponent(`http://${host}/`);
  return [
    ...REDIRECTS.map((status): SsrfCase => ({
      address,
      form: `redirect ${status}`,
      url: `http://${PUBLIC_V4}/redirect/${status}?to=${to}`,
      expected: [status],
      control: isConnectable ? 'fetch' : 'none',
    })),
    {
      address,
      form: 'refresh, alt-svc, link',
      url: `http://${PUBLIC_V4}/hints?to=${to}`,
      expected: [200],
      control: 'none',
    },
  ];
}

/** Returns cases with a scope, because the kernel connects to a scoped link-local address. */
function scopedCases(): SsrfCase[] {
  const address = FORBIDDEN_SCOPED;
  const literal = { address, expected: ['blocked' as const], control: 'none' as const };
  return [
    { ...literal, form: 'hosts file', url: 'http://NAME/', hosts: address, control: 'connect' },
    { ...literal, form: 'literal, scope', url: 'http://[fe80::1%lo]/' },
    { ...literal, form: 'literal, encoded scope', url: 'http://[fe80::1%25lo]/' },
  ];
}
