/** Line between a table's header and its rows: `|---|:-:|`. */
export const DELIMITERS = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;

/** Returns whether the beginning of a line may become the delimiter line of a table. */
export const isDelimitersStart = (line: string): boolean => /^[-:| \t]*$/.test(line);

/** Returns the positions of the cells in a table row, excluding the spaces around them. Empty cells are omitted. */
export function cellsOf(line: string): [from: number, to: number][] {
  const cells: [number, number][] = [];
  for (const { 0: cell, index } of line.matchAll(/(?:\\.|[^|\\])+/gs)) {
    const from = index + (cell.length - cell.trimStart().length);
    const to = from + cell.trim().length;
    if (to > from) cells.push([from, to]);
  }
  return cells;
}
