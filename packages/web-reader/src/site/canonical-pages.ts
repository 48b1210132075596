import { hashesOf, hasHash } from './page-lines.ts';
import type { Target } from './frontier.ts';
import type { Page } from './read-page.ts';

export type DocumentPage = Extract<Page, { kind: 'document' }>;
/** A document that names another page as its canonical one, while that page is not read yet. */
export type HeldPage = { target: Target; page: DocumentPage; canonical: string };
export type Redirect = { next: string; depth: number };

/** Pages that redirect to others or name others as canonical. */
export class CanonicalPages {
  readonly redirects = new Map<string, Redirect>();
  /** Target path of each page that redirects or names a canonical address. */
  readonly #aliases = new Map<string, string>();
  /** Held pages by the path of their canonical page. */
  readonly #held = new Map<string, HeldPage[]>();
  readonly #settled = new Set<string>();
  readonly #lines = new Map<string, Uint32Array>();

  /** Paths that held documents wait for. */
  get awaited(): string[] {
    return [...this.#held.keys()];
  }

  alias(path: string, to: string): void {
    this.#aliases.set(path, to);
  }

  /** Removes the target of a page that turned out to be canonical itself. */
  own(path: string): void {
    this.#aliases.delete(path);
  }

  redirect(path: string, redirect: Redirect): void {
    this.#aliases.set(path, redirect.next);
    this.redirects.set(path, redirect);
  }

  /** Returns true if redirects or canonical addresses lead from one page to the other. */
  leadsTo(from: string, to: string): boolean {
    let at: string | undefined = from;
    for (let steps = 0; at !== undefined && steps < 20; steps += 1) {
      if (at === to) return true;
      at = this.#aliases.get(at);
    }
    return at !== undefined;
  }

  /** Returns the final target of a page's redirects. */
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
   * Returns whether a completely read page contains all lines of a text, or `undefined` if the page was not read
   * completely.
   */
  hasAll(path: string, text: string): boolean | undefined {
    const lines = this.#lines.get(path);
    return lines && hashesOf(text).every((hash) => hasHash(lines, hash));
  }

  /** Holds a page. Returns true if its canonical page has been read already. */
  hold(held: HeldPage): boolean {
    const others = this.#held.get(held.canonical);
    if (others) others.push(held);
    else this.#held.set(held.canonical, [held]);
    return this.#settled.has(held.canonical);
  }

  /** Yields the documents that waited for a page, now that it and the target of its redirect are read. */
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
