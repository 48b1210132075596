/** Pictures among letters, without signs that are words: ©, ®, ™, ℹ, arrows. */
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const SIGNS = /[©®™ℹ‼⁉\u2190-\u21ff\u24c2〰〽㊗㊙]/u;
/** What makes a sequence of several: joiners, tags, the sign that asks for colour, the box around a key. */
const JOINERS = /[\u200d\u{e0020}-\u{e007f}]/u;
const SILENT = /[\ufe0f\u20e3]/u;

/** Whether a character is left out: of a key in a box its digit is said. */
export function isPicture(character: string, isAfterPicture: boolean): boolean {
  if (SILENT.test(character)) return true;
  if (JOINERS.test(character)) return isAfterPicture;
  return PICTURE.test(character) && !SIGNS.test(character);
}
