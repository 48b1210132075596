import { pino } from 'pino';
import { toUuid } from '../../../src/ids.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import { createEmbeddingWorker } from '../../../src/knowledge/vectors/embedding-worker.ts';
import {
  createFindByMeaning,
  type FindByMeaning,
} from '../../../src/knowledge/vectors/find-by-meaning.ts';
import { createEmbedder, type Embedder } from '../../../src/models/embeddings/embedder.ts';
import type { ModelEndpoint } from '../../../src/models/model.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../../src/platform/egress/fetch.ts';
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts';
import {
  startEmbeddingsStub,
  type EmbeddingsStub,
} from '../../models/embeddings/embeddings-stub.ts';
import { endpointOf } from '../../models/model-harness.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { until } from '../../until.ts';
import { learn } from '../passages/knowledge.ts';

/** Passages, a provider of embeddings that is a stub, and what makes vectors of the ones by the other. */
export type Vectors = {
  pool: Pool;
  databaseUrl: string;
  stub: EmbeddingsStub;
  embedder: Embedder;
  /** What providers there are by name, in every namespace. */
  providers: Record<string, Partial<ModelEndpoint>>;
  /** An indexed source of these texts, `Heading: text` each; its uuid. */
  source: (texts: readonly string[], more?: SourceOptions) => Promise<string>;
  /** The source has these texts and no other now. */
  replace: (sourceId: string, texts: readonly string[]) => Promise<void>;
  /** Runs a worker until `done` answers true; default: until all that is indexed is embedded. */
  embed: (done?: () => Promise<boolean>, hasDefault?: boolean) => Promise<void>;
  isAllDone: () => Promise<boolean>;
  startWorker: (hasDefault?: boolean) => { stop: () => Promise<void> };
  meaning: (more?: { budgetMs?: number; lookedThroughBytes?: number }) => FindByMeaning;
  /** Of an owner. */
  rows: (ownerId: string) => Promise<EmbeddingRow[]>;
  /** Texts that were sent, in their order, but for questions. */
  sent: () => string[];
  stop: () => Promise<void>;
};

type SourceOptions = {
  namespace?: string;
  embeddings?: { provider: string; model?: string };
};
export type EmbeddingRow = {
  model: string;
  embedded: number;
  isComplete: boolean;
  problem: string | null;
  isWaiting: boolean;
  vectors: number;
};

let names = 0;

export async function startVectors(): Promise<Vectors> {
  const database = await createTestDatabase();
  const log = pino({ level: 'silent' });
  const pool = createPool(database.url, { log, max: 8 });
  const stub = await startEmbeddingsStub();
  const egress = createEgressFetch({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
  const providers: Vectors['providers'] = {
    default: { embeddings: { defaultModel: 'e-1', dimensions: null, batchSize: 3 } },
  };
  const embedder = createEmbedder({
    findEndpoint: async (_, name = 'default') => {
      const provider = providers[name];
      return provider && endpointOf(stub.url, { provider: name, ...provider });
    },
    fetch: egress.fetch,
  });
  const running = new Set<{ stop: () => Promise<void> }>();
  const startWorker: Vectors['startWorker'] = (hasDefault = true) => {
    const worker = createEmbeddingWorker({
      pool,
      embedder,
      hasDefault,
      notifier: { notify: () => undefined },
      isOurs: () => true,
      metrics: createMetrics({ processMetrics: false }),
      log,
      everyMs: 20,
    });
    worker.start();
    running.add(worker);
    return worker;
  };
  const isAllDone = async (): Promise<boolean> => {
    const { rows } = await pool.query<{ missing: number }>(
      `select count(*)::integer as missing from knowledge_chunks c
        where not exists (select from knowledge_vectors v
                           join knowledge_embeddings e on e.id = v.embeddings_id
                          where v.chunk_id = c.id and e.is_complete and e.lease_until is null)`,
    );
    return rows[0]!.missing === 0;
  };
  return {
    pool,
    databaseUrl: database.url,
    stub,
    embedder,
    providers,
    startWorker,
    isAllDone,
    source: async (texts, { namespace = 'default', embeddings } = {}) => {
      const name = `source-${(names += 1)}`;
      const passages = texts.map(passageOf);
      const id = toUuid('ks', await learn(pool, { namespace, name, passages }))!;
      await pool.query(
        `update knowledge_sources set last_synced_at = clock_timestamp(), chunks = $2, spec = $3
          where id = $1`,
        [id, texts.length, embeddings ? { embeddings } : {}],
      );
      return id;
    },
    replace: async (sourceId, texts) => {
      await pool.query('delete from knowledge_chunks where source_id = $1', [sourceId]);
      await pool.query(
        `insert into knowledge_chunks
           (id, namespace, source_id, document_id, position, heading, text, words)
         select gen_random_uuid(), 'default', $1, d.id, 1000 + n.place, n.heading, n.text, ''
           from unnest($2::text[], $3::text[]) with ordinality as n (heading, text, place),
                knowledge_documents d where d.source_id = $1`,
        [
          sourceId,
          texts.map((text) => passageOf(text).heading),
          texts.map((text) => passageOf(text).text),
        ],
      );
      await pool.query(
        'update knowledge_sources set last_synced_at = clock_timestamp(), chunks = $2 where id = $1',
        [sourceId, texts.length],
      );
    },
    embed: async (done = isAllDone, hasDefault = true) => {
      const worker = startWorker(hasDefault);
      await until('vectors', done);
      await worker.stop();
      running.delete(worker);
    },
    meaning: (more = {}) =>
      createFindByMeaning({
        pool,
        embedder,
        nowMs: () => performance.now(),
        budgetMs: 5_000,
        ...more,
      }),
    rows: async (ownerId) => {
      const { rows } = await pool.query<EmbeddingRow>(
        `select model, embedded, is_complete as "isComplete", problem,
                next_at > now() as "isWaiting",
                (select count(*)::integer from knowledge_vectors v
                  where v.embeddings_id = e.id) as vectors
           from knowledge_embeddings e where owner_id = $1 order by id`,
        [ownerId],
      );
      return rows;
    },
    sent: () => stub.asked.flatMap(({ texts }) => texts),
    stop: async () => {
      for (const worker of running) await worker.stop();
      await egress.stop();
      await stub.stop();
      await pool.end();
      await database.drop();
    },
  };
}

function passageOf(text: string): { heading: string; text: string } {
  const [heading, rest] = text.split(': ', 2) as [string, string?];
  return rest === undefined ? { heading: '', text } : { heading, text: rest };
}
