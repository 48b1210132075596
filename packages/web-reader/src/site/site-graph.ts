import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { Validators } from './site-event.ts';

/**
 * Link graph of a site. It is stored as the cursor between syncs, because the server does not send an unchanged page
 * again, so that the links of the page would be unknown. For each page, the graph stores only a few of the pages that
 * link to it, those nearest to the start page. Otherwise menus on all pages would make the graph large.
 */
export type SiteGraph = ReadonlyMap<string, SiteNode>;

export type SiteNode = {
  depth: number;
  /**
   * Hashes of the page's validators and text; `null` if the page is not a document or the server sent no validators.
   */
  seen: { validators: string; text: string } | null;
  /** Paths of the pages that link to this page, those nearest to the start page. '' stands for a sitemap. */
  from: readonly string[];
  /** Whether further pages link to this page. */
  hasMore: boolean;
  /**
   * Whether the next sync must read the page completely, so that its text can be compared with that of another page.
   */
  isCompared?: boolean;
  /** Hashes of the header and footer lines that are indexed with this page (see site-facts.ts). */
  facts?: readonly number[];
};

export const SITEMAP = '';
const FROM_MAX = 8;
const INFLATED_MAX = 100_000_000;

export class GraphBuilder {
  readonly #nodes = new Map<string, SiteNode>();

  /**
   * Adds a link. Callers must add links in the order in which they were found, beginning with those of the pages
   * nearest to the start page.
   */
  link(path: string, from: string): void {
    const node = this.#nodes.get(path);
    if (node === undefined || node.from.includes(from)) return;
    const isFull = node.from.length >= FROM_MAX;
    const next = isFull ? { hasMore: true } : { from: linked(node.from, from) };
    this.#nodes.set(path, { ...node, ...next });
  }

  add(path: string, depth: number, before: SiteNode | undefined): void {
    if (this.#nodes.has(path)) return;
    const hasMore = before?.hasMore ?? false;
    this.#nodes.set(path, { depth, seen: null, from: [], hasMore });
  }

  read(path: string, seen: SiteNode['seen'], facts: readonly number[]): void {
    const node = this.#nodes.get(path);
    if (node === undefined) return;
    this.#nodes.set(path, { ...node, seen, ...(facts.length > 0 && { facts }) });
  }

  compare(...paths: string[]): void {
    for (const path of paths) {
      const node = this.#nodes.get(path);
      if (node !== undefined) this.#nodes.set(path, { ...node, isCompared: true });
    }
  }

  get graph(): SiteGraph {
    return this.#nodes;
  }
}

/**
 * One shared list for all pages that only a sitemap links to. Sharing it saves memory, because there may be 50,000 such
 * pages.
 */
const FROM_SITEMAP: readonly string[] = [SITEMAP];

function linked(before: readonly string[], from: string): readonly string[] {
  return before.length === 0 && from === SITEMAP ? FROM_SITEMAP : [...before, from];
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/**
 * Returns a hash of validators, or `null` if the server sent none. Without validators no request can be conditional.
 */
export function hashOfValidators({ etag, lastModified }: Validators): string | null {
  return etag === null && lastModified === null ? null : hashOf(`${etag}\n${lastModified}`);
}

type Stored = { key: string; nodes: StoredNode[] };
type StoredNode = [
  path: string,
  depth: number,
  hasMore: 0 | 1,
  seen: [string, string] | 0,
  /** Indexes of the nodes that link to this node; -1 stands for a sitemap. */
  from: number[],
  isCompared?: 0 | 1,
  facts?: readonly number[],
];

/**
 * Serializes a graph. Equal graphs result in equal cursors. `key` identifies the site and the settings for which the
 * cursor is valid.
 */
export async function writeCursor(key: string, graph: SiteGraph): Promise<string> {
  const paths = [...graph.keys()].sort();
  const places = new Map(paths.map((path, place) => [path, place]));
  const nodes = paths.map((path): StoredNode => {
    const { depth, hasMore, seen, from, isCompared = false, facts } = graph.get(path)!;
    const known = from.map((one) => (one === SITEMAP ? -1 : (places.get(one) ?? -2)));
    const node: StoredNode = [
      path,
      depth,
      hasMore ? 1 : 0,
      seen === null ? 0 : [seen.validators, seen.text],
      known.filter((place) => place > -2).sort((a, b) => a - b),
    ];
    if (isCompared || facts) node.push(isCompared ? 1 : 0);
    if (facts) node.push(facts);
    return node;
  });
  const json = JSON.stringify({ key, nodes } satisfies Stored);
  const deflated = await promisify<string, Buffer>(zlib.deflateRaw)(json);
  return deflated.toString('base64');
}

/** Reads a graph from a cursor. Returns an empty graph if the cursor is invalid or has another key. */
export async function readCursor(key: string, cursor: string | null): Promise<SiteGraph> {
  if (cursor === null) return new Map();
  const inflateRaw = promisify<Buffer, { maxOutputLength: number }, Buffer>(zlib.inflateRaw);
  try {
    const bytes = await inflateRaw(Buffer.from(cursor, 'base64'), {
      maxOutputLength: INFLATED_MAX,
    });
    // The cursor is not validated, because only `writeCursor` writes it.
    const stored = JSON.parse(bytes.toString('utf8')) as Stored;
    return stored.key === key ? graphOf(stored) : new Map();
  } catch {
    return new Map();
  }
}

function graphOf({ nodes }: Stored): SiteGraph {
  return new Map(
    nodes.map(([path, depth, hasMore, seen, from, isCompared, facts]) => [
      path,
      {
        depth,
        hasMore: hasMore === 1,
        seen: seen === 0 ? null : { validators: seen[0], text: seen[1] },
        from: from.map((place) => (place < 0 ? SITEMAP : nodes[place]![0])),
        ...(isCompared === 1 && { isCompared: true }),
        ...(facts && { facts }),
      },
    ]),
  );
}

/** Returns, for each page, the pages that it links to. The key '' stands for the sitemaps. */
export function linksOf(graph: SiteGraph): Map<string, string[]> {
  const links = new Map<string, string[]>();
  for (const [path, { from }] of graph) {
    for (const one of from) {
      const list = links.get(one);
      if (list) list.push(path);
      else links.set(one, [path]);
    }
  }
  return links;
}
