import type { Piece } from './piece.ts';

/** Web address in a text. `shown` is the address as it is written, and `href` is the target of the link. */
export type Address = { shown: string; href: string };

/** Returns the text with its web addresses as links. The rest of the text does not change. */
export function linked(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { index } of text.matchAll(BEGINNING)) {
    const address = index < from ? undefined : addressAt(text, index);
    if (!address) continue;
    if (index > from) pieces.push(text.slice(from, index));
    pieces.push({ tag: 'a', href: address.href, children: [address.shown] });
    from = index + address.shown.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/**
 * Reads the web address that begins at an index. The address ends as GFM §6.9 defines, and also where the sentence
 * continues in a script without spaces, such as Chinese.
 *
 * @returns undefined if no address begins there, or if browsers could open a different host than readers expect
 */
export function addressAt(text: string, at: number): Address | undefined {
  AUTHORITY.lastIndex = at;
  const [authority, host = ''] = AUTHORITY.exec(text) ?? [];
  if (authority === undefined || isLetter(text, at - 1)) return undefined;
  const hostEnd = scriptChange(host) ?? host.length;
  if (hostEnd < host.length) {
    // The text after `hostEnd` is either the continuation of a sentence, or part of an international host name. An
    // international host name does not become a link.
    if (!/\.[a-z]+$/i.test(host.slice(0, hostEnd)) || /\.[\p{L}\p{N}]/u.test(host.slice(hostEnd)))
      return undefined;
    return addressOf(authority.slice(0, authority.length - host.length + hostEnd));
  }
  const rest = at + authority.length;
  REST.lastIndex = rest;
  const [tail = ''] = REST.exec(text) ?? [];
  // No sentence continues with one of these characters, such as `@` or a soft hyphen, directly after a host. Browsers
  // could open a different host, so the address does not become a link.
  if (tail === '' && NO_END.test(text.slice(rest, rest + 2))) return undefined;
  const whole = authority + tail;
  return addressOf(trimmed(whole.slice(0, scriptChange(whole) ?? whole.length)));
}

/** Returns the target of a link, or undefined if browsers would open a host other than the one in the text. */
export function webAddress(text: string): string | undefined {
  const written = /^https?:\/\/([^/?#\\]*)/i.exec(text)?.[1]?.replace(/:\d*$/, '');
  if (!written || !URL.canParse(text)) return undefined;
  const { hostname, username, password, href } = new URL(text);
  if (username !== '' || password !== '' || written.includes('@')) return undefined;
  // Browsers replace look-alike characters, such as full-width letters, and convert a host that is a number to an IP
  // address. Such hosts do not become links.
  const isPlain = /^[\x21-\x7e]*$/.test(written);
  const isSame = isPlain
    ? hostname === written.toLowerCase()
    : written.normalize('NFKC') === written && /^[\p{L}\p{M}\p{N}.-]+$/u.test(written);
  return isSame ? href : undefined;
}

const BEGINNING = /https?:\/\//gi;
const AUTHORITY = /https?:\/\/(\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}_.-]+)(?::\d{1,5})?/iuy;
/**
 * Pattern for path, query and fragment. Excludes quotes, pipe characters, emoji and full-width punctuation, because
 * addresses contain them only in percent-encoded form.
 */
const REST =
  /[/?#](?:(?![<>"`|\\]|[“”‘’«»…–—،؛؟۔।\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]|\p{Extended_Pictographic})\S)*/uy;
const NO_END = /^(?:[@\d]|\p{Cf}|:[^\s*_~'")\]}])/u;

function addressOf(shown: string): Address | undefined {
  // A period directly after the host ends the sentence and is not part of the address.
  const kept = trimmed(shown);
  const href = webAddress(kept);
  return href === undefined ? undefined : { shown: kept, href };
}

/**
 * Returns the position at which a letter of a script without spaces follows a Latin letter, a digit or a closing
 * bracket, or undefined if there is no such position.
 */
function scriptChange(text: string): number | undefined {
  const found = /([\p{Script=Latin}\d)\]}])(?![\p{ASCII}\p{Script=Latin}])\p{L}/u.exec(text);
  return found ? found.index + found[1]!.length : undefined;
}

const isLetter = (text: string, at: number): boolean => /[a-z\d]/i.test(text[at] ?? '');

/**
 * Removes from the end the punctuation that belongs to the sentence, and closing brackets that have no opening bracket.
 */
function trimmed(text: string): string {
  const surplus = new Map(
    [...BRACKETS].map(([close, open]) => [close, count(text, close) - count(text, open)]),
  );
  let end = text.length;
  while (end > 0) {
    const last = text[end - 1]!;
    const left = surplus.get(last);
    if (left === undefined ? !TRAILING.test(last) : left <= 0) break;
    if (left !== undefined) surplus.set(last, left - 1);
    end -=
      last === ';' ? (ENTITY.exec(text.slice(Math.max(0, end - 12), end))?.[0].length ?? 1) : 1;
  }
  return text.slice(0, end);
}

const BRACKETS = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const TRAILING = /[.,:;!?*_~'"]/;
const ENTITY = /&[a-z\d]+;$/i;

const count = (text: string, what: string): number => text.split(what).length - 1;
