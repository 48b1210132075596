/**
 * Writes what Parley is made of: a CycloneDX document of the run-time packages of package-lock.json, and
 * of those that are in the dashboard or beside the code, with their checksums and licences. npm reads the lock file alone: nothing is fetched, and nothing
 * of what happens to be installed here gets in.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `optional: false`: without the packages that the artefact lacks, the PostgreSQL and Node of `npm start`.
 * `bundled`: `name@version` of those that the build takes parts of, though nobody installs them.
 */
export function writeSbom({ root, file, optional = true, bundled = [] }) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  // Else NODE_ENV=production leaves out what is chosen from below.
  args.push('--include=dev', '--include=optional');
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const sbom = JSON.parse(text);
  // Not by npm's own `--omit=dev`: it leaves out what a tool needs as well as the program, such as pg.
  const kept = runTimePackages(root, optional);
  for (const name of bundled) kept.set(name, 'required');
  sbom.components = sbom.components
    .filter((one) => kept.has(one['bom-ref']))
    .map((one) => ({
      ...one,
      // What npm cannot name it leaves out.
      ...(!one.licenses && one.name in READ_LICENCES && { licenses: licensed(one.name) }),
      scope: kept.get(one['bom-ref']),
      properties: [],
    }));
  const own = sbom.metadata.component['bom-ref'];
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => ref === own || kept.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      // The bundled packages belong to a workspace, but the product contains them.
      dependsOn: [...new Set(ref === own ? [...dependsOn, ...bundled] : dependsOn)].filter((one) =>
        kept.has(one),
      ),
    }));
  // npm takes the name of the folder, and makes another number and time at each call: without them the
  // same lock file has the same document to the byte, which whoever builds it again can compare.
  sbom.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  delete sbom.metadata.timestamp;
  delete sbom.serialNumber;
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(sbom))}`;
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

/** Packages whose package.json has no SPDX name, and what their LICENSE file is. */
const READ_LICENCES = { duck: 'BSD-2-Clause' };

function licensed(name) {
  return [{ license: { id: READ_LICENCES[name] } }];
}

/** `name@version`, of at least one copy that is installed with the program → CycloneDX's scope. */
function runTimePackages(root, optional) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [folder, entry] of Object.entries(packages)) {
    const isOptional = entry.optional === true || entry.devOptional === true;
    if (!folder.includes('node_modules/') || entry.link === true) continue; // Ours.
    // pdfjs-dist draws with it. The build takes only the CMaps of that package, so nothing that is shipped contains it.
    if (folder.includes('@napi-rs/canvas')) continue;
    if (entry.dev === true || (isOptional && !optional)) continue;
    const name = `${folder.split('node_modules/').at(-1)}@${entry.version}`;
    if (!isOptional || !found.has(name)) found.set(name, isOptional ? 'optional' : 'required');
  }
  return found;
}

/** RFC 9562 §5.8: a UUID whose bits are ours to choose, here those of a hash. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
