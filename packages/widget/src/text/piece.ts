/**
 * Text with its structure as plain data, so that it can be tested without a browser. `rich-text.ts` converts it into
 * DOM nodes.
 */
export type Piece = string | Structure;

export type Structure = {
  tag: Tag;
  children: readonly Piece[];
  /** Target of a link (`a`). */
  href?: string;
  /** First number of an ordered list (`ol`). */
  start?: number;
};

export type Tag =
  | 'a'
  | 'blockquote'
  | 'code'
  | 'del'
  | 'em'
  | 'hr'
  | 'li'
  | 'ol'
  | 'p'
  | 'pre'
  | 'strong'
  | 'table'
  | 'td'
  | 'th'
  | 'tr'
  | 'ul';
