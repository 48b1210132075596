import { readVersion } from '../platform/observability/version.ts';

/** Version that `parley --version` prints. */
export const VERSION = readVersion();
