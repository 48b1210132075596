import type { Logger } from '../../../src/platform/observability/logger.ts';

const nothing = (): void => undefined;

/** What is told of lost children is not looked at. */
export const silent = { info: nothing, warn: nothing, error: nothing } as unknown as Logger;
