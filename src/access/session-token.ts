import { createHash, randomBytes } from 'node:crypto';

/** What signs in: random texts, of which only a hash is stored. */

const SESSION_BYTES = 30;
/** Digits of ids: easy to copy, and nothing that a terminal takes for the end of a link. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const SIGN_IN_LENGTH = 26;

/** 240 random bits. */
export function newSessionToken(): string {
  return randomBytes(SESSION_BYTES).toString('base64url');
}

/** What is none is not looked for. */
export function isSessionToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{40}$/.test(text);
}

/** 130 random bits in 26 characters, for a link that fits in a line. */
export function newSignInToken(): string {
  return [...randomBytes(SIGN_IN_LENGTH)].map((byte) => DIGITS[byte % DIGITS.length]).join('');
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
