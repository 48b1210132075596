import { hashOfLine } from './page-lines.ts';
import type { SiteGraph } from './site-graph.ts';

/** Pattern for dates. Site templates often add a date to every page, such as the date of its last change. */
const DATES =
  /\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|(?<!\p{L})\p{L}+\.? \d{1,2},? \d{4}|\d{1,2}\.? \p{L}+\.? \d{4}|\d{4}年\d{1,2}月\d{1,2}日/gu;
const WORDS_MIN = 4;

/**
 * Facts in the headers, footers and structured data of a site. Many pages repeat the same line, so each line is indexed
 * with only one page: the page that had it in the previous sync, or else the first page that contains it. The start
 * page is read before all others.
 */
export class SiteFacts {
  readonly #before: SiteGraph;
  readonly #kept = new Set<number>();
  /**
   * Maps the hash of each line to the page that had the line in the previous sync. The line stays reserved for that
   * page until this sync has read it.
   */
  readonly #owners = new Map<number, string>();

  constructor(before: SiteGraph) {
    this.#before = before;
    for (const [path, { facts = [] }] of before) {
      for (const hash of facts) this.#owners.set(hash, path);
    }
  }

  /** Returns which of the lines in `around` to index with this page, and their hashes. */
  take(path: string, around: string, isStart: boolean): { lines: string; hashes: number[] } {
    const lines: string[] = [];
    const hashes: number[] = [];
    for (const line of around.split('\n')) {
      const hash = hashOfLine(line);
      const isTaken = this.#kept.has(hash) || (this.#owners.get(hash) ?? path) !== path;
      if (line === '' || isTaken || !(isStart || isOfPage(line))) continue;
      this.#kept.add(hash);
      lines.push(line);
      hashes.push(hash);
    }
    // Lines that this page had before and no longer contains become available to pages that are read later.
    for (const hash of this.#before.get(path)?.facts ?? []) this.#owners.delete(hash);
    return { lines: lines.join('\n'), hashes };
  }

  /**
   * Returns the hashes of the lines that a page had in the previous sync. Called for a page that is unchanged or could
   * not be read, so that its indexed text stays.
   */
  carry(path: string): readonly number[] {
    const { facts = [] } = this.#before.get(path) ?? {};
    for (const hash of facts) this.#kept.add(hash);
    return facts;
  }

  /**
   * Whether the previous sync indexed a line that this sync no longer indexes with any page. The next sync then reads
   * all pages completely, because a page that was not sent again (status 304) may contain the line.
   */
  get hasLost(): boolean {
    return [...this.#before.values()].some(({ facts = [] }) =>
      facts.some((hash) => !this.#kept.has(hash)),
    );
  }
}

/**
 * Returns true if a line has no dates or, without its dates, still has a number, an e-mail address or a sentence. Other
 * lines, such as announcements of events, are indexed only with the start page.
 */
function isOfPage(line: string): boolean {
  const left = line.replace(DATES, '');
  if (left === line || /\d{2}|@/.test(left)) return true;
  return (left.match(/\p{L}+/gu)?.length ?? 0) > WORDS_MIN && /[.!?]$/.test(left);
}
