import { z } from 'zod';

const PLAIN = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+( [\p{L}\p{M}\p{N}\p{P}\p{S}]+)*$/u;

export const KEY_NAME_MAX = 100;

export const PLAIN_NAME_WORDS = 'must be letters, digits and signs with single spaces between';

/** Returns whether a name has letters, marks, digits, punctuation and signs, with single spaces between: nothing invisible. */
export function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

/** A name of at most `max` characters that people read in lists, histories and logs. */
export function plainName(max: number): z.ZodType<string> {
  const isPlain = (name: string): boolean => name === '' || isPlainName(name);
  return z.string().trim().min(1).max(max).refine(isPlain, PLAIN_NAME_WORDS);
}
