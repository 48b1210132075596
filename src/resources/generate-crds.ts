import { writeFileSync } from 'node:fs';
import { crdFileName, crdYaml } from './crd.ts';
import { KINDS } from './kinds.ts';

/** `npm run crds`: writes the CRD files. A test compares them with what would be written. */
for (const definition of KINDS) {
  const file = new URL(`../../crds/${crdFileName(definition)}`, import.meta.url);
  writeFileSync(file, crdYaml(definition));
}
