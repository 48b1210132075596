import { PATH_CHARS_MAX, pathOf } from './site-address.ts';

/** An address to request. `hops` is the number of redirects that led to it. */
export type Target = {
  /**
   * Path and query, without the origin. There may be 50,000 targets, and a URL object takes several times the memory of
   * a string.
   */
  path: string;
  depth: number;
  hops: number;
  /** Whether another page names this address as its canonical one. */
  isCanonical: boolean;
};

/**
 * Maximum number of different queries per path. Further queries are refused, because they usually come from a counter,
 * a sort order or a filter that generates endless addresses.
 */
const QUERIES_MAX = 100;
/**
 * Maximum number of times that a segment may occur in a path. A path such as `/a/b/a/b/a/b/a/b` usually results from a
 * wrong relative link, so it is refused.
 */
const REPEATS_MAX = 3;
const SEGMENTS_MAX = 30;
/** File name extensions of formats that the crawler does not read. */
const OTHER_FILES =
  /\.(png|jpe?g|gif|svg|webp|avif|ico|bmp|tiff?|css|m?js|json|map|xml|rss|atom|woff2?|ttf|otf|eot|zip|t?gz|tar|bz2|xz|7z|rar|iso|dmg|exe|msi|deb|rpm|apk|jar|war|mp[34]|m4[av]|webm|ogg|wav|avi|mov|mkv|flac|xlsx?|pptx?|doc|ods|odp|odt|epub|psd|wasm|bin|ics|vcf)$/i;

/** The set of a site's known addresses. */
export class Frontier {
  readonly #seen = new Set<string>();
  readonly #queries = new Map<string, number>();
  readonly #max: number;

  /** Creates a set of at most `max` addresses. Further addresses are ignored. */
  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#seen.size;
  }

  has(path: string): boolean {
    return this.#seen.has(path);
  }

  /**
   * Adds an address. If `isNew` is true, the caller must request the address. If the address looks like a trap for
   * crawlers, `trap` is a sentence that says why, and the address must not be requested.
   */
  admit(url: URL): { isNew: boolean; trap?: string } {
    const path = pathOf(url);
    if (this.#seen.has(path) || OTHER_FILES.test(url.pathname)) return { isNew: false };
    if (this.#seen.size >= this.#max) return { isNew: false };
    const trap = trapOf(url) ?? this.#queryTrap(url);
    // The address is not stored, because a trap generates endless addresses, which would fill the set.
    if (trap !== undefined) return { isNew: false, trap };
    this.#seen.add(path);
    return { isNew: true };
  }

  #queryTrap({ pathname, search }: URL): string | undefined {
    if (search === '') return undefined;
    const count = (this.#queries.get(pathname) ?? 0) + 1;
    if (count > QUERIES_MAX) return `more than ${QUERIES_MAX} addresses differ only in the query`;
    this.#queries.set(pathname, count);
    return undefined;
  }
}

/** Returns why an address is a trap for crawlers, judged by its path alone, or `undefined` if it is not a trap. */
export function trapOf(url: URL): string | undefined {
  const path = pathOf(url);
  if (path.length > PATH_CHARS_MAX) return `the path has more than ${PATH_CHARS_MAX} characters`;
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > SEGMENTS_MAX) return `the path has more than ${SEGMENTS_MAX} segments`;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  const isRepeated = [...counts.values()].some((count) => count > REPEATS_MAX);
  return isRepeated ? `a segment of the path occurs more than ${REPEATS_MAX} times` : undefined;
}

/** Orders targets by length and then by text, so that the order is always the same. */
export function byLength(a: Target, b: Target): number {
  return a.path.length - b.path.length || (a.path < b.path ? -1 : 1);
}
