/** Text with its structure as plain data, so that tests need no browser. `rich-text.ts` turns it into nodes. */
export type Piece = string | Structure;

export type Structure = {
  tag: Tag;
  children: readonly Piece[];
  /** Address of a link (`a`). */
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
