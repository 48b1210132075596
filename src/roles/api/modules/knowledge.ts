import type { Limits } from '../../../config.ts';
import { createExtractor } from '../../../knowledge/formats/extractor.ts';
import { knowledgeRoutes } from '../../../knowledge/knowledge.routes.ts';
import { createTextCutter } from '../../../knowledge/passages/text-cutter.ts';
import type { SearchWays } from '../../../knowledge/search-knowledge.ts';
import { createFindByMeaning } from '../../../knowledge/vectors/find-by-meaning.ts';
import { createFairQueue } from '../../../platform/controller/fair-queue.ts';
import type { Infrastructure } from '../infrastructure.ts';
import type { Models } from './models.ts';
import type { Module } from './module.ts';

export type Knowledge = Module & {
  /** Search methods that agents use to find knowledge for a reply. */
  search: SearchWays;
  stop: () => Promise<void>;
};

/**
 * Limits on the concurrent searches of a process. A search with many misspelled words occupies PostgreSQL and this
 * process for 0.1 s, so too many at once would delay other requests.
 */
const SEARCHES = { places: 4, share: 3, waitingMax: { namespace: 200, all: 1_000 } };
/**
 * Maximum number of waiting re-index requests, per namespace and per process. The requests wait in the same queue as
 * uploads, so these numbers are added to the limits on uploads.
 */
const SYNCS_WAITING_MAX = { namespace: 2, process: 4 };
/** Maximum number of waiting uploads, per namespace and per process, if the configuration sets no limits. */
const UPLOADS_WAITING_MAX = { namespace: 12, process: 16 };

/**
 * Creates the module for knowledge: sources, gaps, searches, and the workers that split texts and files into passages.
 */
export function createKnowledge(
  infrastructure: Infrastructure,
  { embedder }: Pick<Models, 'embedder'>,
): Knowledge {
  const { pool, store, guard, limits, metrics, log, notifier, announce } = infrastructure;
  const { awaitProjection, nowMs, clockMs } = infrastructure;
  const waitingMax = waitingMaxOf(limits);
  const cutter = createTextCutter({ waitingMax, metrics, log });
  const extractor = createExtractor({ waitingMax, metrics, log });
  const meaning = createFindByMeaning({ pool, embedder, nowMs: clockMs });
  const searches = createFairQueue({ kind: 'searches', ...SEARCHES, metrics });
  return {
    routes: knowledgeRoutes({
      pool,
      store,
      guard,
      limits,
      metrics,
      notifier,
      announce,
      awaitProjection,
      nowMs,
      cutter,
      extractor,
      meaning,
      searches,
    }),
    search: { meaning, searches },
    stop: async () => {
      await Promise.all([cutter.stop(), extractor.stop()]);
    },
  };
}

function waitingMaxOf({ shares }: Limits) {
  const { namespace, process } = shares.uploads ?? UPLOADS_WAITING_MAX;
  return {
    namespace: namespace + SYNCS_WAITING_MAX.namespace,
    all: process + SYNCS_WAITING_MAX.process,
  };
}
