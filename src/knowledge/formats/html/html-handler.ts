import type { Handler } from 'htmlparser2';
import { isLeftOut, whereOf, type Attributes } from './boilerplate.ts';
import { HtmlBlocks, IN_ARTICLE, type Block } from './html-blocks.ts';
import { HtmlRefused } from './html-refused.ts';
import { PageFacts } from './page-facts.ts';
import { newTable, readRow, type Table } from './table-rows.ts';

/** The parser looks through all open elements at each end tag. */
const DEPTH_MAX = 1_000;
const TITLE_CHARS_MAX = 1_000;
const LIST_INDENT_MAX = 8;

const INLINE = new Set(
  `a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd label mark nobr q rp rt ruby s samp
   small span strike strong sub sup time tt u var wbr button input img math mi mo mn ms mtext mrow msup
   msub mfrac semantics annotation data output progress meter`.split(/\s+/),
);
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);

type Element = {
  name: string;
  isLeftOut: boolean;
  where: number;
  isInTitle: boolean;
};
type List = { isOrdered: boolean; next: number; isFirst: boolean };

/** Makes Markdown of a page as it is parsed. */
export class HtmlHandler implements Partial<Handler> {
  readonly facts: PageFacts;
  title = '';
  articles = 0;
  readonly #out = new HtmlBlocks();
  readonly #open: Element[] = [];
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  /** The first line of an item has its mark. */
  #itemMark: string | undefined;
  #pre: { depth: number; language: string } | undefined;
  #code: number | undefined;
  #isTitle = false;

  constructor(url: string) {
    this.facts = new PageFacts(url);
  }

  get blocks(): readonly Block[] {
    return this.#out.blocks;
  }

  onopentag(name: string, attributes: Attributes): void {
    this.facts.read(name, attributes);
    const outside = this.#open.at(-1);
    const isInTitle = (outside?.isInTitle ?? false) || isTitleElement(name);
    // A title that is a button opens what is below; a button beside a title does something with it.
    const isTool = name === 'button' && isInTitle && this.#out.hasText;
    const isOut = (outside?.isLeftOut ?? false) || isTool || isLeftOut(name, attributes, isInTitle);
    if (name === 'title' && this.title === '') this.#isTitle = isInHead(this.#open);
    const where = this.#whereInside(name, attributes, { outside, isInTitle });
    if (!isOut) this.#begin(name, attributes);
    if (this.#open.length >= DEPTH_MAX) {
      throw new HtmlRefused(`the page nests more than ${DEPTH_MAX} elements in each other`);
    }
    this.#open.push({ name, isLeftOut: isOut, where, isInTitle });
  }

  onclosetag(name: string): void {
    if (name === 'title') this.#isTitle = false;
    const closed = this.#open.at(-1);
    if (closed?.name !== name) return;
    if (!closed.isLeftOut) this.#end(name, closed);
    this.#open.pop();
  }

  ontext(text: string): void {
    if (this.#isTitle) {
      if (this.title.length < TITLE_CHARS_MAX) this.title += text.slice(0, TITLE_CHARS_MAX);
      return;
    }
    if (this.#open.at(-1)?.isLeftOut ?? false) return;
    if (this.#pre === undefined) this.#out.write(text);
    else this.#out.writeRaw(text);
  }

  onend(): void {
    this.#flush();
  }

  #whereInside(
    name: string,
    attributes: Attributes,
    { outside, isInTitle }: { outside: Element | undefined; isInTitle: boolean },
  ): number {
    const above = outside?.where ?? 0;
    // The titles of a list that opens are buttons.
    if (isInTitle && (name === 'button' || name === 'label')) return above;
    const where = above | whereOf(name, attributes, above);
    if ((where & IN_ARTICLE) !== 0 && (above & IN_ARTICLE) === 0) this.articles += 1;
    return where;
  }

  #begin(name: string, attributes: Attributes): void {
    if (this.#pre !== undefined) return this.#beginInPre(name, attributes);
    if (INLINE.has(name)) return this.#beginInline(name, attributes);
    const table = this.#tables.at(-1);
    const isInCell = table?.isCellOpen === true && !table.isLayout;
    if (isInCell && !breaksCell(name)) return this.#beginInCell(name);
    if (isInCell) this.#layOut(table);
    if (name === 'br') return this.#out.writeRaw('\n');
    this.#flush();
    if (name === 'pre') this.#pre = { depth: this.#open.length, language: languageOf(attributes) };
    else if (name === 'ul' || name === 'ol') this.#beginList(name, attributes);
    else if (name === 'li') this.#itemMark = this.#markOfItem();
    else if (name === 'table') this.#tables.push(newTable(attributes['role'] === 'presentation'));
    else if (name === 'tr' && table !== undefined) startRow(table);
    else if ((name === 'td' || name === 'th') && table !== undefined) beginCell(table, name);
  }

  #end(name: string, closed: Element): void {
    if (this.#pre !== undefined) {
      if (this.#pre.depth === this.#open.length - 1) this.#endPre();
      return;
    }
    if (INLINE.has(name)) return this.#endInline(name);
    const table = this.#tables.at(-1);
    if (name === 'td' || name === 'th') return this.#endCell(table);
    if (name === 'tr') return this.#endRow(table);
    if (name === 'table') {
      this.#endRow(table);
      this.#tables.pop();
      return;
    }
    if (table?.isCellOpen === true && !table.isLayout) return this.#out.space();
    if (name === 'br') return;
    if (/^h[1-6]$/.test(name)) return this.#heading(Number(name.slice(1)), closed.where);
    this.#flush();
    if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name === 'li') this.#itemMark = undefined;
  }

  #beginInline(name: string, attributes: Attributes): void {
    if (name === 'img') this.#image(attributes['alt']);
    if (!CODE.has(name) || this.#code !== undefined || this.#isInTitle()) return;
    this.#code = this.#open.length;
    this.#out.writeMark('`');
  }

  #endInline(name: string): void {
    if (!CODE.has(name) || this.#code !== this.#open.length - 1) return;
    this.#code = undefined;
    this.#out.writeMark('`');
  }

  #image(alt: string | undefined): void {
    // A name of a file, or of a logo, tells nobody anything.
    if (alt === undefined || !/\s/.test(alt.trim()) || alt.length > 500) return;
    this.#out.write(` ${alt} `);
  }

  #beginInPre(name: string, attributes: Attributes): void {
    if (name === 'br') this.#out.writeRaw('\n');
    if (name === 'code' && this.#pre!.language === '') {
      this.#pre!.language = languageOf(attributes);
    }
  }

  #endPre(): void {
    const { language } = this.#pre!;
    this.#pre = undefined;
    const code = this.#out
      .take()
      .replace(/^\s*\n/, '')
      .trimEnd();
    if (code.trim() === '') return;
    const fence = fenceOf(code);
    this.#add('code', `${fence}${language}\n${code}\n${fence}`);
  }

  #beginList(name: string, attributes: Attributes): void {
    const start = Number(attributes['start'] ?? '1');
    const next = Number.isSafeInteger(start) ? start : 1;
    this.#lists.push({ isOrdered: name === 'ol', next, isFirst: this.#lists.length === 0 });
  }

  #markOfItem(): string {
    const list = this.#lists.at(-1);
    if (list?.isOrdered !== true) return '- ';
    const mark = `${list.next}. `;
    list.next += 1;
    return mark;
  }

  #beginInCell(name: string): void {
    if (name === 'br' || name === 'li') this.#out.space();
    const table = this.#tables.at(-1)!;
    if (name === 'td' || name === 'th') {
      this.#endCell(table);
      beginCell(table, name);
    } else if (name === 'tr') {
      this.#endRow(table);
      startRow(table);
    } else this.#out.space();
  }

  #endCell(table: Table | undefined): void {
    if (table === undefined || !table.isCellOpen) return this.#flush();
    if (table.isLayout) this.#flush();
    else table.cells.push(this.#out.take());
    table.isCellOpen = false;
  }

  #endRow(table: Table | undefined): void {
    if (table === undefined) return this.#flush();
    this.#endCell(table);
    const read = readRow(table);
    if ('row' in read) this.#add('row', read.row, table.rows === 0);
    else for (const paragraph of read.paragraphs) this.#add('text', unmarked(paragraph));
    if ('row' in read) table.rows += 1;
    startRow(table);
  }

  /** A table that has blocks in a cell: what of its row was read is paragraphs. */
  #layOut(table: Table): void {
    const open = this.#out.take();
    for (const cell of [...table.cells, open]) this.#add('text', unmarked(cell.trim()));
    table.cells = [];
    table.isLayout = true;
  }

  #heading(level: number, where: number): void {
    const text = this.#line().replaceAll('\n', ' ');
    if (text === '') return;
    this.#out.add({
      text: `${'#'.repeat(level)} ${text}`,
      kind: 'heading',
      level,
      isFirst: true,
      where,
    });
  }

  #flush(): void {
    const text = this.#line();
    if (text === '') return;
    const list = this.#lists.at(-1);
    if (list === undefined) return this.#add('text', unmarked(text));
    const indent = '  '.repeat(Math.min(this.#lists.length - 1, LIST_INDENT_MAX));
    const mark = this.#itemMark ?? '  ';
    this.#itemMark = undefined;
    const lines = text.replaceAll('\n', `\n${indent}  `);
    this.#add('item', `${indent}${mark}${lines}`, list.isFirst);
    for (const above of this.#lists) above.isFirst = false;
  }

  #line(): string {
    if (this.#code !== undefined) this.#out.writeMark('`');
    this.#code = undefined;
    const line = this.#out.take();
    return line
      .replaceAll('``', '')
      .replace(/ *\n */g, '\n')
      .trim();
  }

  #add(kind: Block['kind'], text: string, isFirst = false): void {
    this.#out.add({ text, kind, isFirst, level: 0, where: this.#open.at(-1)?.where ?? 0 });
  }

  #isInTitle(): boolean {
    return this.#open.at(-1)?.isInTitle ?? false;
  }
}

/** Longer than any that the code has itself. */
function fenceOf(code: string): string {
  let longest = 2;
  for (const [, marks] of code.matchAll(/^ {0,3}(`{3,})/gm)) {
    longest = Math.max(longest, marks!.length);
  }
  return '`'.repeat(longest + 1);
}

function isTitleElement(name: string): boolean {
  return /^(h[1-6]|summary|dt)$/.test(name);
}

function isInHead(open: readonly Element[]): boolean {
  return open.every(({ name }) => name === 'html' || name === 'head');
}

function breaksCell(name: string): boolean {
  return name === 'table' || name === 'pre' || /^h[1-6]$/.test(name);
}

function startRow(table: Table): void {
  table.cells = [];
  table.isHeading = true;
}

function beginCell(table: Table, name: string): void {
  table.isCellOpen = true;
  if (name === 'td') table.isHeading = false;
}

/** What would be a heading or a fence in Markdown, and is none here. */
function unmarked(text: string): string {
  return text.replace(/^( {0,3})(#{1,6}[ \t]|`{3}|~{3}|[=-]{2,}[ \t]*$)/gm, String.raw`$1\$2`);
}

function languageOf(attributes: Attributes): string {
  const classes = (attributes['class'] ?? '').slice(0, 200);
  return (
    /(?:^|\s)(?:language|lang|highlight)-([a-z0-9+#-]{1,20})(?:\s|$)/i.exec(classes)?.[1] ?? ''
  );
}
