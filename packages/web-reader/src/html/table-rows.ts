/**
 * Maximum length of a table cell. A row with a longer cell belongs to a layout table or contains whole pages, so its
 * cells become paragraphs.
 */
const CELL_CHARS_MAX = 1_000;
/**
 * Maximum number of columns that are read. HTML allows one cell to span 1,000 columns and 65,534 rows, and repeating a
 * long cell that often would produce far more text than the page has.
 */
const COLUMNS_MAX = 200;
const ROWS_SPANNED_MAX = 65_534;
const REPEATED_CHARS_MAX = 200_000;
const NAME_ROWS_MAX = 5;
const NAME_CHARS_MAX = 60;

type Cell = { text: string; columns: number; rows: number };
/** A cell of an earlier row that also spans the next `rows` rows. */
type Span = { text: string; rows: number };

/** State of the table that is being parsed. */
export type Table = {
  cells: Cell[];
  /** Number of columns and rows that the current cell spans. */
  reach: { columns: number; rows: number };
  isCellOpen: boolean;
  /** Whether all cells of the current row are header cells (`<th>`). */
  isHeading: boolean;
  isHead: boolean;
  rows: number;
  /** Cells of earlier rows that extend into the next rows, by column. */
  spans: (Span | undefined)[];
  /** Header rows that have not been written yet. */
  names: string[][];
  /** Whether the header rows were recognized only by their appearance, without header elements. */
  isGuess: boolean;
  /** Whether the last header row has cells that span several rows or columns. */
  hasGroups: boolean;
  /**
   * Header of the table as Markdown. It is written above the first row, and again after a paragraph that interrupts the
   * rows.
   */
  head: string | undefined;
  isBroken: boolean;
  repeated: number;
  /**
   * Whether cells contain blocks. Such a table only arranges the page, so its content is read like text outside tables.
   */
  isLayout: boolean;
};

export function newTable(isLayout: boolean): Table {
  return {
    cells: [],
    reach: { columns: 1, rows: 1 },
    isCellOpen: false,
    isHeading: true,
    isHead: false,
    rows: 0,
    spans: [],
    names: [],
    isGuess: false,
    hasGroups: false,
    head: undefined,
    isBroken: false,
    repeated: 0,
    isLayout,
  };
}

export function startRow(table: Table): void {
  table.cells = [];
  table.isHeading = true;
}

export function beginCell(
  table: Table,
  name: string,
  { colspan, rowspan }: Readonly<Record<string, string>>,
): void {
  table.isCellOpen = true;
  table.reach = {
    columns: spanOf(colspan, COLUMNS_MAX),
    // A `rowspan` of 0 means all rows up to the end of the row group.
    rows: rowspan?.trim() === '0' ? ROWS_SPANNED_MAX : spanOf(rowspan, ROWS_SPANNED_MAX),
  };
  if (name === 'td') table.isHeading = false;
}

function spanOf(given: string | undefined, most: number): number {
  const number = Number(/^\s*(\d{1,6})/.exec(given ?? '')?.[1] ?? '1');
  return Math.min(Math.max(1, number), most);
}

export function endCell(table: Table, text: string): void {
  table.cells.push({ text: text.trim(), ...table.reach });
  table.isCellOpen = false;
}

/** Ends a row group (thead, tbody, tfoot). No cell spans beyond its group. */
export function endRowGroup(table: Table): void {
  table.spans = [];
}

/**
 * Returns a row as Markdown. Returns paragraphs instead if a cell is too long or fewer than two cells have text.
 * Returns `undefined` for a header row, which is written later, and for an empty row.
 */
export function readRow(
  table: Table,
): { row: string; isFirst: boolean } | { paragraphs: string[] } | undefined {
  if (table.cells.length === 0) return undefined;
  const own = table.cells.filter(({ text }) => text !== '');
  const isBelow = table.spans.some((span) => span !== undefined && span.text !== '');
  const isNames = isRowOfNames(table);
  const cells = placed(table);
  const isShort = own.every(({ text }) => text.length <= CELL_CHARS_MAX);
  if (!isShort || own.length + (isBelow ? 1 : 0) < 2 || own.length === 0) {
    table.isBroken ||= own.length > 0;
    return { paragraphs: own.map(({ text }) => text) };
  }
  const values = cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
  if (table.rows === 0 && isNames && table.names.length < NAME_ROWS_MAX) {
    table.names.push(values);
    table.hasGroups = table.cells.some(({ columns, rows }) => columns > 1 || rows > 1);
    return undefined;
  }
  // If the header row was only guessed, this row must have a number to confirm the guess. Otherwise the supposed header
  // becomes an ordinary row.
  const isGuess = table.isGuess && !values.some((value) => /\d/.test(value));
  const above = isGuess ? table.names.map((names) => `${rowOf(names)}\n`).join('') : '';
  if (isGuess) table.names = [];
  const head = headOf(table);
  table.rows += 1;
  return { row: `${above}${head}${rowOf(values)}`, isFirst: table.rows === 1 || head !== '' };
}

/**
 * Returns true for a header row. It is recognized by its elements, by its appearance, or as the continuation of the
 * header row above.
 */
function isRowOfNames(table: Table): boolean {
  const { cells, names, spans } = table;
  if (table.isHeading || table.isHead) return true;
  const texts = cells.map(({ text }) => text);
  const isText = texts.every((text) => text.length <= NAME_CHARS_MAX && !/\d/.test(text));
  if (names.length > 0) {
    return isText && (table.hasGroups || spans.some((span) => span !== undefined));
  }
  table.isGuess = isText && texts.length > 1 && texts.filter((text) => text === '').length < 2;
  return table.isGuess;
}

/** Returns the header rows of a table that has no other rows; otherwise `undefined`. */
export function endTable(table: Table): string | undefined {
  if (table.rows > 0 || table.names.length === 0) return undefined;
  return table.isGuess
    ? table.names.map((names) => rowOf(names)).join('\n')
    : headOf(table).trimEnd();
}

/** Returns the header to write above the next row, with one name per column, or '' if the next row needs none. */
function headOf(table: Table): string {
  if (table.names.length > 0) {
    const width = Math.max(...table.names.map((row) => row.length));
    const columns = Array.from({ length: width }, (_, at) => [
      ...new Set(table.names.map((row) => row[at] ?? '').filter((name) => name !== '')),
    ]);
    const names = columns.map((some) => some.join(' '));
    table.head = `${rowOf(names)}\n${rowOf(names.map(() => '---'))}\n`;
    table.names = [];
    table.isBroken = true;
  }
  const isDue = table.isBroken && table.head !== undefined;
  table.isBroken = false;
  return isDue ? table.head! : '';
}

/**
 * Returns the cells of a row by column (HTML, "Forming a table"). A cell that spans several columns is repeated in
 * each.
 */
function placed(table: Table): string[] {
  const cells: string[] = [];
  const given = [...table.cells];
  for (let column = 0; column < COLUMNS_MAX; column += 1) {
    const span = table.spans[column];
    if (span !== undefined) {
      cells.push(repeated(table, span.text));
      table.spans[column] = span.rows > 1 ? { text: span.text, rows: span.rows - 1 } : undefined;
      continue;
    }
    const next = given.shift();
    if (next === undefined) {
      if (table.spans.length <= column) break;
      cells.push('');
      continue;
    }
    column = placeCell(table, { cells, column, next });
  }
  while (cells.at(-1) === '' && cells.length > table.cells.length) cells.pop();
  return cells;
}

/** Writes a cell into each of its columns. Returns the index of the last of these columns. */
function placeCell(
  table: Table,
  { cells, column, next }: { cells: string[]; column: number; next: Cell },
): number {
  const { text, columns, rows } = next;
  let last = column;
  for (let at = column; at < Math.min(column + columns, COLUMNS_MAX); at += 1) {
    if (at > column && table.spans[at] !== undefined) break;
    cells.push(at === column ? text : repeated(table, text));
    if (rows > 1) table.spans[at] = { text, rows: rows - 1 };
    last = at;
  }
  return last;
}

function repeated(table: Table, text: string): string {
  table.repeated += text.length;
  return table.repeated > REPEATED_CHARS_MAX ? '' : text;
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
