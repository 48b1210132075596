import { HtmlRefused } from './html-refused.ts';

/**
 * Bits of `Block.where`: the block is inside `<main>`, an article, or an element with a class or id such as `content`.
 * `chooseText` takes the text of the page from one of these regions if the region has enough text.
 */
export const IN_MAIN = 1;
export const IN_ARTICLE = 2;
export const IN_CONTENT = 4;
/**
 * Bit for a block that probably does not belong to the text, such as a menu. Such blocks are used only if the page has
 * almost no other text.
 */
export const BESIDE = 8;
/** Bit for a block in a header, a footer or an address. */
export const AROUND = 16;
/** Bit for a block in a form or on a button. */
export const FORM = 32;

/** One paragraph, heading, list item, table row or code block, as Markdown. */
export type Block = {
  text: string;
  kind: 'heading' | 'text' | 'item' | 'row' | 'code';
  where: number;
  /** Whether the block is the first one of its list or table. */
  isFirst: boolean;
  level: number;
  /** Number of the block's characters that are inside links. */
  linked: number;
  /** The innermost `Part` around the block. */
  part: Part | undefined;
};

/**
 * A hidden element, or an element with a menu-like class or id. `judgeParts` decides whether it belongs to the text.
 */
export type Part = {
  outside: Part | undefined;
  /**
   * `named`: the class or id of the element is typical of menus and advertisements. `hidden`: the element is invisible,
   * either always or until a visitor clicks something.
   */
  kind: 'named' | 'hidden';
  id: string | undefined;
  /** Whether the attributes of a hidden element, or a title before it, show that visitors can open the element. */
  opens: boolean;
  /** Whether the element is left out regardless of its content. */
  isOut: boolean;
};

/**
 * Maximum number of blocks in a page. A page with more blocks is refused. The limit is far above the 55,000 passages
 * that a knowledge source may have.
 */
const BLOCKS_MAX = 300_000;
const CHARS_MAX = 20_000_000;

/** Collects the finished blocks of a page and the current line, in time linear in the length of the text. */
export class HtmlBlocks {
  readonly blocks: Block[] = [];
  /**
   * Pieces of the current line. They are joined only once, because appending each piece to a string would copy the
   * string each time.
   */
  #parts: string[] = [];
  #endsInSpace = true;
  #chars = 0;
  #linked = 0;
  /** Whether the text being written is inside a link. */
  isLink = false;

  /** Appends HTML text. Any run of white space becomes one space. */
  write(text: string): void {
    const collapsed = text.replace(/[\u00ad\u200b\ufeff]/g, '').replace(/[\s\u00a0]+/g, ' ');
    const piece = this.#endsInSpace && collapsed.startsWith(' ') ? collapsed.slice(1) : collapsed;
    if (piece === '') return;
    this.#push(piece, piece.endsWith(' '));
  }

  /** Appends text with its white space unchanged. */
  writeRaw(text: string): void {
    if (text !== '') this.#push(text, true);
  }

  /**
   * Appends markup, such as a backtick or one of the private-use characters of set-apart.ts. Unlike text, markup does
   * not affect whether a space is needed next.
   */
  writeMark(mark: string): void {
    this.#push(mark, this.#endsInSpace);
  }

  space(): void {
    if (!this.#endsInSpace) this.#push(' ', true);
  }

  /** The last character of the current line, or '' at its start. */
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

  /** Returns the number of characters written inside links since the last call. */
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
