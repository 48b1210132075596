import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { searchableText, isEmptyStem } from '../../src/knowledge/passages/question-words.ts';
import { synonymsOf } from '../../src/knowledge/passages/ranking/synonyms.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { createEmbeddingWorker } from '../../src/knowledge/vectors/embedding-worker.ts';
import {
  createFindByMeaning,
  type MeaningUse,
} from '../../src/knowledge/vectors/find-by-meaning.ts';
import { createEmbedder, type Embedder } from '../../src/models/embeddings/embedder.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../src/platform/egress/fetch.ts';
import type { Pool } from '../../src/platform/postgres/pool.ts';
import { startEmbeddingsStub } from '../models/embeddings/embeddings-stub.ts';
import { endpointOf } from '../models/model-harness.ts';
import { until } from '../until.ts';
import type { Embedded } from './faq.ts';

/**
 * A stub of a provider of embeddings, over HTTP, and the way of the product to its vectors and back: the
 * provider, the worker, the stored vectors, the fusion. It proves that this way works. Its vectors are letters
 * and our own synonyms, so it says nothing on how well a model finds.
 */

const LETTERS = { defaultModel: 'letters', dimensions: 384, batchSize: 64 };
/** What a synonym counts of the word that it stands for. */
const SYNONYM = 0.5;

export type StubEmbeddings = Embedded & {
  /** How many requests came over HTTP, and for how many texts. */
  asked: () => { requests: number; texts: number };
  /** How often a search was compared by its meaning, and how often not. */
  uses: () => Readonly<Record<MeaningUse, number>>;
  stop: () => Promise<void>;
};

export async function startStubEmbeddings(pool: Pool): Promise<StubEmbeddings> {
  const stub = await startEmbeddingsStub(lettersOf);
  const egress = createEgressFetch({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
  const embedder = createEmbedder({
    findEndpoint: async () => endpointOf(stub.url, { provider: 'default', embeddings: LETTERS }),
    fetch: egress.fetch,
  });
  const uses = { used: 0, partly: 0, unavailable: 0, none: 0 };
  const byMeaning = createFindByMeaning({
    pool,
    embedder,
    nowMs: () => performance.now(),
    // A turn waits less; here no question is to be searched by its words alone.
    budgetMs: 5_000,
  });
  return {
    embed: () => embedAll(pool, embedder),
    meaning: {
      ...byMeaning,
      find: async (input) => {
        const found = await byMeaning.find(input);
        uses[found.use] += 1;
        return found;
      },
    },
    asked: () => ({
      requests: stub.asked.length,
      texts: stub.asked.reduce((sum, { texts }) => sum + texts.length, 0),
    }),
    uses: () => uses,
    stop: async () => {
      await egress.stop();
      await stub.stop();
    },
  };
}

/** By the worker that the product runs in the background. */
async function embedAll(pool: Pool, embedder: Embedder): Promise<void> {
  // As when a text has been indexed: only then the worker sees the source.
  await pool.query(
    `update knowledge_sources s set last_synced_at = clock_timestamp(),
            chunks = (select count(*) from knowledge_chunks c where c.source_id = s.id)`,
  );
  const worker = createEmbeddingWorker({
    pool,
    embedder,
    hasDefault: true,
    notifier: { notify: () => undefined },
    isOurs: () => true,
    metrics: createMetrics({ processMetrics: false }),
    log: pino({ level: 'silent' }),
    everyMs: 20,
  });
  worker.start();
  try {
    await until('vectors of all passages', () => isAllEmbedded(pool), { timeoutMs: 120_000 });
  } finally {
    await worker.stop();
  }
}

async function isAllEmbedded(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query(
    `select from knowledge_chunks c
      where not exists (select from knowledge_vectors v
                          join knowledge_embeddings e on e.id = v.embeddings_id
                         where v.chunk_id = c.id and e.is_complete) limit 1`,
  );
  return rows.length === 0;
}

/** A text as its words, each as runs of three letters; each run has a direction of its own. */
export function lettersOf(text: string, dimensions: number): number[] {
  const vector: number[] = Array.from({ length: dimensions }, () => 0);
  const add = (word: string, weight: number): void => {
    const runs = runsOf(word);
    for (const run of runs) {
      const hash = createHash('sha256').update(run).digest().readUInt32BE();
      const sign = hash & 1 ? 1 : -1;
      vector[(hash >>> 1) % dimensions]! += (sign * weight) / runs.length;
    }
  };
  for (const word of new Set(searchableText(text).split(' '))) {
    if (word === '' || isEmptyStem(word)) continue;
    add(word, 1);
    const synonyms = synonymsOf(word);
    for (const other of synonyms) add(other, SYNONYM / synonyms.length);
  }
  // A text of empty words alone points somewhere, too.
  if (!vector.some(Boolean)) vector[0] = 1;
  return vector;
}

function runsOf(word: string): string[] {
  const framed = ` ${word} `;
  return Array.from({ length: framed.length - 2 }, (_, at) => framed.slice(at, at + 3));
}
