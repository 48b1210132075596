import { addressAt, webAddress } from './addresses.ts';
import type { Piece, Tag } from './piece.ts';

/**
 * Reads the inline marks of Markdown: emphasis, code, links and web addresses. HTML remains text.
 *
 * @param isPartial whether more text follows; marks that are not closed then extend to the end
 */
export function readInline(text: string, isPartial: boolean): Piece[] {
  return new Inline(text, isPartial, 0).read();
}

/** Maximum depth of nested emphasis. Deeper marks remain text. */
const DEPTH_MAX = 6;

type Read = { pieces: readonly Piece[]; end: number };

class Inline {
  readonly #text: string;
  readonly #isPartial: boolean;
  readonly #depth: number;
  readonly #pieces: Piece[] = [];
  #plain = '';
  /**
   * Marks that are known to have no closing mark. Without this cache, a text with many asterisks would take quadratic
   * time.
   */
  readonly #unclosed = new Set<string>();

  constructor(text: string, isPartial: boolean, depth: number) {
    this.#text = text;
    this.#isPartial = isPartial;
    this.#depth = depth;
  }

  read(): Piece[] {
    let at = 0;
    while (at < this.#text.length) {
      const read = MARKS.test(this.#text[at]!) ? this.#markAt(at) : undefined;
      if (read) {
        for (const piece of read.pieces) this.#add(piece);
        at = read.end;
      } else {
        const end = at + this.#literalLength(at);
        this.#plain += this.#text.slice(at, end);
        at = end;
      }
    }
    this.#flush();
    return this.#pieces;
  }

  #add(piece: Piece): void {
    if (typeof piece === 'string') {
      this.#plain += piece;
      return;
    }
    this.#flush();
    this.#pieces.push(piece);
  }

  #flush(): void {
    if (this.#plain !== '') this.#pieces.push(this.#plain);
    this.#plain = '';
  }

  /**
   * Returns the length of the literal text at a position. If a run of equal marks has no meaning as Markdown, the whole
   * run is literal.
   */
  #literalLength(at: number): number {
    const mark = this.#text[at]!;
    if (!'*_~`'.includes(mark)) return 1;
    return runAt(this.#text, at);
  }

  #markAt(at: number): Read | undefined {
    const mark = this.#text[at]!;
    if (mark === '\\') return this.#escape(at);
    if (mark === '`') return this.#code(at);
    if (mark === '!' || mark === '[') return this.#link(at);
    if (mark === '<') return this.#angle(at);
    if (mark === 'h' || mark === 'H') {
      const address = addressAt(this.#text, at);
      return (
        address && { pieces: [linkOf(address.href, address.shown)], end: at + address.shown.length }
      );
    }
    return this.#emphasis(at);
  }

  #escape(at: number): Read | undefined {
    const next = this.#text[at + 1] ?? '';
    if (next === '\n') return { pieces: ['\n'], end: at + 2 };
    return /[!-/:-@[-`{-~]/.test(next) ? { pieces: [next], end: at + 2 } : undefined;
  }

  #code(at: number): Read | undefined {
    const length = runAt(this.#text, at);
    const start = at + length;
    const mark = this.#text.slice(at, start);
    let close = this.#unclosed.has(mark) ? -1 : this.#text.indexOf(mark, start);
    while (close >= 0 && runAt(this.#text, close) !== length) {
      close = this.#text.indexOf(mark, close + runAt(this.#text, close));
    }
    if (close < 0) {
      this.#unclosed.add(mark);
      if (!this.#isPartial) return undefined;
      close = this.#text.length;
    }
    const inside = this.#text.slice(start, close).replaceAll('\n', ' ');
    const isPadded = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '';
    const shown = isPadded ? inside.slice(1, -1) : inside;
    return { pieces: shown ? [{ tag: 'code', children: [shown] }] : [], end: close + length };
  }

  /**
   * Reads `[label](address "title")`. An image becomes a link, because loading the image would reveal the visitor's IP
   * address to the image's host.
   */
  #link(at: number): Read | undefined {
    LINK.lastIndex = at;
    const [whole, label = '', given = ''] = LINK.exec(this.#text) ?? [];
    if (whole === undefined) return this.#partialLink(at);
    const href = linkTarget(given.replace(/^<(.*)>$/, '$1').replace(/\\([!-/:-@[-`{-~])/g, '$1'));
    if (href === undefined) return undefined;
    const isHonest = namesNoOtherHost(label, href) && label.trim() !== '';
    const children = isHonest ? withoutLinks(this.#inside(label, false)) : [href];
    return { pieces: [{ tag: 'a', href, children }], end: at + whole.length };
  }

  /** Reads a link whose address has not arrived completely. Only the label is shown. */
  #partialLink(at: number): Read | undefined {
    if (!this.#isPartial) return undefined;
    PARTIAL_LINK.lastIndex = at;
    const [whole, label = ''] = PARTIAL_LINK.exec(this.#text) ?? [];
    if (whole === undefined || at + whole.length < this.#text.length) return undefined;
    return { pieces: withoutLinks(this.#inside(label, false)), end: this.#text.length };
  }

  #angle(at: number): Read | undefined {
    ANGLE.lastIndex = at;
    const [whole, address = '', mail] = ANGLE.exec(this.#text) ?? [];
    if (whole === undefined) return undefined;
    const end = at + whole.length;
    if (address === '') return { pieces: ['\n'], end };
    const href = mail === undefined ? webAddress(address) : linkTarget(`mailto:${mail}`);
    return href === undefined ? undefined : { pieces: [linkOf(href, mail ?? address)], end };
  }

  #emphasis(at: number): Read | undefined {
    const mark = this.#text[at]!;
    const run = runAt(this.#text, at);
    if ((mark === '~' ? run !== 2 : run > 3) || this.#depth > DEPTH_MAX) return undefined;
    const start = at + run;
    const before = this.#text[at - 1] ?? ' ';
    const next = this.#text[start] ?? ' ';
    const isAtEnd = start >= this.#text.length;
    if (isAtEnd && this.#isPartial && /[\s(]/.test(before)) return { pieces: [], end: start };
    if (/\s/.test(next) || (mark === '_' && isWord(before))) return undefined;
    // In `2*3*4`, an asterisk between numbers is a multiplication sign.
    if (mark === '*' && /[\d)]/.test(before) && /[\d(]/.test(next)) return undefined;
    const close = this.#closeOf(mark.repeat(run), start);
    if (close === undefined && !(this.#isPartial && (run > 1 || /\s/.test(before))))
      return undefined;
    const end = close ?? this.#text.length;
    const inside = this.#text.slice(start, end).replace(close === undefined ? /[*_~]+$/ : /^$/, '');
    const children = this.#inside(inside, this.#isPartial && close === undefined);
    return {
      pieces: [emphasized(mark, run, children)],
      end: end + (close === undefined ? 0 : run),
    };
  }

  #inside(text: string, isPartial: boolean): Piece[] {
    return new Inline(text, isPartial, this.#depth + 1).read();
  }

  #closeOf(mark: string, start: number): number | undefined {
    if (this.#unclosed.has(mark)) return undefined;
    const kind = mark[0]!;
    let at = this.#text.indexOf(kind, start + 1);
    while (at >= 0) {
      const run = runAt(this.#text, at);
      const end = at + run;
      const isEscaped = this.#text[at - 1] === '\\';
      const isClosing =
        !/\s/.test(this.#text[at - 1]!) && !(kind === '_' && isWord(this.#text[end] ?? ' '));
      // If a run of three marks closes two elements, the inner element is closed first: `**bold *both***`.
      if (isClosing && !isEscaped && fits(run, mark.length)) return end - mark.length;
      at = this.#text.indexOf(kind, end);
    }
    this.#unclosed.add(mark);
    return undefined;
  }
}

const MARKS = /[\\`![<hH*_~]/;
const LABEL = String.raw`!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]`;
const TARGET = String.raw`(<[^<>\n]*>|(?:[^\s()\\<]|\\.|\([^\s()]*\))+)`;
const TITLE = String.raw`(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?`;
const LINK = new RegExp(String.raw`${LABEL}\(\s*${TARGET}${TITLE}\s*\)`, 'sy');
const PARTIAL_LINK = /!?\[((?:[^[\]\\]|\\.)*)(?:\](?:\([^\n)]*)?)?/sy;
const ANGLE = /<(?:br\s*\/?|(https?:\/\/[^\s<>]+|(?:mailto:)?([^\s<>@]+@[^\s<>@]+\.[^\s<>@]+)))>/iy;

const isWord = (one: string): boolean => /[\p{L}\p{N}_]/u.test(one);

function runAt(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

const fits = (run: number, wanted: number): boolean =>
  wanted === 1 ? run % 2 === 1 : run >= wanted;

const TAGS: Record<number, Tag> = { 1: 'em', 2: 'strong' };

function emphasized(mark: string, run: number, children: Piece[]): Piece {
  if (mark === '~') return { tag: 'del', children };
  if (run === 3) return { tag: 'strong', children: [{ tag: 'em', children }] };
  return { tag: TAGS[run]!, children };
}

const linkOf = (href: string, shown: string): Piece => ({ tag: 'a', href, children: [shown] });

/** Returns the target of a link if its scheme is http, https, mailto or tel; otherwise undefined. */
function linkTarget(given: string): string | undefined {
  if (/^https?:/i.test(given)) return webAddress(given);
  return /^(?:mailto:[^\s@]+@[^\s@]+|tel:[+\d][\d().-]*)$/i.test(given) ? given : undefined;
}

/** Returns false if the label looks like an address whose host is not the host of the link. */
function namesNoOtherHost(label: string, href: string): boolean {
  const named = HOST_LIKE.exec(label.trim());
  if (!named) return true;
  const host = label
    .trim()
    .slice(named.index)
    .replace(/^https?:\/\//i, '');
  const bare = (name: string): string => name.replace(/^www\./, '');
  const [shown = ''] = /^[^/?#\s:]*/.exec(host.toLowerCase()) ?? [];
  return URL.canParse(href) && bare(new URL(href).hostname) === bare(shown);
}

const HOST_LIKE =
  /https?:\/\/|\bwww\.|^[\w.-]+\.(?!(?:csv|docx?|html?|jpe?g|js|pdf|png|txt|xlsx?)$)[a-z]{2,}(?:\/|$)/i;

/** Replaces links within a link's label with their text. */
function withoutLinks(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece) => {
    if (typeof piece === 'string') return [piece];
    const children = withoutLinks(piece.children);
    return piece.tag === 'a' ? children : [{ ...piece, children }];
  });
}
