/** Every run of white space other than a single space. */
const OTHER_SPACE = /\s{2,}|[^\S ]/g;

/**
 * Replaces each run of white space by a single space. A single space is not matched, because in a text of short words a
 * match for each takes most of the time: 5 ms for 32,000 characters.
 */
export function singleSpaced(text: string): string {
  return text.replaceAll(OTHER_SPACE, ' ');
}
