import { HtmlRefused } from './html-refused.ts';

/**
 * Regions of a page, as bits of `Block.where`. The text of a page is taken from the best region that has enough text.
 */
export const IN_MAIN = 1;
export const IN_ARTICLE = 2;
export const IN_CONTENT = 4;
/** Bit of a block that probably does not belong to the text. It is used only if the page has almost no other text. */
export const BESIDE = 8;
/** Bit of a block in a header, a footer or an address. */
export const AROUND = 16;
/** Bit of a block in a form or on a button. */
export const FORM = 32;

/** One paragraph, heading, list item, table row or code block, as Markdown. */
export type Block = {
  text: string;
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  where: number;
  /** Whether the block is the first one of its list or table. */
  isFirst: boolean;
  level: number;
  /** Number of characters inside links. */
  linked: number;
  /** The innermost surrounding part that may not belong to the text. */
  part: Part | undefined;
};

/** Part of a page that may be text or not. Its content decides. */
export type Part = {
  outside: Part | undefined;
  /**
   * `named`: its class or id is typical of menus and advertisements. `hidden`: it is invisible until a click, or
   * always.
   */
  kind: 'named' | 'hidden';
  id: string | undefined;
  /** For a hidden part: whether its attributes show that visitors can open it. */
  opens: boolean;
  /** Whether the part is left out regardless of its content. */
  isOut: boolean;
};

/** Maximum number of blocks in a page, well above the 55,000 passages that a source may have. */
const BLOCKS_MAX = 300_000;
const CHARS_MAX = 20_000_000;

/** Collector of the finished blocks of a page and of its current line. Takes time linear in the length of the text. */
export class HtmlBlocks {
  readonly blocks: Block[] = [];
  /**
   * Pieces of the current line. They are joined only once, because a growing string would be copied with each piece.
   */
  #parts: string[] = [];
  #endsInSpace = true;
  #chars = 0;
  #linked = 0;
  /** True inside a link. */
  isLink = false;

  /** Appends HTML text, in which any sequence of white space counts as one space. */
  write(text: string): void {
    const collapsed = text.replace(/[\u00ad\u200b\ufeff]/g, '').replace(/[\s\u00a0]+/g, ' ');
    const piece = this.#endsInSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
    if (piece === '') return;
    this.#push(piece, piece.endsWith(' '));
  }

  /** Appends text without changing its white space. */
  writeRaw(text: string): void {
    if (text !== '') this.#push(text, true);
  }

  /** Appends markup, such as a backtick or a mark of set-apart.ts, without changing the state of white space. */
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

  /** Returns up to `chars` characters from the end of the current line. */
  tail(chars: number): string {
    let tail = '';
    for (let at = this.#parts.length - 1; at >= 0 && tail.length < chars; at -= 1) {
      tail = `${this.#parts[at]!.slice(-chars)}${tail}`;
    }
    return tail.slice(-chars);
  }

  /** Returns the number of characters that were written inside links since the last call. */
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
