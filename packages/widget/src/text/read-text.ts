import { linked } from './addresses.ts';
import { readMarkdown } from './markdown.ts';
import type { Piece } from './piece.ts';

/** Type of the function that the built file `text-HASH.js` exports. The widget loads this file when its panel opens. */
export type ReadText = typeof readText;

export type TextKind = {
  /** Whether to parse the text as Markdown, which models write. If false, only web addresses become links. */
  isMarkdown: boolean;
  /** Whether the text is still incomplete, because more of it will arrive. */
  isPartial?: boolean;
};

export function readText(text: string, { isMarkdown, isPartial = false }: TextKind): Piece[] {
  return isMarkdown ? readMarkdown(text, { isPartial }) : linked(text);
}
