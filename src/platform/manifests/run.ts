import type { Logger } from '../observability/logger.ts';
import { readCoreSpec } from '../resources/schema/core-kinds.ts';
import { API_VERSION, KIND_PLURALS } from '../resources/kind-names.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import type { Validator } from '../resources/schema/validate.ts';
import { createManifestFolder } from './folder.ts';
import type { ManifestReport } from './report.ts';

/** Applies and watches the folder of manifests with the real rules of the kinds. */
export async function runManifests(deps: {
  folder: string;
  store: ResourceStore;
  validator: Validator;
  log: Logger;
  /** Default: the log. `start` prints for people. */
  report?: (line: ManifestReport) => void;
}): Promise<{ stop: () => Promise<void> }> {
  const folder = createManifestFolder({
    folder: deps.folder,
    store: deps.store,
    rules: {
      apiVersion: API_VERSION,
      knownKinds: Object.keys(KIND_PLURALS),
      validate: deps.validator.validate,
      parseCoreKind: readCoreSpec,
    },
    report: deps.report ?? (({ level, text }) => deps.log[level](text)),
    nowMs: () => performance.now(),
  });
  await folder.start();
  return { stop: folder.stop };
}
