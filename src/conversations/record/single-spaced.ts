/** Every run of white space other than a single space. */
const OTHER_SPACE = /\s{2,}|[^\S ]/g;

/**
 * Replaces each run of white space by a single space. Does not touch white space that already is a single space:
 * replacing every space in a text of short words takes 5 ms for 32,000 characters.
 */
export function singleSpaced(text: string): string {
  return text.replaceAll(OTHER_SPACE, ' ');
}
