import { linked } from './addresses.ts';
import { readMarkdown } from './markdown.ts';
import type { Piece } from './piece.ts';

/** The entry of `text-HASH.js`, which the widget loads when its panel opens. */
export type ReadText = typeof readText;

export type TextKind = {
  /** True for words of a model. Words of people are shown as they wrote them. */
  isMarkdown: boolean;
  /** More of the text follows. */
  isPartial?: boolean;
};

export function readText(text: string, { isMarkdown, isPartial = false }: TextKind): Piece[] {
  return isMarkdown ? readMarkdown(text, { isPartial }) : linked(text);
}
