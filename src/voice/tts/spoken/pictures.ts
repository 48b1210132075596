/**
 * Emoji. The characters in `SIGNS` (such as ©, ®, ™, ℹ and arrows) are exceptions, because a voice may say their names.
 */
const PICTURE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}]/u;
const SIGNS = /[©®™ℹ‼⁉\u2190-\u21ff\u24c2〰〽㊗㊙]/u;
/** Characters that join several emoji into one. */
const JOINERS = /[\u200d\u{e0020}-\u{e007f}]/u;
const SILENT = /[\ufe0f\u20e3]/u;

/** Returns whether a character is omitted from speech. The digit of a keycap emoji (1️⃣) is spoken. */
export function isPicture(character: string, isAfterPicture: boolean): boolean {
  if (SILENT.test(character)) return true;
  if (JOINERS.test(character)) return isAfterPicture;
  return PICTURE.test(character) && !SIGNS.test(character);
}
