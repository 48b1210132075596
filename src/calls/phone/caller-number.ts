/** Words that networks spell on telephone keys if a caller hides the number, such as +266696687 for "anonymous". */
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

/** Returns the number of a caller in E.164, or null if the network sends none or sends a word instead. */
export function callerNumber(text: string | null): string | null {
  if (text === null || !/^\+[1-9][0-9]{1,14}$/.test(text)) return null;
  return HIDDEN.has(text) ? null : text;
}

function keyed(word: string): string {
  return word
    .replaceAll(' ', '')
    .replaceAll(/./g, (letter) => String(KEYS.findIndex((key) => key.includes(letter))));
}
