import { WAIT, type Reading, type Source, type Wait } from './reading.ts';
import { cellsOf, DELIMITERS, isDelimitersStart } from './table.ts';

/** Reads a complete part of a line, such as a table cell. */
type ReadInside = (reading: Reading, source: Source, part: [from: number, to: number]) => void;

/** Line of the text. It is incomplete until its end has arrived. */
type Line = {
  text: string;
  /** Whether the end of the line has arrived. */
  isWhole: boolean;
  /** Length including the line feed. */
  length: number;
  indent: number;
  /** Text of the line without the spaces at its start. */
  body: string;
};

/**
 * Reads the Markdown mark at the start of a line, which may begin a heading, a list or a table. Returns the number of
 * characters read.
 */
export function readLineStart(
  reading: Reading,
  source: Source,
  at: number,
  readInside: ReadInside,
): number | Wait {
  const line = lineAt(source, at);
  const { body, indent } = line;
  if (reading.fence !== '') return readCode(reading, source, { at, line });
  if (body === '' && !line.isWhole) return WAIT;
  if (body === '') return begin(reading, { isParagraph: true });
  const silent = silentLine(reading, line);
  if (silent !== undefined) return silent;
  if (body.startsWith('|') || (reading.isTable && body.includes('|'))) {
    if (!line.isWhole) return WAIT;
    return readRow(reading, source, { at, line, readInside });
  }
  if (reading.isTable && !line.isWhole) return WAIT;
  reading.isTable = false;
  // Models sometimes omit the space after `##`. A single `#` without a space is a hashtag.
  const heading = /^(?:#{1,6}[ \t]+|#{2,6}(?=\p{L}))/u.exec(body)?.[0];
  if (heading !== undefined) {
    if (!line.isWhole) return WAIT;
    const from = at + indent + heading.length;
    const to = at + indent + body.replace(/(?<![ \t])[ \t]+#+[ \t]*$/, '').length;
    readInside(reading, source, [from, Math.max(from, to)]);
    begin(reading, { isParagraph: true });
    reading.isLineStart = false;
    return indent + body.length;
  }
  if (/^#{1,6}$/.test(body) && !line.isWhole) return WAIT;
  const mark = markOf(line);
  if (mark === WAIT) return WAIT;
  if (mark === 0) return begin(reading, { isParagraph: false });
  begin(reading, { isParagraph: true });
  // A list item may begin with another mark, such as a heading, so the text after this mark is read as the start of a
  // line.
  reading.isLineStart = true;
  return indent + mark;
}

function lineAt({ text, isWhole }: Source, at: number): Line {
  const end = text.indexOf('\n', at);
  const line = text.slice(at, end < 0 ? undefined : end);
  const body = line.trimStart();
  const isThere = end >= 0 || isWhole;
  const length = line.length + (end < 0 ? 0 : 1);
  return { text: line, isWhole: isThere, length, indent: line.length - body.length, body };
}

/** Begins to read the words of the line. The start of a paragraph ends any emphasis and table of the previous one. */
function begin(reading: Reading, { isParagraph }: { isParagraph: boolean }): 0 {
  reading.isLineStart = false;
  reading.before = '';
  if (isParagraph) {
    reading.open = { '*': 0, _: 0 };
    reading.isTable = false;
  }
  return 0;
}

/** Returns the length of a line that is not spoken, such as a horizontal rule, or undefined for any other line. */
function silentLine(reading: Reading, { body, isWhole, length }: Line): number | Wait | undefined {
  const fence = /^(?:`{3,}|~{3,})/.exec(body)?.[0];
  if (fence !== undefined && !body.slice(fence.length).includes('`')) {
    if (!isWhole) return WAIT;
    reading.fence = fence;
    return length;
  }
  if (/^(?:`{1,2}|~{1,2})$/.test(body) && !isWhole) return WAIT;
  const isRule = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|={3,}[ \t]*)$/.test(body);
  const isDelimiters = body.includes('|') && DELIMITERS.test(body);
  const isAddress = /^\[[^\]]+\]:[ \t]*(?:https?:|mailto:|www\.|[/#<])/i.test(body);
  if (isRule || isDelimiters || isAddress) return isWhole ? length : WAIT;
  const mayBe = /^(?:[*\s]+|[-\s]+|[_\s]+|=+)$/.test(body) || isDelimitersStart(body);
  const mayBeAddress = /^\[[^\]]*(?:\](?::[ \t]*\S{0,7})?)?$/.test(body);
  return (mayBe || mayBeAddress) && !isWhole ? WAIT : undefined;
}

/** Returns the length of the Markdown mark at the start of a line, or 0 if the line has none. */
function markOf({ body, isWhole }: Line): number | Wait {
  const note = /^\[\^[^\]\s]+\]:[ \t]*/.exec(body)?.[0].length;
  if (note !== undefined) return note;
  // In "> 5 kg" and "+ 49 30", the sign is kept, because it belongs to the text and is not a Markdown mark.
  const quote = /^>[ \t]*/.exec(body)?.[0].length;
  if (quote !== undefined) {
    if (quote === body.length && !isWhole) return WAIT;
    return /\d/.test(body[quote] ?? '') ? 0 : quote;
  }
  const bullet = /^[-*+•◦‣▪●○■][ \t]+/u.exec(body)?.[0].length;
  if (bullet === undefined) return /^[-+•◦‣▪●○■]$/u.test(body) && !isWhole ? WAIT : 0;
  const item = body.slice(bullet);
  if (item === '' && !isWhole) return WAIT;
  if (body.startsWith('+') && /^\d/.test(item)) return 0;
  const box = /^\[[ xX]\][ \t]+/.exec(item)?.[0].length;
  if (!isWhole && /^\[(?:[ xX]?|[ xX]\][ \t]*)$/.test(item)) return WAIT;
  return bullet + (box ?? 0);
}

/** Keeps a line of a code block as it is. */
function readCode(
  reading: Reading,
  { base, text }: Source,
  { at, line: { body, isWhole, length } }: { at: number; line: Line },
): number | Wait {
  if (!isWhole) return WAIT;
  const { fence } = reading;
  const mark = fence[0]!;
  if (body.startsWith(fence) && body.replaceAll(mark, '').trim() === '') reading.fence = '';
  else reading.said.copy(text.slice(at, at + length), base + at);
  return length;
}

/** Reads the cells of a table row, separated by commas. */
function readRow(
  reading: Reading,
  source: Source,
  { at, line, readInside }: { at: number; line: Line; readInside: ReadInside },
): number {
  let isFirst = true;
  for (const [from, to] of cellsOf(line.text)) {
    if (!isFirst) reading.said.say(', ', source.base + at + from);
    reading.before = '';
    readInside(reading, source, [at + from, at + to]);
    isFirst = false;
  }
  begin(reading, { isParagraph: true });
  reading.isTable = true;
  return line.text.length;
}
