/**
 * Returns the Levenshtein distance between `understood` and each prefix of `said`, indexed by the length of the prefix.
 * The items are letters or words. For a text of `PIECE_CHARS_MAX` letters, this takes 0.2 ms.
 */
export function changesOf(said: readonly string[], understood: readonly string[]): Uint16Array {
  const row = Uint16Array.from({ length: said.length + 1 }, (_, end) => end);
  for (const one of understood) {
    let diagonal = row[0]!;
    let left = diagonal + 1;
    row[0] = left;
    for (let end = 1; end <= said.length; end += 1) {
      const above = row[end]!;
      const changed = diagonal + (said[end - 1] === one ? 0 : 1);
      left = Math.min(changed, above + 1, left + 1);
      row[end] = left;
      diagonal = above;
    }
  }
  return row;
}
