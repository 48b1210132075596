import { mkdirSync, writeFileSync } from 'node:fs';
import { crdFileName, crdYaml } from '../platform/resources/schema/crd.ts';
import { KINDS } from './kinds.ts';

/** For `kubectl apply -f crds/`, and for the chart, whose templates read only files of its own. */
const FOLDERS = ['crds', 'charts/parley/files/crds'];

/** `npm run generate -- crds`: writes the CRD files. A test compares them with what would be written. */
for (const folder of FOLDERS) {
  const target = new URL(`../../${folder}/`, import.meta.url);
  mkdirSync(target, { recursive: true });
  for (const definition of KINDS) {
    writeFileSync(new URL(crdFileName(definition), target), crdYaml(definition));
  }
}
