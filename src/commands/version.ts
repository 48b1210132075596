import { readVersion } from '../platform/observability/version.ts';

/** What `parley --version` prints. */
export const VERSION = readVersion();
