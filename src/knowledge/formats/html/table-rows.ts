/** Of a table that lays a page out, or cells that are pages: their texts are paragraphs. */
const CELL_CHARS_MAX = 1_000;

/** A table that is being read. */
export type Table = {
  cells: string[];
  isCellOpen: boolean;
  /** Whether all cells of the row are headings. */
  isHeading: boolean;
  rows: number;
  /** It has blocks in its cells: they are read as if there were no table. */
  isLayout: boolean;
};

export function newTable(isLayout: boolean): Table {
  return { cells: [], isCellOpen: false, isHeading: true, rows: 0, isLayout };
}

/** What a row says: as a row of Markdown, or as paragraphs. */
export function readRow(table: Table): { row: string } | { paragraphs: string[] } {
  const cells = table.cells.map((cell) => cell.trim());
  const filled = cells.filter((cell) => cell !== '');
  const isRow = filled.length > 1 && filled.every(({ length }) => length <= CELL_CHARS_MAX);
  if (!isRow) return { paragraphs: filled };
  const row = rowOf(cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')));
  const isTop = table.rows === 0 && table.isHeading;
  return { row: isTop ? `${row}\n${rowOf(cells.map(() => '---'))}` : row };
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
