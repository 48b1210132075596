/** Lower-case words, however they are set: "Stop it!" and "stop it" are the same. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('’', "'")
      .match(/[\p{L}\p{N}]+(?:'\p{L}+)*/gu) ?? []
  );
}

/** How many words have to be changed, added or left out to make one of the other (Levenshtein). */
export function wordsApart(one: readonly string[], other: readonly string[]): number {
  let row = other.map((_, at) => at + 1);
  for (const [at, word] of one.entries()) {
    let diagonal = at;
    let left = at + 1;
    const next = [];
    for (const [i, above] of row.entries()) {
      left = Math.min(above + 1, left + 1, diagonal + (word === other[i] ? 0 : 1));
      diagonal = above;
      next.push(left);
    }
    row = next;
  }
  return row.at(-1) ?? one.length;
}
