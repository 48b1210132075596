import { randomUUID } from 'node:crypto';
import { epochMs } from './clock.ts';

/**
 * An ID is a prefix for the kind, `_`, and a UUIDv7 (RFC 9562 §5.7) in lower-case Crockford base32 (26 characters,
 * contract/names.md#ids). IDs sort by creation time, and that time determines the daily partition of a row. SQL stores
 * the bare UUID. The API and the logs use the text form.
 */
export const ID_PREFIXES = {
  agent: 'agt',
  conversation: 'conv',
  call: 'call',
  source: 'ks',
  endpoint: 'we',
  event: 'evt',
  delivery: 'dlv',
  attempt: 'att',
  escalation: 'esc',
  erasure: 'era',
  gap: 'gap',
  key: 'key',
  request: 'req',
  job: 'job',
  document: 'doc',
  chunk: 'chk',
  audit: 'aud',
  tool: 'tool',
  provider: 'mp',
  telephonyProvider: 'tp',
  session: 'ses',
  sync: 'sync',
  note: 'note',
  rollout: 'ro',
  recall: 'rcl',
  cannedReply: 'reply',
} as const;

/** Prefix of a kind that is defined in its own folder instead of in `ID_PREFIXES`. */
type KindPrefix = string & { readonly __prefix: 'kind' };
export type IdPrefix = (typeof ID_PREFIXES)[keyof typeof ID_PREFIXES] | KindPrefix;
export type Id<P extends IdPrefix> = `${P}_${string}` & { readonly __id: P };
export type EventId = Id<'evt'>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const OPAQUE_LENGTH = 26;
const HEX = '0123456789abcdef';
const BASE32_VALUES = valuesOf(ALPHABET);
const HEX_VALUES = valuesOf(HEX);

/** Returns a new ID of the given kind. `atMs` is the Unix time in ms that the ID contains. */
export function newId<P extends IdPrefix>(prefix: P, atMs: number = epochMs()): Id<P> {
  return fromUuid(prefix, newUuid(atMs));
}

/** Time in the newest ID of this process, and the number of earlier IDs with the same millisecond. */
const last = { ms: 0, earlier: 0 };
/** Maximum of the twelve-bit counter. Any further IDs of the same millisecond are not ordered. */
const EARLIER_MAX = 0xfff;

/**
 * Returns a UUIDv7 with hyphens. IDs that a process creates within one millisecond sort in creation order (RFC 9562
 * §6.2, method 1). The random bits are taken from a UUIDv4, because Node generates those in bulk.
 */
export function newUuid(atMs: number = epochMs()): string {
  const ms = Math.floor(atMs);
  last.earlier = ms === last.ms ? Math.min(last.earlier + 1, EARLIER_MAX) : 0;
  last.ms = ms;
  const time = ms.toString(16).padStart(12, '0');
  const order = last.earlier.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(18)}`;
}

/** Number of unused bits: 26 digits have 130 bits, and a UUID has 128. The upper two are zero in every valid ID. */
const SPARE_BITS = 2;

/** Converts a UUID to an ID, such as `evt_…`. The conversions avoid BigInt, which takes ten times as long. */
export function fromUuid<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  let opaque = '';
  let value = 0;
  let bits = SPARE_BITS;
  for (let i = 0; i < uuid.length; i += 1) {
    const digit = HEX_VALUES[uuid.charCodeAt(i)];
    if (digit === undefined) continue; // A hyphen has no value and is skipped.
    value = (value << 4) | digit;
    bits += 4;
    if (bits < 5) continue;
    bits -= 5;
    opaque += ALPHABET[value >> bits];
    value &= (1 << bits) - 1;
  }
  return `${prefix}_${opaque}` as Id<P>; // The cast is safe: the template above has this form.
}

/** Returns the UUID in an ID of this kind, or null if the text is not such an ID. */
export function toUuid(prefix: IdPrefix, id: string): string | null {
  if (id.length !== prefix.length + 1 + OPAQUE_LENGTH || !id.startsWith(`${prefix}_`)) return null;
  let hex = '';
  let value = 0;
  let bits = -SPARE_BITS;
  for (let i = prefix.length + 1; i < id.length; i += 1) {
    const digit = BASE32_VALUES[id.charCodeAt(i)];
    if (digit === undefined) return null;
    value = (value << 5) | digit;
    bits += 5;
    while (bits >= 4) {
      bits -= 4;
      if (value >> bits > 15) return null; // Not an ID: the first digit sets an unused bit.
      hex += HEX[value >> bits];
      value &= (1 << bits) - 1;
    }
  }
  return hyphenate(hex);
}

export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return toUuid(prefix, text) !== null;
}

export function uuidTimeMs(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

/** Returns the lowest UUIDv7 of a millisecond, for use as the boundary of a partition or a time filter. */
export function lowestUuidAt(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0');
  return hyphenate(time.padEnd(32, '0'));
}

/** Returns the UUID that follows this one in sort order. */
export function nextUuid(uuid: string): string {
  // No overflow: the version bits of a UUIDv7 keep it below the highest value.
  const value = BigInt(`0x${uuid.replaceAll('-', '')}`) + 1n;
  return hyphenate(value.toString(16).padStart(32, '0'));
}

function hyphenate(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns the value of each digit, indexed by character code. Other characters have no entry. */
function valuesOf(digits: string): (number | undefined)[] {
  const values: (number | undefined)[] = Array.from({ length: 128 });
  for (let i = 0; i < digits.length; i += 1) values[digits.charCodeAt(i)] = i;
  return values;
}
