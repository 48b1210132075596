import { inspect } from 'node:util';
import { setRealTimer, type SetTimer } from './timer.ts';
import type { WorkItem } from './serial-queue.ts';
import type { WorkQueue } from './work-queue.ts';

/**
 * Takes keys from a work queue and calls `reconcile` for each, `concurrency` at a time. If `reconcile` throws, the
 * error is logged and counted, and the key is retried with back-off unless the error is terminal. An error never ends
 * the process or blocks other keys. Reconciling is level-based: `reconcile` gets only a key, not what has changed, and
 * it may be called at any time, even if nothing has changed.
 */
export type Controller = {
  start: () => void;
  /**
   * Stops the workers. Waits at most `drainTimeoutMs` for running reconciles, and then aborts them. Drops the keys that
   * are waiting for a worker: the next leader lists all objects anyway, and a pod has only 30 s to terminate.
   */
  stop: () => Promise<void>;
};

/**
 * `requeueAfterMs` is the time after which the key is reconciled again. Without it, the key is reconciled when it is
 * next added to the queue. With 0, the key is retried with back-off, as after an error. Use 0 while the object is not
 * ready and no event will report that it has become ready.
 */
export type ReconcileResult = { requeueAfterMs?: number };

export type ControllerDeps<K> = {
  /** Value of the `controller` label and log field: the kind in lower case, such as `agent`. */
  name: string;
  queue: WorkQueue<K>;
  /**
   * Reconciles one key. When the signal aborts, the worker stops waiting for the call and continues with other keys.
   * The call must still return soon, because the key stays locked until then and cannot be reconciled again.
   */
  reconcile: (key: K, signal: AbortSignal) => Promise<ReconcileResult>;
  log: ControllerLog;
  nowMs: () => number;
  metrics?: ControllerMetrics;
  setTimer?: SetTimer;
  concurrency?: number;
  timeoutMs?: number;
  drainTimeoutMs?: number;
};

/**
 * The part of a pino logger that a controller uses. Errors are logged as `err`, because pino's serializer for that
 * field includes the chain of causes.
 */
export type ControllerLog = { error: (fields: object, message: string) => void };

export type ReconcileOutcome = 'success' | 'error' | 'requeue' | 'requeue_after';

/**
 * Hooks for metrics that have the same names as controller-runtime's. The hooks set the `controller` label themselves.
 */
export type ControllerMetrics = {
  /** Increments controller_runtime_reconcile_total{result}. */
  reconciled: (result: ReconcileOutcome) => void;
  /** Increments …_reconcile_errors_total, which counts all errors, including terminal errors, panics and timeouts. */
  errored: () => void;
  /** Increments …_terminal_reconcile_errors_total. */
  terminalError: () => void;
  /** Increments …_reconcile_panics_total, which counts errors that only a bug can cause (see `isBug`). */
  panicked: () => void;
  /** Increments …_reconcile_timeouts_total. */
  timedOut: () => void;
  /** Adds a duration to …_reconcile_time_seconds. */
  reconcileTime: (sec: number) => void;
  /** Sets …_active_workers. */
  activeWorkers: (count: number) => void;
  /** Sets …_max_concurrent_reconciles. */
  maxConcurrentReconciles: (count: number) => void;
};

/**
 * Error that a retry cannot fix. The key is not reconciled again until its object changes. An error caused by a
 * `TerminalError` is terminal too.
 */
export class TerminalError extends Error {
  override readonly name: string = 'TerminalError';
}

class ReconcileTimeoutError extends Error {
  override readonly name = 'ReconcileTimeoutError';
}

type Outcome = { result: ReconcileResult } | { thrown: unknown };

export function createController<K>(deps: ControllerDeps<K>): Controller {
  const { queue, concurrency = 16, timeoutMs = 30_000, drainTimeoutMs = 25_000 } = deps;
  const setTimer = deps.setTimer ?? setRealTimer;
  const running = new Set<AbortController>();
  let workers: Promise<void>[] | undefined;
  let stopped: Promise<void> | undefined;

  const runOnce = async ({ key }: WorkItem<K>, signal: AbortSignal): Promise<Outcome> => {
    try {
      return { result: await deps.reconcile(key, signal) };
    } catch (thrown) {
      return { thrown };
    }
  };

  const attempt = async (item: WorkItem<K>): Promise<void> => {
    const abort = new AbortController();
    running.add(abort);
    const cancelTimeout = setTimer(
      () =>
        abort.abort(new ReconcileTimeoutError(`the reconcile took longer than ${timeoutMs} ms`)),
      timeoutMs,
    );
    const startedAtMs = deps.nowMs();
    const run = runOnce(item, abort.signal);
    try {
      deps.metrics?.activeWorkers(running.size);
      const outcome = await Promise.race([run, abortOf(abort.signal)]);
      deps.metrics?.reconcileTime((deps.nowMs() - startedAtMs) / 1000);
      settle(deps, item, outcome);
    } finally {
      cancelTimeout();
      running.delete(abort);
      // After an abort, the run may still be in progress. Its key stays locked until the run ends.
      if (abort.signal.aborted) void run.then(() => queue.done(item.key));
      else queue.done(item.key);
    }
    deps.metrics?.activeWorkers(running.size);
  };

  const work = async (): Promise<void> => {
    for (let item = await queue.get(); item; item = await queue.get()) {
      try {
        await attempt(item);
      } catch (err) {
        // `attempt` handles the errors of `reconcile`, so only a metrics hook or the logger can throw here. The worker
        // continues anyway.
        reportQuietly(deps, item, err);
      }
    }
  };

  const drain = async (): Promise<void> => {
    // The promise is not awaited, because a run that ignores its signal would delay the shutdown forever.
    void queue.shutDown({ drop: true });
    const cancel = setTimer(() => {
      for (const abort of running) abort.abort(new Error('the controller is stopping'));
    }, drainTimeoutMs);
    await Promise.all(workers ?? []);
    cancel();
  };

  return {
    start: () => {
      deps.metrics?.maxConcurrentReconciles(concurrency);
      workers ??= Array.from({ length: concurrency }, work);
    },
    stop: () => (stopped ??= drain()),
  };
}

function abortOf(signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ thrown: signal.reason }), { once: true });
  });
}

/** Decides what happens to the key after a run, as controller-runtime does. A retried key keeps its priority. */
function settle<K>(deps: ControllerDeps<K>, item: WorkItem<K>, outcome: Outcome): void {
  if ('thrown' in outcome) return settleError(deps, item, outcome.thrown);
  const { queue, metrics } = deps;
  const { key, priority } = item;
  // A reconciler written in plain JavaScript, or with a type cast, may return undefined.
  const { requeueAfterMs } = outcome.result ?? {};
  if (requeueAfterMs === undefined) {
    queue.forget(key);
    metrics?.reconciled('success');
  } else if (requeueAfterMs > 0) {
    queue.forget(key);
    queue.addAfter(key, requeueAfterMs, { priority });
    metrics?.reconciled('requeue_after');
  } else {
    queue.addRateLimited(key, { priority });
    metrics?.reconciled('requeue');
  }
}

function settleError<K>(deps: ControllerDeps<K>, item: WorkItem<K>, thrown: unknown): void {
  const { queue, metrics, name: controller } = deps;
  const terminal = isTerminal(thrown);
  // Requeues or forgets the key before calling any hook, so that a hook that throws cannot prevent the retry.
  if (terminal) queue.forget(item.key);
  else queue.addRateLimited(item.key, { priority: item.priority });
  const attempt = terminal ? undefined : queue.retriesOf(item.key);
  deps.log.error(
    { err: asError(thrown), controller, key: item.id, attempt, terminal },
    terminal ? 'reconcile failed and will not be retried' : 'reconcile failed',
  );
  metrics?.reconciled('error');
  metrics?.errored();
  if (terminal) metrics?.terminalError();
  if (thrown instanceof ReconcileTimeoutError) metrics?.timedOut();
  else if (isBug(thrown)) metrics?.panicked();
}

function reportQuietly<K>(deps: ControllerDeps<K>, item: WorkItem<K>, thrown: unknown): void {
  try {
    const fields = { err: asError(thrown), controller: deps.name, key: item.id };
    deps.log.error(fields, 'a metrics hook or the logger failed');
  } catch {
    // The logger itself has failed, so the failure cannot be reported anywhere.
  }
}

// Maximum number of causes to check. The limit ends the search if the causes of an error form a cycle.
const MAX_CAUSES = 16;

function isTerminal(thrown: unknown): boolean {
  let cause = thrown;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if (cause instanceof TerminalError) return true;
    cause = cause.cause;
  }
  return false;
}

/**
 * Returns true if only a bug in the code can cause this error. JavaScript has no panics, so the error's class decides.
 * A `TypeError` with a cause is not a bug, because `fetch` throws one for every network failure.
 */
function isBug(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  if (thrown instanceof TypeError) return thrown.cause === undefined;
  return thrown instanceof ReferenceError || thrown instanceof RangeError;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(`threw ${inspect(thrown)}`);
}
