import type { FeedLimits } from './feed-limits.ts';
import { invalidFeed, tooLarge, tooManyDocuments } from './feed-refused.ts';

/** A page of a feed. Its documents are not validated here. */
export type FeedPage = { documents: unknown[]; nextCursor: string | null; hasMore: boolean };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];
const OPENING_LIST = 0x5b;
/**
 * Pattern for the end of the text before the list of documents. It does not match if a backslash precedes the first
 * quote, because such a quote is part of a string.
 */
const BEFORE_DOCUMENTS = /(?:^|[^\\])"documents"\s*:\s*$/;

/**
 * Position of the boundary between a document and the rest of its page: before or after the current character.
 * `undefined` if there is no boundary at this character.
 */
type Border = 'before' | 'after' | undefined;

/**
 * Streaming parser of a page. It parses one document at a time while the page arrives. A page of 20 MB therefore does
 * not block the process, and its text and its values are never in memory at the same time. Deep nesting and very many
 * members are rejected before parsing, because their values would take a hundred times the memory of their text.
 *
 * The rest of the page, with `0` in place of each document, is parsed and checked when the page is complete.
 */
export class PageScanner {
  readonly #limits: FeedLimits;
  readonly #documents: unknown[] = [];
  #frame = '';
  #document = '';
  /** Number of object members and list elements counted so far in the current document. */
  #members = 0;
  #depth = 0;
  #isInDocuments = false;
  #isInString = false;
  #isEscaped = false;

  constructor(limits: FeedLimits) {
    this.#limits = limits;
  }

  /**
   * Processes the next piece of the page.
   * @throws FetchRefused
   */
  push(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isText(code)) continue;
      const border = this.#borderAt(code);
      if (border === undefined) continue;
      const to = border === 'after' ? at + 1 : at;
      this.#take(text.slice(from, to));
      from = to;
      if (border === 'after')
        this.#isInDocuments = BEFORE_DOCUMENTS.test(this.#frame.slice(-100, -1));
      else {
        this.#endDocument();
        if (code !== COMMA) this.#isInDocuments = false;
        else {
          this.#frame += ',';
          from = at + 1;
        }
      }
    }
    this.#take(text.slice(from));
  }

  /** Returns the complete page. @throws FetchRefused */
  end(): FeedPage {
    return pageOf(parsed(this.#frame), this.#documents, this.#limits);
  }

  /** Returns true if a character is part of a string. The quotes count as part of the string. */
  #isText(code: number): boolean {
    if (!this.#isInString) {
      this.#isInString = code === QUOTE;
      return this.#isInString;
    }
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) this.#isInString = false;
    return true;
  }

  #borderAt(code: number): Border {
    if (OPENING.includes(code)) {
      this.#depth += 1;
      if (this.#depth > this.#limits.depth)
        throw tooLarge(`returned JSON that is nested more than ${this.#limits.depth} levels deep`);
      if (this.#isInDocuments) this.#countMember();
      const mayBegin = this.#depth === 2 && code === OPENING_LIST && !this.#isInDocuments;
      return mayBegin ? 'after' : undefined;
    }
    if (CLOSING.includes(code)) {
      this.#depth -= 1;
      return this.#isInDocuments && this.#depth === 1 ? 'before' : undefined;
    }
    if (code !== COMMA || !this.#isInDocuments) return undefined;
    if (this.#depth === 2) return 'before';
    this.#countMember();
    return undefined;
  }

  #countMember(): void {
    this.#members += 1;
    if (this.#members <= this.#limits.documentMembers) return;
    const which = `documents[${this.#documents.length}]`;
    throw tooLarge(`returned more than ${this.#limits.documentMembers} members in ${which}`);
  }

  #take(piece: string): void {
    if (this.#isInDocuments) this.#document += piece;
    else this.#frame += piece;
    const { frameChars } = this.#limits;
    if (this.#frame.length <= frameChars) return;
    throw tooLarge(`returned more than ${frameChars} characters outside of \`documents\``);
  }

  #endDocument(): void {
    const text = this.#document.trim();
    this.#document = '';
    this.#members = 0;
    if (text === '') return;
    this.#documents.push(parsed(text));
    if (this.#documents.length > this.#limits.documents) throw tooManyDocuments(this.#limits);
    this.#frame += '0';
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidFeed('returned invalid JSON');
  }
}

function pageOf(page: unknown, documents: unknown[], limits: FeedLimits): FeedPage {
  if (typeof page !== 'object' || page === null || Array.isArray(page)) {
    throw invalidFeed('must return an object with `documents`, `next_cursor` and `has_more`');
  }
  const listed: unknown = Reflect.get(page, 'documents');
  // Detects a second list named `documents` and a key with escaped characters, which the scanner misses.
  if (!Array.isArray(listed) || listed.length !== documents.length) {
    throw invalidFeed('must return `documents` exactly once, as a list');
  }
  const nextCursor: unknown = Reflect.get(page, 'next_cursor') ?? null;
  if (nextCursor !== null && !isCursor(nextCursor, limits)) {
    const bound = `1 to ${limits.cursorChars} characters without control characters`;
    throw invalidFeed(`must return \`next_cursor\` as null or as a string of ${bound}`);
  }
  const hasMore: unknown = Reflect.get(page, 'has_more');
  if (typeof hasMore !== 'boolean') throw invalidFeed('must return `has_more` as true or false');
  if (hasMore && nextCursor === null) {
    throw invalidFeed('returned `has_more: true` without a `next_cursor`');
  }
  return { documents, nextCursor, hasMore };
}

function isCursor(value: unknown, { cursorChars }: FeedLimits): value is string {
  return (
    typeof value === 'string' &&
    value.length >= 1 &&
    value.length <= cursorChars &&
    value.isWellFormed() &&
    !/\p{Cc}/u.test(value)
  );
}
