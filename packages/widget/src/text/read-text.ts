import { linked } from './addresses.ts';
import { readMarkdown } from './markdown.ts';
import type { Piece } from './piece.ts';

/** Function exported by `text-HASH.js`, which the widget loads when its panel opens. */
export type ReadText = typeof readText;

export type TextKind = {
  /** True for the text of a model. People's text is shown as written. */
  isMarkdown: boolean;
  /** Whether more of the text follows. */
  isPartial?: boolean;
};

export function readText(text: string, { isMarkdown, isPartial = false }: TextKind): Piece[] {
  return isMarkdown ? readMarkdown(text, { isPartial }) : linked(text);
}
