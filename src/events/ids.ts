import { randomBytes } from 'node:crypto';

/**
 * Ids: a prefix that names the kind, then a UUIDv7 (RFC 9562 §5.7) in lower-case Crockford
 * base32 (26 characters, contract §1). They sort by creation time, and the time inside finds
 * the daily partition a row lives in. SQL holds the bare uuid; the text form is for people.
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
  gap: 'gap',
  key: 'key',
  request: 'req',
  job: 'job',
  document: 'doc',
  chunk: 'chk',
  audit: 'aud',
} as const;

export type IdPrefix = (typeof ID_PREFIXES)[keyof typeof ID_PREFIXES];
export type Id<P extends IdPrefix> = `${P}_${string}` & { readonly __id: P };
export type EventId = Id<'evt'>;

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const OPAQUE_LENGTH = 26;

/** A new id of the given kind. `atMs` is the Unix time in ms it carries. */
export function newId<P extends IdPrefix>(prefix: P, atMs: number = Date.now()): Id<P> {
  return fromUuid(prefix, newUuid(atMs));
}

/** A UUIDv7 in its hyphenated text form. */
export function newUuid(atMs: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Math.floor(atMs), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return hyphenate(bytes.toString('hex'));
}

/** `evt_…` from the uuid a row holds. */
export function fromUuid<P extends IdPrefix>(prefix: P, uuid: string): Id<P> {
  let value = BigInt(`0x${uuid.replaceAll('-', '')}`);
  let opaque = '';
  for (let i = 0; i < OPAQUE_LENGTH; i += 1) {
    opaque = ALPHABET[Number(value & 31n)]! + opaque;
    value >>= 5n;
  }
  return `${prefix}_${opaque}` as Id<P>; // Built to the form one line above.
}

/** The uuid inside an id of this kind, or null when the text is no such id. */
export function toUuid(prefix: IdPrefix, id: string): string | null {
  if (id.length !== prefix.length + 1 + OPAQUE_LENGTH || !id.startsWith(`${prefix}_`)) return null;
  let value = 0n;
  for (const character of id.slice(prefix.length + 1)) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = (value << 5n) | BigInt(digit);
  }
  // 26 digits carry 130 bits; the upper two are zero in every id we made.
  return value >> 128n === 0n ? hyphenate(value.toString(16).padStart(32, '0')) : null;
}

export function isId<P extends IdPrefix>(prefix: P, text: string): text is Id<P> {
  return toUuid(prefix, text) !== null;
}

/** The Unix time in ms that a UUIDv7 carries. */
export function uuidTimeMs(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

/** The lowest UUIDv7 of a moment: the bound of a partition, the start of a time filter. */
export function lowestUuidAt(atMs: number): string {
  const time = Math.max(0, Math.floor(atMs)).toString(16).padStart(12, '0');
  return hyphenate(time.padEnd(32, '0'));
}

/** The first id after this one, of whatever kind. */
export function nextUuid(uuid: string): string {
  const value = BigInt(`0x${uuid.replaceAll('-', '')}`) + 1n; // A UUIDv7 is never the last there is.
  return hyphenate(value.toString(16).padStart(32, '0'));
}

function hyphenate(hex: string): string {
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
