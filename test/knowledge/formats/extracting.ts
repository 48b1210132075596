import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import type { Logger } from '../../../src/platform/observability/logger.ts';

const nothing = (): void => undefined;

/** What is told of lost children is not looked at. */
export const silent = { info: nothing, warn: nothing, error: nothing } as unknown as Logger;

/** Room for more documents than a test has. */
export const waiting = {
  waitingMax: { namespace: 8, all: 8 },
  metrics: createMetrics({ processMetrics: false }),
};
