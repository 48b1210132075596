import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../platform/postgres/pool.ts';
import type { Serving } from './knowledge-embeddings.sql.ts';
import { readSmallVectors, readVectors, type StoredVector } from './knowledge-vectors.sql.ts';
import { packed, readInto, similarityAt, type Packed } from './vector-bytes.ts';

/**
 * A passage and the similarity of its vector to the vector of a question: 1 for the same text, 0 for unrelated texts.
 */
export type Near = { chunkId: string; similarity: number };

/** Cache of the vectors of recently searched owners, in the memory of one process. */
export type KeptVectors = {
  /** Returns the vectors of these owners. Reads missing ones from the database, about a thousand at a time. */
  load: (db: Db, all: readonly Serving[]) => Promise<Kept[]>;
};

export type Kept = { chunkIds: string[]; vectors: Packed };

/** Maximum size of the cache in bytes. Beyond it, the least recently used owners are evicted. */
export const KEPT_BYTES_MAX = 128 * 1024 * 1024;
/** Memory in bytes that a cached passage takes in addition to its vector, for its id and scale. */
const ENTRY_BYTES = 64;
const PAGE = 1_000;
/** Number of vectors below which an owner counts as small. Small owners are read together in one query. */
const SMALL = 100;
/** Number of multiplications after which the comparison yields to other work. They take about 2 ms. */
const SLICE = 500_000;

type Entry = Kept & { generation: number; last: number; serving: Serving };

export function keptBytes({ size, embedded }: Pick<Serving, 'size' | 'embedded'>): number {
  return embedded * (size + ENTRY_BYTES);
}

export function createKeptVectors(): KeptVectors {
  const kept = new LRUCache<number, Entry>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: ({ chunkIds, vectors: { size } }) =>
      Math.max(1, chunkIds.length * (size + ENTRY_BYTES)),
  });
  // Loads run one after another, so that each finds in the cache what the previous load has read.
  let loading: Promise<unknown> = Promise.resolve();

  const isCurrent = ({ id, generation, embedded }: Serving): boolean => {
    const entry = kept.get(id);
    return entry?.generation === generation && entry.serving.embedded === embedded;
  };
  const loadMissing = async (db: Db, all: readonly Serving[]): Promise<Map<number, Entry>> => {
    const missing = all.filter((one) => !isCurrent(one));
    const small = missing.filter(({ embedded }) => embedded < SMALL);
    const fresh = new Map<number, Entry>();
    for (let at = 0; at < small.length; at += PAGE / 10) {
      for (const entry of await loadSmall(db, small.slice(at, at + PAGE / 10))) {
        fresh.set(entry.serving.id, entry);
      }
    }
    for (const serving of missing.filter(({ embedded }) => embedded >= SMALL)) {
      fresh.set(serving.id, await loadLarge(db, serving, kept.get(serving.id)));
    }
    for (const [id, entry] of fresh) kept.set(id, entry);
    return fresh;
  };

  return {
    load: async (db, all) => {
      let fresh: Map<number, Entry> | undefined;
      if (!all.every(isCurrent)) {
        const next = loading.catch(() => undefined).then(() => loadMissing(db, all));
        loading = next;
        fresh = await next;
      }
      return all.flatMap(({ id }) => fresh?.get(id) ?? kept.get(id) ?? []);
    },
  };
}

async function loadSmall(db: Db, all: readonly Serving[]): Promise<Entry[]> {
  if (all.length === 0) return [];
  const rows = await readSmallVectors(
    db,
    all.map(({ id }) => id),
  );
  const of = Map.groupBy(rows, ({ embeddingsId }) => embeddingsId);
  return all.map((serving) => entryOf(serving, undefined, of.get(serving.id) ?? []));
}

/**
 * Updates the cached vectors of a large owner. Reads only those that were added since the last read, or all if some
 * were removed.
 */
async function loadLarge(db: Db, serving: Serving, before: Entry | undefined): Promise<Entry> {
  const base = before?.generation === serving.generation ? before : undefined;
  const rows: StoredVector[] = [];
  for (let after = base?.last ?? 0; ;) {
    const page = await readVectors(db, { embeddingsId: serving.id, after, limit: PAGE });
    rows.push(...page);
    if (page.length < PAGE) return entryOf(serving, base, rows);
    after = page.at(-1)!.number;
    if (rows.length * (serving.size + ENTRY_BYTES) > KEPT_BYTES_MAX) {
      return entryOf(serving, base, rows);
    }
  }
}

function entryOf(serving: Serving, base: Entry | undefined, all: readonly StoredVector[]): Entry {
  const { size, generation } = serving;
  const rows = all.filter(({ vector }) => vector.length === size + 4);
  const had = base?.chunkIds.length ?? 0;
  const vectors = packed(size, had + rows.length);
  if (base) {
    vectors.scales.set(base.vectors.scales);
    vectors.numbers.set(base.vectors.numbers);
  }
  rows.forEach(({ vector }, at) => readInto(vectors, had + at, vector));
  return {
    chunkIds: [...(base?.chunkIds ?? []), ...rows.map(({ chunkId }) => chunkId)],
    vectors,
    generation,
    last: rows.at(-1)?.number ?? base?.last ?? 0,
    serving,
  };
}

/**
 * Returns the passages that are most similar to a question, best first. Compares the question with every passage, and
 * yields to other work in between.
 */
export async function nearest(
  all: readonly Kept[],
  question: Float32Array,
  most: number,
): Promise<Near[]> {
  let top: Near[] = [];
  let least = -1;
  let done = 0;
  const cut = (): void => {
    top = top.sort((a, b) => b.similarity - a.similarity).slice(0, most);
    if (top.length === most) least = top.at(-1)!.similarity;
  };
  for (const { chunkIds, vectors } of all) {
    if (vectors.size !== question.length) continue;
    for (let at = 0; at < chunkIds.length; at += 1) {
      const similarity = similarityAt(vectors, at, question);
      if (similarity > least) top.push({ chunkId: chunkIds[at]!, similarity });
      if (top.length >= most * 4) cut();
      done += vectors.size;
      if (done < SLICE) continue;
      done = 0;
      await setImmediate();
    }
  }
  cut();
  return top;
}
