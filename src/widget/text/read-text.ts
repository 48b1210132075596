import { linked } from './addresses.ts';
import { readMarkdown } from './markdown.ts';
import type { Piece } from './piece.ts';

/** The entry of `text-HASH.js`, which the widget loads when its panel opens. */
export type ReadText = typeof readText;

export type TextKind = {
  /** Models write Markdown. People write what they mean to be read. */
  isMarkdown: boolean;
  /** More of the text follows. */
  isPartial?: boolean;
};

export function readText(text: string, { isMarkdown, isPartial = false }: TextKind): Piece[] {
  return isMarkdown ? readMarkdown(text, { isPartial }) : linked(text);
}
