import type { Part } from './html-blocks.ts';

/** Element of the page whose end tag has not come yet. */
export type Element = {
  name: string;
  isLeftOut: boolean;
  where: number;
  isInTitle: boolean;
  part: Part | undefined;
  /**
   * Name of the child element that ended last. If it is a title, a hidden part that follows is probably the answer to
   * it.
   */
  before: string;
  /** Text that is written when the element ends: the end of a mark or of struck-out text. */
  closing: string;
};

/** Returns whether all open elements are `html` or `head`. */
export function isInHead(open: readonly Element[]): boolean {
  return open.every(({ name }) => name === 'html' || name === 'head');
}
