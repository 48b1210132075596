import { mkdirSync, writeFileSync } from 'node:fs';
import { crdFileName, crdYaml } from '../platform/resources/schema/crd.ts';
import { KINDS } from './kinds.ts';

/**
 * Writes the CRD files: `npm run generate -- crds`. A test compares them with the definitions. The chart links to this
 * folder, and Helm follows the link.
 */
const FOLDER = new URL('../../crds/', import.meta.url);

mkdirSync(FOLDER, { recursive: true });
for (const definition of KINDS) {
  writeFileSync(new URL(crdFileName(definition), FOLDER), crdYaml(definition));
}
