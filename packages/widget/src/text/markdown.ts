import { readInline } from './inline.ts';
import type { Piece, Structure } from './piece.ts';

/**
 * Parses a model's reply in Markdown: paragraphs, headings, lists, quotes, code and the tables of GFM. Everything else,
 * including HTML, remains text.
 *
 * @param isPartial whether more text follows, so that the last block may be incomplete
 */
export function readMarkdown(text: string, { isPartial = false } = {}): Piece[] {
  return readBlocks(text.replaceAll('\r\n', '\n').split('\n'), { isPartial, depth: 0 });
}

type Place = { isPartial: boolean; depth: number };
type Block = { piece: Structure | undefined; end: number };

/** Maximum depth of nested lists and quotes. Deeper ones remain text. */
const DEPTH_MAX = 6;

function readBlocks(lines: readonly string[], place: Place): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < lines.length) {
    if (lines[at]!.trim() === '') {
      at += 1;
      continue;
    }
    const { piece, end } = readBlock(lines, at, place);
    if (piece) pieces.push(piece);
    at = end;
  }
  return pieces;
}

function readBlock(lines: readonly string[], at: number, place: Place): Block {
  const line = lines[at]!;
  const fence = FENCE.exec(line);
  if (fence) return readCode(lines, at, fence[1]!);
  const heading = HEADING.exec(line);
  if (heading) {
    const children = inlineOf(lines, { at, end: at + 1 }, place, heading[1]);
    return { piece: { tag: 'p', children: [{ tag: 'strong', children }] }, end: at + 1 };
  }
  if (RULE.test(line)) return { piece: { tag: 'hr', children: [] }, end: at + 1 };
  if (place.depth < DEPTH_MAX) {
    if (QUOTE.test(line)) return readQuote(lines, at, place);
    if (ITEM.test(line)) return readList(lines, at, place);
  }
  if (isTable(lines, at)) return readTable(lines, at, place);
  return readParagraph(lines, at, place);
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[^`]*$/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^([ \t]*)([-*+•]|\d{1,9}[.)])([ \t]+|$)(.*)$/;
const DELIMITER = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;

function inlineOf(
  lines: readonly string[],
  { at, end }: { at: number; end: number },
  { isPartial }: Place,
  text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join('\n'),
): Piece[] {
  return readInline(text, isPartial && end >= lines.length);
}

function readCode(lines: readonly string[], at: number, mark: string): Block {
  const closing = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`);
  const rest = lines.slice(at + 1);
  const length = rest.findIndex((line) => closing.test(line));
  const code = (length < 0 ? rest : rest.slice(0, length)).join('\n');
  const children: Piece[] = [{ tag: 'code', children: [code] }];
  return {
    piece: { tag: 'pre', children },
    end: length < 0 ? lines.length : at + length + 2,
  };
}

function readQuote(lines: readonly string[], at: number, place: Place): Block {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end]!)) end += 1;
  const inside = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  const children = readBlocks(inside, below(place, end >= lines.length));
  return { piece: { tag: 'blockquote', children }, end };
}

const below = ({ isPartial, depth }: Place, isLast: boolean): Place => ({
  isPartial: isPartial && isLast,
  depth: depth + 1,
});

function readList(lines: readonly string[], at: number, place: Place): Block {
  const first = itemOf(lines[at]!)!;
  const children: Structure[] = [];
  let end = at;
  for (;;) {
    const next = skipBlank(lines, end);
    const item = itemOf(lines[next] ?? '');
    if (item?.isOrdered !== first.isOrdered || item.indent > first.indent + 1) break;
    if (RULE.test(lines[next]!)) break;
    end = endOfItem(lines, next, item.indent);
    const inside = [item.text, ...lines.slice(next + 1, end).map((line) => outdented(line, item))];
    children.push({ tag: 'li', children: readBlocks(inside, below(place, end >= lines.length)) });
  }
  if (!first.isOrdered) return { piece: { tag: 'ul', children }, end };
  return { piece: { tag: 'ol', start: first.start, children }, end };
}

type Item = { indent: number; offset: number; isOrdered: boolean; start: number; text: string };

function itemOf(line: string): Item | undefined {
  const [, space = '', mark = '', gap = '', text = ''] = ITEM.exec(line) ?? [];
  if (mark === '') return undefined;
  const indent = widthOf(space);
  const isOrdered = /\d/.test(mark);
  return {
    indent,
    offset: indent + mark.length + (gap.length > 4 ? 1 : gap.length || 1),
    isOrdered,
    start: isOrdered ? Number.parseInt(mark, 10) : 1,
    text,
  };
}

const widthOf = (space: string): number => space.replaceAll('\t', '    ').length;
const indentOf = (line: string): number => widthOf(/^[ \t]*/.exec(line)![0]);

function skipBlank(lines: readonly string[], at: number): number {
  let next = at;
  while (next < lines.length && lines[next]!.trim() === '') next += 1;
  return next;
}

/**
 * Returns the end of a list item. The item includes lines that are indented more than the item's mark, and lines that
 * continue the item's last paragraph.
 */
function endOfItem(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1;
  while (end < lines.length) {
    const next = skipBlank(lines, end);
    if (next >= lines.length) return end;
    const line = lines[next]!;
    const isInside = indentOf(line) > indent + (itemOf(line) !== undefined || next > end ? 1 : 0);
    const isContinued = next === end && !begins(line) && itemOf(line) === undefined;
    if (!isInside && !isContinued) return end;
    end = next + 1;
  }
  return end;
}

function outdented(line: string, { offset }: Item): string {
  const wide = line.replace(/^[ \t]+/, (space) => ' '.repeat(widthOf(space)));
  return wide.slice(Math.min(offset, indentOf(wide)));
}

/** Returns true if a line begins a new block and so ends the paragraph before it. */
function begins(line: string): boolean {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line)) return true;
  const item = itemOf(line);
  return (
    item !== undefined &&
    item.text !== '' &&
    (!item.isOrdered || item.start === 1 || item.indent > 0)
  );
}

function isTable(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1];
  if (next === undefined || !lines[at]!.includes('|') || !next.includes('-')) return false;
  return DELIMITER.test(next) && cellsOf(next).length === cellsOf(lines[at]!).length;
}

function readTable(lines: readonly string[], at: number, place: Place): Block {
  let end = at + 2;
  while (end < lines.length && lines[end]!.trim() !== '' && lines[end]!.includes('|')) end += 1;
  const columns = cellsOf(lines[at]!).length;
  const isPartial = place.isPartial && end >= lines.length;
  const rowOf = (line: string, tag: 'td' | 'th'): Structure => {
    const cells = cellsOf(line);
    const children = Array.from({ length: columns }, (_, one) => ({
      tag,
      children: readInline(cells[one] ?? '', isPartial),
    }));
    return { tag: 'tr', children };
  };
  const children = [
    rowOf(lines[at]!, 'th'),
    ...lines.slice(at + 2, end).map((line) => rowOf(line, 'td')),
  ];
  return { piece: { tag: 'table', children }, end };
}

function cellsOf(line: string): string[] {
  const inside = line
    .trim()
    .replaceAll('\\|', '\0')
    .replace(/^\||\|$/g, '');
  return inside.split('|').map((cell) => cell.trim().replaceAll('\0', '|'));
}

function readParagraph(lines: readonly string[], at: number, place: Place): Block {
  let end = at + 1;
  while (
    end < lines.length &&
    lines[end]!.trim() !== '' &&
    !begins(lines[end]!) &&
    !isTable(lines, end)
  )
    end += 1;
  return { piece: { tag: 'p', children: inlineOf(lines, { at, end }, place) }, end };
}
