/**
 * Words that networks send as digits if a caller hides their number. Each letter becomes its key on a telephone:
 * +266696687 spells "anonymous".
 */
const HIDDEN_WORDS = [
  'anonymous',
  'blocked',
  'no caller id',
  'no id',
  'not available',
  'private',
  'restricted',
  'unavailable',
  'unknown',
  'withheld',
];
const KEYS = ['', '', 'abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];
const HIDDEN = new Set(HIDDEN_WORDS.map((word) => `+${keyed(word)}`));

/** Returns the E.164 number of a caller, or null if the network sends no number or a word in its place. */
export function callerNumber(text: string | null): string | null {
  if (text === null || !/^\+[1-9][0-9]{1,14}$/.test(text)) return null;
  return HIDDEN.has(text) ? null : text;
}

function keyed(word: string): string {
  return word
    .replaceAll(' ', '')
    .replaceAll(/./g, (letter) => String(KEYS.findIndex((key) => key.includes(letter))));
}
