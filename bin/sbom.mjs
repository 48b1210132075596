/**
 * Writes the software bill of materials (SBOM) as a CycloneDX document. It lists the run-time packages in
 * package-lock.json and the packages that are bundled into the build, with their checksums and licences. npm reads only
 * the lock file. It downloads nothing, and the packages that are installed on this machine do not matter.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the SBOM to a file.
 *
 * @param optional whether to include optional packages: the PostgreSQL and Node of `npm start`. The image lacks them
 * @param bundled packages as `name@version` whose code or data the build contains although they are not installed with
 * Parley
 */
export function writeSbom({ root, file, optional = true, bundled = [] }) {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  // Without these options, NODE_ENV=production would exclude packages that are selected below.
  args.push('--include=dev', '--include=optional');
  const text = execFileSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const sbom = JSON.parse(text);
  // npm's `--omit=dev` is not used, because it also omits packages that both a tool and the program need, such as pg.
  const kept = runTimePackages(root, optional);
  for (const name of bundled) kept.set(name, 'required');
  sbom.components = sbom.components
    .filter((one) => kept.has(one['bom-ref']))
    .map((one) => ({
      ...one,
      // npm omits a licence if it has no SPDX name.
      ...(!one.licenses && one.name in READ_LICENCES && { licenses: licensed(one.name) }),
      scope: kept.get(one['bom-ref']),
      properties: [],
    }));
  const own = sbom.metadata.component['bom-ref'];
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => ref === own || kept.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      // Lists the bundled packages as dependencies of the product, because it contains them. In the lock file they are
      // dependencies of a workspace.
      dependsOn: [...new Set(ref === own ? [...dependsOn, ...bundled] : dependsOn)].filter((one) =>
        kept.has(one),
      ),
    }));
  // Makes the document reproducible: the same lock file results in the same bytes. npm would use the folder's name, and
  // a new serial number and time for each call.
  sbom.metadata.component.name = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).name;
  delete sbom.metadata.timestamp;
  delete sbom.serialNumber;
  sbom.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(sbom))}`;
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

/** SPDX names of the licences of packages whose package.json has none, according to their LICENSE files. */
const READ_LICENCES = { duck: 'BSD-2-Clause' };

function licensed(name) {
  return [{ license: { id: READ_LICENCES[name] } }];
}

/** Returns the packages that are installed with the program, as a map from `name@version` to the CycloneDX scope. */
function runTimePackages(root, optional) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const [folder, entry] of Object.entries(packages)) {
    const isOptional = entry.optional === true || entry.devOptional === true;
    if (!folder.includes('node_modules/') || entry.link === true) continue; // Parley's own packages.
    // pdfjs-dist uses this package for drawing. The build contains only the CMaps of pdfjs-dist and needs no drawing.
    if (folder.includes('@napi-rs/canvas')) continue;
    if (entry.dev === true || (isOptional && !optional)) continue;
    const name = `${folder.split('node_modules/').at(-1)}@${entry.version}`;
    if (!isOptional || !found.has(name)) found.set(name, isOptional ? 'optional' : 'required');
  }
  return found;
}

/** Returns a UUID (version 8, RFC 9562 §5.8) that is derived from a hash of the text. */
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
