import { monotonicMs, timeoutSignal } from '../../clock.ts';
import {
  EmbeddingFailure,
  type Embedder,
  type EmbeddingModel,
} from '../../models/embeddings/embedder.ts';
import { reasonOf } from '../../errors.ts';
import { DEFAULT_PROVIDER } from '../../models/model-provider.ts';
import { createFairQueue, type FairQueueMetrics } from '../../platform/controller/fair-queue.ts';
import { createPeriodic, type Periodic } from '../../platform/controller/periodic.ts';
import type { Logger } from '../../platform/observability/logger.ts';
import type { Notifier } from '../../platform/postgres/notifications.ts';
import type { Pool } from '../../platform/postgres/pool.ts';
import { tellProjected } from '../../platform/postgres/projected.ts';
import { embedOwner, type EmbedOutcome } from './embed-owner.ts';
import {
  deleteEmbeddings,
  insertEmbeddings,
  listEmbeddings,
  listOwnersToEmbed,
  type EmbeddingsRow,
  type OwnerToEmbed,
} from './knowledge-embeddings.sql.ts';

export type EmbeddingWorkerDeps = {
  pool: Pool;
  notifier: Pick<Notifier, 'notify'>;
  embedder: Embedder;
  /** Whether the default provider has an embedding model (PARLEY_EMBEDDING_MODEL). */
  hasDefault: boolean;
  isOurs: (owner: { namespace: string }) => boolean;
  metrics: FairQueueMetrics;
  log: Logger;
  everyMs?: number | undefined;
};

/** An owner of passages, and the model to embed them with. `model` is `null` if there is currently none. */
type Wanted = { owner: OwnerToEmbed; model: EmbeddingModel | null };

type Plan = {
  /** Owners that do not have a row of embeddings for the wanted model yet. */
  missing: { owner: OwnerToEmbed; model: EmbeddingModel }[];
  /** Rows of embeddings whose passages must be embedded. `mark` identifies the current passages of the owner. */
  due: { row: EmbeddingsRow; mark: string }[];
  /** Ids of the rows of embeddings to delete. */
  over: number[];
};

type Found = EmbeddingModel & { batchSize: number };
type Due = Plan['due'][number];

const EVERY_MS = 6_000;
/**
 * Limits for the owners whose passages a process embeds at the same time. Each owner has one request in progress, and
 * occupies its slot for up to half a minute.
 */
const EMBEDDING = { places: 8, share: 4, waitingMax: { namespace: 1_000, all: 10_000 } };
/** Timeout in ms for the request that embeds one batch of passages. */
const REQUEST_MS = 60_000;
/**
 * Minimum pause in ms after a failure. During the pause, no job in the same namespace uses the provider that failed.
 */
const PAUSE_MS = 5_000;

/**
 * Embeds passages in the background, in every operator process. A lease in the database assigns each owner to one
 * process. The worker derives its jobs from the state of the database, so no job is lost if a process ends. Neither
 * indexing nor searches wait for a provider.
 */
export function createEmbeddingWorker(deps: EmbeddingWorkerDeps): Periodic {
  const { pool, log, everyMs = EVERY_MS } = deps;
  const pausedUntil = new Map<string, number>();
  const queue = createFairQueue({ kind: 'embeddings', ...EMBEDDING, metrics: deps.metrics });
  /** Waiting and running jobs, by the ids of their rows of embeddings. */
  const jobs = new Map<number, Promise<void>>();
  let hasMoved = false;
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = async (): Promise<boolean> => {
    const { plan, owners, models } = await look(deps);
    if (plan.missing.length > 0) {
      const rows = plan.missing.map(({ owner, model }) => ({ ...owner, ...named(model) }));
      await insertEmbeddings(pool, rows);
    }
    // Deletes the rows one by one, because each may have a hundred thousand vectors.
    for (const id of plan.over) await deleteEmbeddings(pool, id);
    for (const due of plan.due) {
      const { id, ownerId } = due.row;
      const model = models.get(ownerId);
      if (model && !jobs.has(id)) begin(due, { model, owner: owners.get(ownerId) });
    }
    return plan.missing.length > 0;
  };

  function begin(due: Due, about: { model: Found; owner: OwnerToEmbed | undefined }): void {
    const { id, namespace } = due.row;
    const job = queue
      .run(namespace, () => workOn(due, about), signal)
      .catch((error: unknown) => {
        if (signal.aborted) return;
        log.warn(
          { namespace, reason: reasonOf(error) },
          'embedding passages failed; it will be retried',
        );
      })
      .finally(() => {
        jobs.delete(id);
        // Plans again when all jobs have ended, because owners that changed in the meantime or that need more time are
        // due again.
        if (jobs.size > 0 || !hasMoved) return;
        hasMoved = false;
        worker.wake();
      });
    jobs.set(id, job);
  }

  async function workOn(
    due: Due,
    about: { model: Found; owner: OwnerToEmbed | undefined },
  ): Promise<void> {
    const { provider, namespace } = due.row;
    const key = `${namespace}/${provider}`;
    if ((pausedUntil.get(key) ?? 0) > monotonicMs()) return;
    const outcome = await embed(deps, due, { ...about, signal });
    hasMoved ||= outcome === 'done' || outcome === 'more';
    if (!(outcome instanceof EmbeddingFailure)) return;
    log.warn({ provider, namespace, reason: outcome.message }, 'embedding passages failed');
    const pauseMs = Math.max(PAUSE_MS, outcome.failure.retryAfterMs ?? 0);
    pausedUntil.set(key, monotonicMs() + pauseMs);
  }

  const worker = createPeriodic({ what: 'embedding passages', everyMs, log, run });
  return {
    ...worker,
    stop: async () => {
      stopping.abort(new Error('the process is shutting down'));
      await worker.stop();
      await Promise.all(jobs.values());
    },
  };
}

async function look(
  deps: EmbeddingWorkerDeps,
): Promise<{ plan: Plan; owners: Map<string, OwnerToEmbed>; models: Map<string, Found> }> {
  const { pool, hasDefault, isOurs, embedder } = deps;
  const all = (await listOwnersToEmbed(pool, hasDefault)).filter(isOurs);
  const rows = (await listEmbeddings(pool)).filter(isOurs);
  const models = new Map<string, Found>();
  const asked = new Map<string, Promise<Found | undefined>>();
  const wanted: Wanted[] = [];
  for (const owner of all) {
    const { namespace, provider, model } = owner;
    const key = JSON.stringify([namespace, provider, model]);
    const found =
      asked.get(key) ??
      embedder.modelOf(namespace, {
        provider: provider ?? DEFAULT_PROVIDER,
        model: model ?? undefined,
      });
    asked.set(key, found);
    const known = await found;
    if (known) models.set(owner.ownerId, known);
    wanted.push({ owner, model: known ?? null });
  }
  const owners = new Map(all.map((owner) => [owner.ownerId, owner]));
  return { plan: planEmbeddings(wanted, rows), owners, models };
}

/**
 * Compares the wanted embeddings with the existing rows and returns the work to do. Vectors of a former model are
 * deleted only when those of the wanted model are complete. Until then searches use the former vectors, if they were
 * complete.
 */
function planEmbeddings(wanted: readonly Wanted[], rows: readonly EmbeddingsRow[]): Plan {
  const byOwner = Map.groupBy(rows, ({ ownerId }) => ownerId);
  const plan: Plan = { missing: [], due: [], over: [] };
  for (const { owner, model } of wanted) {
    const own = byOwner.get(owner.ownerId) ?? [];
    byOwner.delete(owner.ownerId);
    // Without a wanted model, the existing vectors stay in use, because the provider may be missing only temporarily.
    if (model === null) continue;
    const row = own.find((one) => isEmbeddedWith(one, model));
    if (!row) plan.missing.push({ owner, model });
    else if (row.isDue && row.mark !== owner.mark) plan.due.push({ row, mark: owner.mark });
    const others = own.filter((one) => one !== row && (row?.isComplete || !one.isComplete));
    plan.over.push(...others.map(({ id }) => id));
  }
  plan.over.push(...[...byOwner.values()].flat().map(({ id }) => id));
  return plan;
}

function isEmbeddedWith(row: EmbeddingsRow, model: EmbeddingModel): boolean {
  return (
    row.provider === model.provider &&
    row.model === model.model &&
    row.dimensions === (model.dimensions ?? 0)
  );
}

async function embed(
  deps: EmbeddingWorkerDeps,
  due: Due,
  about: { model: Found; owner: OwnerToEmbed | undefined; signal: AbortSignal },
): Promise<EmbedOutcome> {
  const { model, owner, signal } = about;
  const { namespace } = due.row;
  const tell = (): void => {
    if (!owner?.isSource) return;
    tellProjected(deps, { resource: 'knowledge_sources', namespace, id: owner.ownerId });
  };
  const request = async (texts: readonly string[]) => {
    const late = timeoutSignal(REQUEST_MS);
    const until = AbortSignal.any([signal, late]);
    try {
      return await deps.embedder.embed(namespace, { ...model, texts, signal: until });
    } catch (error) {
      if (late.aborted && !signal.aborted) throw tooLate(model);
      throw error;
    }
  };
  const outcome = await embedOwner(
    {
      pool: deps.pool,
      embed: request,
      batchSize: model.batchSize,
      signal,
      nowMs: monotonicMs,
      onProgress: tell,
    },
    due,
  );
  tell();
  return outcome;
}

function tooLate({ provider }: Found): EmbeddingFailure {
  const message = `The provider "${provider}" did not embed a batch within ${REQUEST_MS / 1_000} s: reduce the provider's \`embeddings.batchSize\`.`;
  return new EmbeddingFailure({
    code: 'model_timeout',
    message,
    mayRetry: true,
    retryAfterMs: undefined,
  });
}

function named({ provider, model, dimensions }: Found | EmbeddingModel) {
  return { provider, model, dimensions: dimensions ?? 0 };
}
