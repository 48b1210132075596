import { HtmlRefused } from './html-refused.ts';

/** Regions of a page, as bits of `Block.where`. The text of a page comes from its best region. */
export const IN_MAIN = 1;
export const IN_ARTICLE = 2;
export const IN_CONTENT = 4;
/** Block that probably is not part of the text. It is kept only if the page has almost no other text. */
export const BESIDE = 8;
/** Block in a header, a footer or an address. */
export const AROUND = 16;
/** Block in a form or on a button. */
export const FORM = 32;

/** One paragraph, heading, list item, table row or piece of code, as Markdown. */
export type Block = {
  text: string;
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  where: number;
  /** Whether the block begins a list or a table. */
  isFirst: boolean;
  level: number;
  /** Number of characters inside links. */
  linked: number;
  /** The innermost surrounding part that may not belong to the text. */
  part: Part | undefined;
};

/** Part of a page whose content decides whether it is text. */
export type Part = {
  outside: Part | undefined;
  /** `named`: its class or id is typical of menus and advertisements. `hidden`: it is shown after a click, or never. */
  kind: 'named' | 'hidden';
  id: string | undefined;
  /** True for a hidden part if its place or name shows that visitors can open it. */
  opens: boolean;
  /** True if it is left out regardless of its content. */
  isOut: boolean;
};

/** Limit for a page. A source has at most 55,000 passages. */
const BLOCKS_MAX = 300_000;
const CHARS_MAX = 20_000_000;

/** Blocks of a page and its current line, collected in time linear in the length of the text. */
export class HtmlBlocks {
  readonly blocks: Block[] = [];
  /** Pieces of the current line. They are joined once, because a growing string would be copied each time. */
  #parts: string[] = [];
  #endsInSpace = true;
  #chars = 0;
  #linked = 0;
  /** True while the text of a link is written. */
  isLink = false;

  /** Writes HTML text, in which any sequence of spaces counts as one. */
  write(text: string): void {
    const collapsed = text.replace(/[\u00ad\u200b\ufeff]/g, '').replace(/[\s\u00a0]+/g, ' ');
    const piece = this.#endsInSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
    if (piece === '') return;
    this.#push(piece, piece.endsWith(' '));
  }

  /** Writes text unchanged. */
  writeRaw(text: string): void {
    if (text !== '') this.#push(text, true);
  }

  /** Writes a mark that belongs to the adjacent text. */
  writeMark(mark: string): void {
    this.#push(mark, this.#endsInSpace);
  }

  space(): void {
    if (!this.#endsInSpace) this.#push(' ', true);
  }

  /** Last character of the current line, or '' at its start. */
  get last(): string {
    return this.#parts.at(-1)?.at(-1) ?? '';
  }

  /** Returns the end of the current line. */
  tail(chars: number): string {
    let tail = '';
    for (let at = this.#parts.length - 1; at >= 0 && tail.length < chars; at -= 1) {
      tail = `${this.#parts[at]!.slice(-chars)}${tail}`;
    }
    return tail.slice(-chars);
  }

  /** Returns the number of characters in links since the last call, and resets it. */
  takeLinked(): number {
    const linked = this.#linked;
    this.#linked = 0;
    return linked;
  }

  /** Whether the current line has text. */
  get hasText(): boolean {
    return this.#parts.length > 0;
  }

  /** Returns the current line and starts a new one. */
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
