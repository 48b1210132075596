import { HtmlRefused } from './html-refused.ts';

/** Where a block stands; a page's text is that of its best part. Bits of `Block.where`. */
export const IN_MAIN = 1;
export const IN_ARTICLE = 2;
export const IN_CONTENT = 4;
/** In what is probably no text of the page: kept only where there is next to nothing else. */
export const BESIDE = 8;
/** Block in a head, a foot or an address. */
export const AROUND = 16;
/** Block in a form or on a button. */
export const FORM = 32;

/** One paragraph, heading, item, row of a table or piece of code, as Markdown. */
export type Block = {
  text: string;
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  where: number;
  /** Whether it begins a list or a table. */
  isFirst: boolean;
  level: number;
  /** Number of its characters inside links. */
  linked: number;
  /** The innermost part of the page around it that may not be its text. */
  part: Part | undefined;
};

/** Part of a page whose content decides whether it is text. */
export type Part = {
  outside: Part | undefined;
  /** `named`: its class or id is a name for menus and advertisements. `hidden`: shown after a click, or never. */
  kind: 'named' | 'hidden';
  id: string | undefined;
  /** True for a hidden part if its place or name shows that visitors can open it. */
  opens: boolean;
  /** True if it is left out whatever it holds. */
  isOut: boolean;
};

/** Above it a page is no page; a source has at most 55,000 passages. */
const BLOCKS_MAX = 300_000;
const CHARS_MAX = 20_000_000;

/** The blocks of a page, and the line that is being written. Time grows with the text, no faster. */
export class HtmlBlocks {
  readonly blocks: Block[] = [];
  /** Pieces of the open line; joined once, since a long string that grows is copied each time. */
  #parts: string[] = [];
  #endsInSpace = true;
  #chars = 0;
  #linked = 0;
  /** True while the text of a link is written. */
  isLink = false;

  /** Text as HTML has it: spaces of any kind and number are one. */
  write(text: string): void {
    const collapsed = text.replace(/[\u00ad\u200b\ufeff]/g, '').replace(/[\s\u00a0]+/g, ' ');
    const piece = this.#endsInSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
    if (piece === '') return;
    this.#push(piece, piece.endsWith(' '));
  }

  /** As it is. */
  writeRaw(text: string): void {
    if (text !== '') this.#push(text, true);
  }

  /** A mark that belongs to what follows or goes before. */
  writeMark(mark: string): void {
    this.#push(mark, this.#endsInSpace);
  }

  space(): void {
    if (!this.#endsInSpace) this.#push(' ', true);
  }

  /** The last character of the open line, or '' at its start. */
  get last(): string {
    return this.#parts.at(-1)?.at(-1) ?? '';
  }

  /** The end of the open line. */
  tail(chars: number): string {
    let tail = '';
    for (let at = this.#parts.length - 1; at >= 0 && tail.length < chars; at -= 1) {
      tail = `${this.#parts[at]!.slice(-chars)}${tail}`;
    }
    return tail.slice(-chars);
  }

  /** Characters of the last taken line, or of the open one, that are links; counted anew from here. */
  takeLinked(): number {
    const linked = this.#linked;
    this.#linked = 0;
    return linked;
  }

  /** Whether the open line has any. */
  get hasText(): boolean {
    return this.#parts.length > 0;
  }

  /** The open line, which is closed. */
  take(): string {
    const line = this.#parts.join('');
    this.#parts = [];
    this.#endsInSpace = true;
    return line;
  }

  add(block: Block): void {
    if (block.text === '') return;
    if (this.blocks.length >= BLOCKS_MAX) {
      throw new HtmlRefused(
        `the page has more than ${BLOCKS_MAX.toLocaleString('en')} headings, paragraphs and rows`,
      );
    }
    this.blocks.push(block);
  }

  #push(piece: string, endsInSpace: boolean): void {
    this.#chars += piece.length;
    if (this.#chars > CHARS_MAX) {
      throw new HtmlRefused(
        `the page has more than ${CHARS_MAX.toLocaleString('en')} characters of text`,
      );
    }
    if (this.isLink) this.#linked += piece.length;
    this.#parts.push(piece);
    this.#endsInSpace = endsInSpace;
  }
}
