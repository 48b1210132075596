import type { ControllerMetrics } from '../controller/controller.ts';
import type { WorkQueueMetrics } from '../controller/work-queue.ts';
import type { Metrics } from '../observability/metrics.ts';

/** Binds the metrics of one controller to the hooks of src/platform/controller/controller.ts. */
export function controllerMetrics(metrics: Metrics, controller: string): ControllerMetrics {
  const label = { controller };
  return {
    reconciled: (result) => metrics.reconciles.inc({ ...label, result }),
    errored: () => metrics.reconcileErrors.inc(label),
    terminalError: () => metrics.terminalErrors.inc(label),
    panicked: () => metrics.reconcilePanics.inc(label),
    timedOut: () => metrics.reconcileTimeouts.inc(label),
    reconcileTime: (sec) => metrics.reconcileTime.observe(label, sec),
    activeWorkers: (count) => metrics.activeWorkers.set(label, count),
    maxConcurrentReconciles: (count) => metrics.maxConcurrent.set(label, count),
  };
}

/** Binds the metrics of the controller's work queue to the queue's hooks. */
export function workQueueMetrics(metrics: Metrics, controller: string): WorkQueueMetrics {
  const label = { name: controller, controller };
  return {
    depth: (keys) => metrics.queueDepth.set(label, keys),
    added: () => metrics.queueAdds.inc(label),
    queueDuration: (sec) => metrics.queueWait.observe(label, sec),
    workDuration: (sec) => metrics.queueWork.observe(label, sec),
    retried: () => metrics.queueRetries.inc(label),
    running: (read) =>
      metrics.beforeScrape.set(controller, () => {
        const { unfinishedWorkSec, longestRunningSec } = read();
        metrics.queueUnfinished.set(label, unfinishedWorkSec);
        metrics.queueLongest.set(label, longestRunningSec);
      }),
  };
}
