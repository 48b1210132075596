import { cutLongText } from './cut-text.ts';

/** Pattern for the line of dashes between the header and the rows of a Markdown table: `| --- | :-: |`. */
const RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
/** Maximum number of lines directly above a table, without an empty line in between, that count as its introduction. */
const LINES_ABOVE_MAX = 20;

/**
 * Divides a Markdown table into pieces of at most `max` UTF-16 units, between two rows if possible. Each piece of the
 * table begins with the header row. Returns `undefined` if the text has no table, or if its header is so long that no
 * row would fit into a piece.
 */
export function cutTable(text: string, max: number): Generator<string> | undefined {
  const lines = text.split('\n', LINES_ABOVE_MAX);
  const rule = lines.findIndex(
    (line, at) => at > 0 && line.includes('|') && RULE.test(line) && lines[at - 1]!.includes('|'),
  );
  if (rule === -1) return undefined;
  const head = `${lines[rule - 1]}\n${lines[rule]}`;
  if (head.length * 2 > max) return undefined;
  const above = lines.slice(0, rule - 1).join('\n');
  const from = lines.slice(0, rule + 1).join('\n').length + 1;
  return piecesOf({ above, head, rows: text.slice(from) }, max);
}

function* piecesOf(
  { above, head, rows }: { above: string; head: string; rows: string },
  max: number,
): Generator<string> {
  // A short introduction stays in one piece with the header and the first rows.
  const isShort = above.length + 1 + head.length * 2 <= max;
  if (!isShort) yield* cutLongText(above, max);
  let open = isShort && above !== '' ? [above, head] : [head];
  let isEmpty = true;
  let size = open.join('\n').length;
  for (const row of rows.split('\n')) {
    if (!isEmpty && size + 1 + row.length > max) {
      yield open.join('\n');
      [open, size, isEmpty] = [[head], head.length, true];
    }
    // A row that is too long for one passage is divided into parts. Each part gets the header row.
    const parts =
      size + 1 + row.length > max ? [...cutLongText(row, max - head.length - 1)] : [row];
    for (const [at, part] of parts.entries()) {
      if (at > 0) {
        yield open.join('\n');
        [open, size] = [[head], head.length];
      }
      open.push(part);
      size += 1 + part.length;
      isEmpty = false;
    }
  }
  yield open.join('\n');
}
