import type { Part } from './html-blocks.ts';

/** An element whose end tag the parser has not reached yet. */
export type Element = {
  name: string;
  isLeftOut: boolean;
  where: number;
  isInTitle: boolean;
  part: Part | undefined;
  /**
   * Name of the child element that ended last. If that child is a title, a hidden element after it is probably the
   * content that the title opens.
   */
  before: string;
  /** Text that is written when the element ends, such as the `~~` after struck-out text. */
  closing: string;
};

/** Returns true if all open elements are `html` or `head`. */
export function isInHead(open: readonly Element[]): boolean {
  return open.every(({ name }) => name === 'html' || name === 'head');
}
