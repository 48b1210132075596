import { z } from 'zod';

const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+( [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u;

export const KEY_NAME_MAX = 100;

export const PLAIN_NAME_WORDS =
  'must consist of letters, digits and symbols, separated by single spaces';

/**
 * Returns true if a name has only letters, marks, digits, punctuation and symbols, separated by single spaces. Such a
 * name has no invisible characters.
 */
export function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

/** Returns the schema of a name that people read in lists, histories and logs. It has at most `max` characters. */
export function plainName(max: number): z.ZodType<string> {
  const isPlain = (name: string): boolean => name === '' || isPlainName(name);
  return z.string().trim().min(1).max(max).refine(isPlain, PLAIN_NAME_WORDS);
}
