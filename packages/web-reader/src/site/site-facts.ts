import { hashOfLine } from './page-lines.ts';
import type { SiteGraph } from './site-graph.ts';

/** Dates that a template writes into each page, such as the day of its last change. */
const DATES =
  /\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|(?<!\p{L})\p{L}+\.? \d{1,2},? \d{4}|\d{1,2}\.? \p{L}+\.? \d{4}|\d{4}年\d{1,2}月\d{1,2}日/gu;
const WORDS_MIN = 4;

/**
 * Facts in the heads, feet and structured data of a site. A line is kept once: with the page that kept it at the sync
 * before, else with the first page that says it. The start page is read before all others.
 */
export class SiteFacts {
  readonly #before: SiteGraph;
  readonly #kept = new Set<number>();
  /** The pages that kept lines at the sync before, and may still say them. */
  readonly #owners = new Map<number, string>();

  constructor(before: SiteGraph) {
    this.#before = before;
    for (const [path, { facts = [] }] of before) {
      for (const hash of facts) this.#owners.set(hash, path);
    }
  }

  /** Returns the lines that a page keeps, and their hashes. */
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
    // What it no longer says, a page after it may keep.
    for (const hash of this.#before.get(path)?.facts ?? []) this.#owners.delete(hash);
    return { lines: lines.join('\n'), hashes };
  }

  /** Returns the lines that a page has kept before, for a page whose indexed text stays. */
  carry(path: string): readonly number[] {
    const { facts = [] } = this.#before.get(path) ?? {};
    for (const hash of facts) this.#kept.add(hash);
    return facts;
  }

  /** Returns true if no page keeps a line any longer. A page that was not sent again may say it, too. */
  get hasLost(): boolean {
    return [...this.#before.values()].some(({ facts = [] }) =>
      facts.some((hash) => !this.#kept.has(hash)),
    );
  }
}

/** Returns true if a line is a fact without its dates. Of start pages even the date of an event is one. */
function isOfPage(line: string): boolean {
  const left = line.replace(DATES, '');
  if (left === line || /\d{2}|@/.test(left)) return true;
  return (left.match(/\p{L}+/gu)?.length ?? 0) > WORDS_MIN && /[.!?]$/.test(left);
}
