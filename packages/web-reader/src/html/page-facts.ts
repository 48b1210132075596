import type { Attributes } from './boilerplate.ts';

const LINKS_MAX = 5_000;
const HREFS_MAX = 20_000;
const DATA_MAX = 20;
const DATA_CHARS_MAX = 100_000;
const ADDRESS_CHARS_MAX = 2_048;

/** Collects the metadata of a page: its links, its canonical address, its language, and whether robots may index it. */
export class PageFacts {
  canonical: string | null = null;
  language: string | null = null;
  noindex = false;
  nofollow = false;
  /** Content of the page's JSON-LD scripts. */
  readonly data: string[] = [];
  #isData = false;
  readonly #links = new Set<string>();
  readonly #hrefs = new Set<string>();
  #base: string;
  #hasBase = false;

  constructor(url: string) {
    this.#base = url;
  }

  get links(): string[] {
    return [...this.#links];
  }

  read(name: string, attributes: Attributes): void {
    switch (name) {
      case 'html':
        this.language ??= languageOf(attributes['lang'] ?? attributes['xml:lang']);
        break;
      case 'script':
        this.#isData =
          attributes['type']?.trim().toLowerCase() === 'application/ld+json' &&
          this.data.length < DATA_MAX;
        if (this.#isData) this.data.push('');
        break;
      case 'base':
        this.#setBase(attributes['href']);
        break;
      case 'a':
      case 'area':
        if (!relsOf(attributes).includes('nofollow')) this.#addLink(attributes['href']);
        break;
      case 'frame':
        this.#addLink(attributes['src']);
        break;
      case 'link':
        this.#readLink(attributes);
        break;
      case 'meta':
        this.#readMeta(attributes);
        break;
      default:
    }
  }

  readData(text: string): void {
    if (!this.#isData || this.data.at(-1)!.length > DATA_CHARS_MAX) return;
    this.data.push(this.data.pop()! + text);
  }

  endData(): void {
    this.#isData = false;
  }

  #readLink(attributes: Attributes): void {
    const rels = relsOf(attributes);
    if (rels.includes('canonical')) this.canonical ??= this.#resolve(attributes['href']);
    if (rels.includes('next') || rels.includes('prev')) this.#addLink(attributes['href']);
  }

  #readMeta(attributes: Attributes): void {
    const content = attributes['content'] ?? '';
    const name = (attributes['name'] ?? '').toLowerCase();
    if (name === 'robots' || name === 'parley') {
      const { noindex, nofollow } = readRobotsWords(content);
      this.noindex ||= noindex;
      this.nofollow ||= nofollow;
    }
    if ((attributes['http-equiv'] ?? '').toLowerCase() === 'refresh') {
      this.#addLink(/^[\d.\s]{0,20}[;,]\s*url\s*=\s*["']?([^"']+)/i.exec(content)?.[1]);
    }
  }

  #setBase(href: string | undefined): void {
    if (this.#hasBase) return;
    const base = this.#resolve(href);
    if (base === null) return;
    this.#hasBase = true;
    this.#base = base;
  }

  #addLink(href: string | undefined): void {
    if (href === undefined || href.startsWith('#')) return;
    if (this.#hrefs.size >= HREFS_MAX || this.#links.size >= LINKS_MAX) return;
    if (this.#hrefs.has(href)) return;
    this.#hrefs.add(href);
    const url = this.#resolve(href);
    if (url !== null) this.#links.add(url);
  }

  /** Returns an absolute URL without its fragment, or `null` for a URL that is not HTTP or HTTPS. */
  #resolve(href: string | undefined): string | null {
    if (href === undefined || href.length > ADDRESS_CHARS_MAX) return null;
    const url = URL.parse(href.trim(), this.#base);
    if (url === null || !/^https?:$/.test(url.protocol)) return null;
    url.hash = '';
    return url.href.length > ADDRESS_CHARS_MAX ? null : url.href;
  }
}

export type RobotsWords = { noindex: boolean; nofollow: boolean };

/** Parses the directives of a robots meta element or of an `X-Robots-Tag` header. */
export function readRobotsWords(text: string): RobotsWords {
  const words = new Set(
    text
      .toLowerCase()
      .slice(0, 1000)
      .split(/[\s,]+/),
  );
  return {
    noindex: words.has('noindex') || words.has('none'),
    nofollow: words.has('nofollow') || words.has('none'),
  };
}

function relsOf(attributes: Attributes): string[] {
  return (attributes['rel'] ?? '').toLowerCase().slice(0, 200).split(/\s+/);
}

/** Returns the two-letter code of a language tag (`de` for `de-CH`), or `null` if the tag does not begin with one. */
function languageOf(lang: string | undefined): string | null {
  return /^\s*([a-z]{2})(?![a-z])/i.exec(lang ?? '')?.[1]?.toLowerCase() ?? null;
}
