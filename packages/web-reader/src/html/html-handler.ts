import type { Handler } from 'htmlparser2';
import {
  isHidden,
  isLeftOut,
  isNamedBeside,
  isStruck,
  isTool,
  openedBy,
  opensByItself,
  staysBeside,
  tagOf,
  whereOf,
  type Attributes,
  type Tag,
} from './boilerplate.ts';
import { HtmlBlocks, IN_ARTICLE, type Block, type Part } from './html-blocks.ts';
import {
  breaksCell,
  CODE,
  fenceOf,
  INLINE,
  isTitleElement,
  languageOf,
  unmarked,
} from './html-markdown.ts';
import { HtmlRefused } from './html-refused.ts';
import { isInHead, type Element } from './open-element.ts';
import { PageFacts } from './page-facts.ts';
import { contactOf, END_OF_MARK, isShown, markOf, TAIL_CHARS, withoutMarks } from './set-apart.ts';
import {
  beginCell,
  endCell,
  endRowGroup,
  endTable,
  newTable,
  readRow,
  startRow,
  type Table,
} from './table-rows.ts';

/**
 * Maximum nesting depth of elements. A page with deeper nesting is refused, because the parser searches all open
 * elements at each end tag.
 */
const DEPTH_MAX = 1_000;
const TITLE_CHARS_MAX = 1_000;
const LIST_INDENT_MAX = 8;
const OPENED_MAX = 10_000;

type List = { isOrdered: boolean; next: number; isFirst: boolean };

/** Parser handler that converts a page to Markdown. */
export class HtmlHandler implements Partial<Handler> {
  readonly facts: PageFacts;
  title = '';
  articles = 0;
  hasMarks = false;
  readonly parts: Part[] = [];
  /** Ids of the elements that the page's buttons and links open. */
  readonly opened = new Set<string>();
  readonly #out = new HtmlBlocks();
  readonly #open: Element[] = [];
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  /** Marker of the current list item, such as `- `. It is written only before the item's first line. */
  #itemMark: string | undefined;
  #pre: { depth: number; language: string } | undefined;
  #code: number | undefined;
  #isTitle = false;
  #isMarked = false;

  constructor(url: string) {
    this.facts = new PageFacts(url);
  }

  get blocks(): readonly Block[] {
    return this.#out.blocks;
  }

  onopentag(name: string, attributes: Attributes): void {
    this.facts.read(name, attributes);
    for (const id of openedBy(attributes)?.split(/\s+/, 10) ?? []) {
      if (this.opened.size < OPENED_MAX) this.opened.add(id);
    }
    const tag = tagOf(name, attributes);
    const outside = this.#open.at(-1);
    const isInTitle = (outside?.isInTitle ?? false) || isTitleElement(name);
    // A button that makes up the whole title opens the section below the title, so the button's text is kept. A button
    // after the title's text is a control and is left out.
    const isTool = name === 'button' && isInTitle && this.#out.hasText;
    const isOut =
      (outside?.isLeftOut ?? false) ||
      isTool ||
      isLeftOut(tag, isInTitle) ||
      (isHidden(attributes) && !this.#isBlock(name, isInTitle));
    if (name === 'title' && this.title === '') this.#isTitle = isInHead(this.#open);
    const where = this.#whereInside(tag, { outside, isInTitle });
    const part = isOut ? outside?.part : this.#partInside(tag, outside);
    if (!isOut) this.#begin(name, attributes);
    if (this.#open.length >= DEPTH_MAX) {
      throw new HtmlRefused(`the page nests elements more than ${DEPTH_MAX} levels deep`);
    }
    const closing = isOut ? '' : this.#setApart(name, attributes);
    this.#open.push({ name, isLeftOut: isOut, where, isInTitle, part, before: '', closing });
    if (name === 'a' && attributes['href'] !== undefined) this.#out.isLink = true;
  }

  /** Returns true if the content of the element becomes separate blocks. */
  #isBlock(name: string, isInTitle: boolean): boolean {
    const table = this.#tables.at(-1);
    const isInCell = table?.isCellOpen === true && !table.isLayout;
    return (
      !INLINE.has(name) && !isInTitle && !isInCell && !/^t(able|head|body|foot|r|d|h)$/.test(name)
    );
  }

  #partInside(tag: Tag, outside: Element | undefined): Part | undefined {
    const { attributes } = tag;
    const inherited = outside?.part;
    const isOutOfSight = isHidden(attributes);
    if (!isOutOfSight && !isNamedBeside(tag)) return inherited;
    const opens = isOutOfSight && (opensByItself(tag) || isTitleElement(outside?.before ?? ''));
    const kind = isOutOfSight ? ('hidden' as const) : ('named' as const);
    const where = outside?.where ?? 0;
    const isOut = isOutOfSight ? isTool(tag) : staysBeside(tag, where);
    const part = { outside: inherited, kind, id: attributes['id'], opens, isOut };
    this.parts.push(part);
    return part;
  }

  /**
   * Writes the beginning of an inline element whose content needs markup, such as struck-out text or a superscript.
   * Returns the text to write at the end of the element, or '' if there is none. For a link to a phone number or an
   * e-mail address, the returned text contains the number or the address.
   */
  #setApart(name: string, attributes: Attributes): string {
    if (this.#pre !== undefined || !INLINE.has(name)) return '';
    if (name === 'a') return contactOf(attributes['href']);
    if (isStruck(name, attributes)) {
      if (/[\p{L}\p{N}]/u.test(this.#out.last)) this.#out.space();
      this.#out.writeMark('~~');
      return '~~ ';
    }
    if (name === 'rt') {
      this.#out.writeMark('(');
      return ')';
    }
    const mark = this.#isMarked ? undefined : markOf(name, attributes);
    if (mark === undefined) return '';
    this.#isMarked = true;
    this.hasMarks = true;
    this.#out.writeMark(mark);
    return END_OF_MARK;
  }

  onclosetag(name: string): void {
    if (name === 'title') this.#isTitle = false;
    if (name === 'script') this.facts.endData();
    const closed = this.#open.at(-1);
    if (closed?.name !== name) return;
    const { closing } = closed;
    const isSaid = closing === '' || isShown(closing, this.#out.tail(TAIL_CHARS));
    if (!isSaid) this.#out.writeMark(closing.trimEnd());
    if (closing.endsWith(' ')) this.#out.space();
    if (closing === END_OF_MARK) this.#isMarked = false;
    if (!closed.isLeftOut) this.#end(name, closed);
    this.#open.pop();
    if (name === 'a') this.#out.isLink = false;
    const outside = this.#open.at(-1);
    // The outer element stores in `before` the name of its last child, because a title before a hidden part shows that
    // visitors can open the part. If the child itself ends with a title, as in `<div><h3>…</h3></div>`, the outer
    // element stores `h3`. Text between two elements is ignored.
    if (outside && !closed.isLeftOut)
      outside.before = isTitleElement(closed.before) ? closed.before : name;
  }

  ontext(text: string): void {
    this.facts.readData(text);
    if (this.#isTitle) {
      if (this.title.length < TITLE_CHARS_MAX) this.title += text.slice(0, TITLE_CHARS_MAX);
      return;
    }
    if (this.#open.at(-1)?.isLeftOut ?? false) return;
    const shown = withoutMarks(text);
    if (this.#pre === undefined) this.#out.write(shown);
    else this.#out.writeRaw(shown);
  }

  onend(): void {
    this.#flush();
  }

  #whereInside(
    tag: Tag,
    { outside, isInTitle }: { outside: Element | undefined; isInTitle: boolean },
  ): number {
    const above = outside?.where ?? 0;
    // The titles of a collapsible list may be buttons, so a button in a title is not treated as part of a form.
    if (isInTitle && (tag.name === 'button' || tag.name === 'label')) return above;
    const where = above | whereOf(tag, above);
    if ((where & IN_ARTICLE) !== 0 && (above & IN_ARTICLE) === 0) this.articles += 1;
    return where;
  }

  #begin(name: string, attributes: Attributes): void {
    if (this.#pre !== undefined) return this.#beginInPre(name, attributes);
    if (INLINE.has(name)) return this.#beginInline(name, attributes);
    const table = this.#tables.at(-1);
    const isInCell = table?.isCellOpen === true && !table.isLayout;
    if (isInCell && !breaksCell(name)) return this.#beginInCell(name, attributes);
    if (isInCell) this.#layOut(table);
    if (name === 'br') return this.#out.writeRaw('\n');
    this.#flush();
    if (name === 'pre') this.#pre = { depth: this.#open.length, language: languageOf(attributes) };
    else if (name === 'ul' || name === 'ol') this.#beginList(name, attributes);
    else if (name === 'li') this.#itemMark = this.#markOfItem();
    else if (name === 'table') this.#tables.push(newTable(attributes['role'] === 'presentation'));
    else if (name === 'tr' && table !== undefined) startRow(table);
    else if (name === 'thead' && table !== undefined) table.isHead = true;
    else if ((name === 'td' || name === 'th') && table !== undefined) {
      beginCell(table, name, attributes);
    }
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
    if (table !== undefined && /^t(head|body|foot)$/.test(name)) {
      this.#endRow(table);
      endRowGroup(table);
      table.isHead = false;
      return;
    }
    if (name === 'table') {
      this.#endRow(table);
      const names = table && endTable(table);
      if (names !== undefined) this.#add('row', names, true);
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
    // Skips an image description (`alt`) of one word, such as a file name or the name of a logo, because it carries no
    // information.
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

  #beginInCell(name: string, attributes: Attributes): void {
    if (name === 'br' || name === 'li') this.#out.space();
    const table = this.#tables.at(-1)!;
    if (name === 'td' || name === 'th') {
      this.#endCell(table);
      beginCell(table, name, attributes);
    } else if (/^t(head|body|foot)$/.test(name)) {
      this.#endRow(table);
      endRowGroup(table);
      table.isHead = name === 'thead';
    } else if (name === 'tr') {
      this.#endRow(table);
      startRow(table);
    } else this.#out.space();
  }

  #endCell(table: Table | undefined): void {
    if (table === undefined || !table.isCellOpen) return this.#flush();
    if (table.isLayout) this.#flush();
    else endCell(table, this.#out.take());
    table.isCellOpen = false;
  }

  #endRow(table: Table | undefined): void {
    if (table === undefined) return this.#flush();
    this.#endCell(table);
    const read = readRow(table);
    if (read !== undefined && 'row' in read) this.#add('row', read.row, read.isFirst);
    else for (const paragraph of read?.paragraphs ?? []) this.#add('text', unmarked(paragraph));
    startRow(table);
  }

  /**
   * Treats a table as a layout table from now on, because one of its cells contains blocks. Header rows that have not
   * been written and the cells of the current row become paragraphs.
   */
  #layOut(table: Table): void {
    const open = this.#out.take();
    const names = table.names.flat().map((name) => ({ text: name }));
    table.names = [];
    for (const { text } of [...names, ...table.cells, { text: open }]) {
      this.#add('text', unmarked(text.trim()));
    }
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
      linked: this.#out.takeLinked(),
      part: this.#open.at(-1)?.part,
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
      .replace(/(?<! ) *\n */g, '\n')
      .trim();
  }

  #add(kind: Block['kind'], text: string, isFirst = false): void {
    const { where = 0, part } = this.#open.at(-1) ?? {};
    this.#out.add({ text, kind, isFirst, level: 0, where, part, linked: this.#out.takeLinked() });
  }

  #isInTitle(): boolean {
    return this.#open.at(-1)?.isInTitle ?? false;
  }
}
