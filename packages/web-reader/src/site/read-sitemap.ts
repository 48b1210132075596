// @ts-expect-error The package declares no types.
import untypedSniffer from 'html-encoding-sniffer';
import { Parser } from 'htmlparser2';

/** Formats that sitemaps.org defines ("Other Sitemap formats"). */
export type SitemapFormat = 'sitemap' | 'index' | 'feed' | 'text';
/** Addresses exactly as the sitemap contains them. */
export type SitemapContent = { pages: string[]; sitemaps: string[] };
/** Result of reading a sitemap. `isWhole` means that it was read to its end. */
export type SitemapRead = SitemapContent & { format: SitemapFormat; isWhole: boolean };

const sniffEncoding = untypedSniffer as (
  bytes: Uint8Array,
  options: { xml: boolean; transportLayerEncodingLabel?: string; defaultEncoding: string },
) => string;

const DEPTH_OF_XML_MAX = 20;
const PIECE_CHARS = 16_384;
const ADDRESS_CHARS_MAX = 2_048;

const ADDRESS = /^https?:\/\/[^\s<>"]+$/i;

const ROOTS: Record<string, SitemapFormat> = {
  urlset: 'sitemap',
  sitemapindex: 'index',
  rss: 'feed',
  feed: 'feed',
  rdf: 'feed',
};

/**
 * Returns the addresses in a sitemap, a sitemap index, a feed (RSS or Atom), or a text with one address per line.
 * Returns `undefined` for any other content. `breathe` is called from time to time to let other work run.
 */
export async function readSitemap(
  bytes: Uint8Array,
  { charset, addressesMax }: { charset: string | null; addressesMax: number },
  breathe: () => Promise<void>,
): Promise<SitemapRead | undefined> {
  const text = decode(bytes, charset);
  if (/^\s*</.test(text.slice(0, 1_000))) return await readXml(text, addressesMax, breathe);
  return readLines(text, addressesMax);
}

/**
 * Decodes a sitemap according to its byte order mark, the `Content-Type` header or the XML declaration. The default is
 * UTF-16 if one of the first two bytes is zero, and UTF-8 otherwise.
 */
function decode(bytes: Uint8Array, charset: string | null): string {
  const [first, second] = bytes;
  const unmarked = first === 0 ? 'UTF-16BE' : second === 0 ? 'UTF-16LE' : 'UTF-8';
  const encoding = sniffEncoding(bytes, {
    xml: true,
    ...(charset !== null && unmarked === 'UTF-8' && { transportLayerEncodingLabel: charset }),
    defaultEncoding: unmarked,
  });
  // The Encoding standard defines the name `replacement`, but no usable decoder for it. Such a sitemap is treated as
  // empty.
  if (encoding === 'replacement') return '';
  return new TextDecoder(encoding).decode(bytes);
}

function readLines(text: string, addressesMax: number): SitemapRead | undefined {
  const pages: string[] = [];
  let others = 0;
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const address = line.trim();
    if (address === '' || address.startsWith('#')) continue;
    if (pages.length >= addressesMax) {
      return { format: 'text', pages, sitemaps: [], isWhole: false };
    }
    if (address.length > ADDRESS_CHARS_MAX || !ADDRESS.test(address)) others += 1;
    else pages.push(address);
  }
  // A text in which most lines are not addresses is not a list of addresses.
  return pages.length > others ? { format: 'text', pages, sitemaps: [], isWhole: true } : undefined;
}

async function readXml(
  xml: string,
  addressesMax: number,
  breathe: () => Promise<void>,
): Promise<SitemapRead | undefined> {
  const reader = new XmlReader();
  // Decodes only XML's five predefined entities, so that nested entity definitions cannot expand.
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: true });
  let at = 0;
  for (; at < xml.length && !reader.isOver(addressesMax); at += PIECE_CHARS) {
    parser.write(xml.slice(at, at + PIECE_CHARS));
    await breathe();
  }
  const { format, pages, sitemaps, isClosed } = reader;
  return format && { format, pages, sitemaps, isWhole: isClosed };
}

class XmlReader {
  format: SitemapFormat | undefined;
  isClosed = false;
  readonly pages: string[] = [];
  readonly sitemaps: string[] = [];
  readonly #open: string[] = [];
  #text: string | undefined;
  /** The `guid` of a feed entry. It is used if the entry has no link. */
  #guid: string | undefined;
  #hasLink = false;
  #isOther = false;

  /**
   * Returns true if parsing can stop. A sitemap nests only three elements (urlset, url, loc), so XML that is nested
   * much deeper has another format.
   */
  isOver(addressesMax: number): boolean {
    if (this.#isOther || this.#open.length > DEPTH_OF_XML_MAX) return true;
    return this.pages.length + this.sitemaps.length >= addressesMax;
  }

  onopentag(raw: string, attributes: Readonly<Record<string, string>>): void {
    const name = local(raw);
    if (this.#open.length === 0 && this.format === undefined) {
      this.format = ROOTS[name];
      this.#isOther = this.format === undefined;
    }
    if (name === 'item' || name === 'entry') [this.#guid, this.#hasLink] = [undefined, false];
    if (name === 'loc' || name === 'link' || (name === 'guid' && isPermanent(attributes))) {
      this.#text = '';
    }
    if (name === 'link' && this.#isEntry()) this.#takeHref(attributes);
    this.#open.push(name);
  }

  ontext(piece: string): void {
    if (this.#text !== undefined && this.#text.length <= ADDRESS_CHARS_MAX) this.#text += piece;
  }

  onclosetag(_raw: string, isImplied: boolean): void {
    const name = this.#open.pop();
    if (this.#open.length === 0) this.isClosed = !isImplied;
    if (name === 'item' || name === 'entry') this.#endEntry();
    if (this.#text === undefined || (name !== 'loc' && name !== 'link' && name !== 'guid')) return;
    const text = this.#text.trim();
    this.#text = undefined;
    if (text === '' || text.length > ADDRESS_CHARS_MAX) return;
    const parent = this.#open.at(-1);
    if (name === 'loc' && parent === 'url') this.pages.push(text);
    else if (name === 'loc' && parent === 'sitemap') this.sitemaps.push(text);
    else if (name === 'link' && this.#isEntry()) this.#takeLink(text);
    else if (name === 'guid') this.#guid = text;
  }

  #isEntry(): boolean {
    const parent = this.#open.at(-1);
    return this.format === 'feed' && (parent === 'item' || parent === 'entry');
  }

  /** Reads a link of an Atom feed. Without the attribute `rel`, its relation is `alternate` (RFC 4287, 4.2.7.2). */
  #takeHref({ href, rel = 'alternate' }: Readonly<Record<string, string>>): void {
    if (href === undefined || rel !== 'alternate' || href.length > ADDRESS_CHARS_MAX) return;
    this.#takeLink(href.trim());
  }

  #takeLink(address: string): void {
    this.#hasLink = true;
    this.pages.push(address);
  }

  #endEntry(): void {
    if (!this.#hasLink && this.#guid !== undefined) this.pages.push(this.#guid);
    this.#guid = undefined;
  }
}

function isPermanent(attributes: Readonly<Record<string, string>>): boolean {
  return attributes['isPermaLink'] !== 'false';
}

/** Returns the local part of an XML name, without its namespace prefix. */
function local(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
