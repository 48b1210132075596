import { hashesOf, hasHash } from './page-lines.ts';
import type { Target } from './frontier.ts';
import type { Page } from './read-page.ts';

export type DocumentPage = Extract<Page, { kind: 'document' }>;
/** A document that names another page, which is not read yet, as its address. */
export type HeldPage = { target: Target; page: DocumentPage; canonical: string };
export type Redirect = { next: string; depth: number };

/** Which pages of a site say, by redirects and canonical addresses, that they are others. */
export class CanonicalPages {
  readonly redirects = new Map<string, Redirect>();
  /** Path of a page → path of the page that it says it is. */
  readonly #aliases = new Map<string, string>();
  /** Held pages by the path that they name. */
  readonly #held = new Map<string, HeldPage[]>();
  readonly #settled = new Set<string>();
  readonly #lines = new Map<string, Uint32Array>();

  /** Paths that documents wait for. */
  get awaited(): string[] {
    return [...this.#held.keys()];
  }

  alias(path: string, to: string): void {
    this.#aliases.set(path, to);
  }

  /** The page is its own. */
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

  /** Where the redirects of a page end. */
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

  /** Whether a page that was read in full has all lines of a text; undefined: it was not read in full. */
  hasAll(path: string, text: string): boolean | undefined {
    const lines = this.#lines.get(path);
    return lines && hashesOf(text).every((hash) => hasHash(lines, hash));
  }

  /** Whether the page that it names has been read already. */
  hold(held: HeldPage): boolean {
    const others = this.#held.get(held.canonical);
    if (others) others.push(held);
    else this.#held.set(held.canonical, [held]);
    return this.#settled.has(held.canonical);
  }

  /** The documents that waited for a page, now that it is read, and the page that it leads to. */
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
