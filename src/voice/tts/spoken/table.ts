/** The line below the head of a table: `|---|:-:|`. */
export const DELIMITERS = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;

/** Whether it may become such a line. */
export const isDelimitersStart = (line: string): boolean => /^[-:| \t]*$/.test(line);

/** Where the cells of a row are in its line, without the spaces around them; empty ones are left out. */
export function cellsOf(line: string): [from: number, to: number][] {
  const cells: [number, number][] = [];
  for (const { 0: cell, index } of line.matchAll(/(?:\\.|[^|\\])+/gs)) {
    const from = index + (cell.length - cell.trimStart().length);
    const to = from + cell.trim().length;
    if (to > from) cells.push([from, to]);
  }
  return cells;
}
