import { mkdirSync, writeFileSync } from 'node:fs';
import { crdFileName, crdYaml } from '../platform/resources/schema/crd.ts';
import { KINDS } from './kinds.ts';

/**
 * `npm run generate -- crds`: writes the CRD files. A test compares them with what would be written. The chart has a link to
 * this folder, which Helm follows.
 */
const FOLDER = new URL('../../crds/', import.meta.url);

mkdirSync(FOLDER, { recursive: true });
for (const definition of KINDS) {
  writeFileSync(new URL(crdFileName(definition), FOLDER), crdYaml(definition));
}
