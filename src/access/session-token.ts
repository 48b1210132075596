import { createHash, randomBytes } from 'node:crypto';

/** This module generates the tokens of sessions and sign-in links. Only the hashes of tokens are stored. */

const SESSION_BYTES = 30;
/**
 * Alphabet of sign-in tokens, the same as for ids. All of its characters are easy to copy, and terminals treat them as
 * part of a link.
 */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const SIGN_IN_LENGTH = 26;

/** Returns a new session token with 240 random bits. */
export function newSessionToken(): string {
  return randomBytes(SESSION_BYTES).toString('base64url');
}

/**
 * Returns true if the text has the form of a session token. Strings in any other form are rejected without a database
 * query.
 */
export function isSessionToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{40}$/.test(text);
}

/** Returns a sign-in token: 130 random bits in 26 characters, so that a link with the token fits on one line. */
export function newSignInToken(): string {
  return [...randomBytes(SIGN_IN_LENGTH)].map((byte) => DIGITS[byte % DIGITS.length]).join('');
}

export function tokenHashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
