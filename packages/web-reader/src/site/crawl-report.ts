import type { SiteEvent } from './site-event.ts';

/** Maximum number of refused addresses that a crawl reports. */
export const TOLD_MAX = 1_000;

/** Collects the events of a crawl until the crawl yields them to its caller. */
export class CrawlReport {
  /** Refused addresses, which are not checked again. Only the first `TOLD_MAX` are reported as skipped. */
  readonly #refused = new Set<string>();
  #events: SiteEvent[] = [];

  add(event: SiteEvent): void {
    this.#events.push(event);
  }

  isRefused(path: string): boolean {
    return this.#refused.has(path);
  }

  refuse(path: string, reason: string): void {
    if (this.#refused.size >= 10 * TOLD_MAX) return;
    this.#refused.add(path);
    if (this.#refused.size <= TOLD_MAX && path.length <= 2_048) {
      this.add({ kind: 'skipped', path, reason });
    }
  }

  *take(): Generator<SiteEvent, void, void> {
    const events = this.#events;
    this.#events = [];
    yield* events;
  }
}
