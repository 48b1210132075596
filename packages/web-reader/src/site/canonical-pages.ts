import { hashesOf, hasHash } from './page-lines.ts';
import type { Target } from './frontier.ts';
import type { Page } from './read-page.ts';

export type DocumentPage = Extract<Page, { kind: 'document' }>;
/**
 * A document that names another page as its canonical page. The document is held back until the canonical page has been
 * read.
 */
export type HeldPage = { target: Target; page: DocumentPage; canonical: string };
export type Redirect = { next: string; depth: number };

/** Pages that redirect to other pages or name other pages as canonical. */
export class CanonicalPages {
  readonly redirects = new Map<string, Redirect>();
  /** Maps the path of each page that redirects or names a canonical page to the path of the target. */
  readonly #aliases = new Map<string, string>();
  /** Documents that are held back, by the path of their canonical page. */
  readonly #held = new Map<string, HeldPage[]>();
  readonly #settled = new Set<string>();
  readonly #lines = new Map<string, Uint32Array>();

  /** Paths of the canonical pages that held documents are waiting for. */
  get awaited(): string[] {
    return [...this.#held.keys()];
  }

  alias(path: string, to: string): void {
    this.#aliases.set(path, to);
  }

  /**
   * Removes the mapping from a page to its canonical page. Called for a page that is indexed although it names a
   * canonical page, because the canonical page may not contain all of its text.
   */
  own(path: string): void {
    this.#aliases.delete(path);
  }

  redirect(path: string, redirect: Redirect): void {
    this.#aliases.set(path, redirect.next);
    this.redirects.set(path, redirect);
  }

  /**
   * Returns true if redirects or canonical addresses lead from the page `from` to the page `to`. Also returns true for
   * a chain of more than 20 steps, which is probably circular.
   */
  leadsTo(from: string, to: string): boolean {
    let at: string | undefined = from;
    for (let steps = 0; at !== undefined && steps < 20; steps += 1) {
      if (at === to) return true;
      at = this.#aliases.get(at);
    }
    return at !== undefined;
  }

  /** Returns the path at the end of a chain of redirects. */
  endOf({ next }: Redirect): string {
    let end = next;
    for (let hop = 0; hop < 20 && this.redirects.has(end); hop += 1) {
      end = this.redirects.get(end)!.next;
    }
    return end;
  }

  remember(path: string, text: string): void {
    this.#lines.set(path, hashesOf(text));
  }

  /**
   * Returns true if the page at `path` contains all lines of a text, or `undefined` if that page was not read
   * completely.
   */
  hasAll(path: string, text: string): boolean | undefined {
    const lines = this.#lines.get(path);
    return lines && hashesOf(text).every((hash) => hasHash(lines, hash));
  }

  /**
   * Stores a document until its canonical page has been read. Returns true if that page has already been read, so that
   * the caller can release the document immediately.
   */
  hold(held: HeldPage): boolean {
    const others = this.#held.get(held.canonical);
    if (others) others.push(held);
    else this.#held.set(held.canonical, [held]);
    return this.#settled.has(held.canonical);
  }

  /**
   * Records that the page `settled` has been read, and yields the documents that waited for it. If the page redirects
   * to a target that has not been read yet, the documents wait for the target instead. `path` is the canonical page
   * after such a redirect.
   */
  *settle(settled: string): Generator<{ held: HeldPage; path: string }> {
    const due = [settled];
    for (let path = due.pop(); path !== undefined; path = due.pop()) {
      this.#settled.add(path);
      const waiting = this.#held.get(path) ?? [];
      this.#held.delete(path);
      const next = this.redirects.get(path)?.next;
      for (const held of waiting) {
        if (next !== undefined && !this.#settled.has(next)) {
          this.#held.set(next, [...(this.#held.get(next) ?? []), held]);
        } else {
          yield { held, path: next ?? path };
          due.push(held.target.path);
        }
      }
    }
  }
}
