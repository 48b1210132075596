/**
 * Installs the dependencies if node_modules does not match package-lock.json. The check takes a few milliseconds: a
 * stamp file in node_modules contains a hash of the installed dependencies. `npm ci` empties that folder first, so an
 * interrupted install leaves no stamp and is repeated.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { withInstallLock } from './install-lock.mjs';
import { completePackages } from './native-packages.mjs';
import { SetupError, say } from './setup-error.mjs';

/**
 * Installs the dependencies if necessary.
 *
 * @param tools whether the development dependencies are required too; the program itself runs without them (`npm ci
 * --omit=dev`)
 * @throws SetupError if the installation fails
 */
export async function ensureInstalled({ root, tools }) {
  // The published npm package has no lock file. Its installation also installed the dependencies, but npm may have been
  // configured to skip install scripts.
  if (!existsSync(join(root, 'package-lock.json'))) {
    for (const modules of createRequire(join(root, 'package.json')).resolve.paths('any') ?? [])
      completePackages(modules);
    return;
  }
  const wanted = fingerprint(root);
  if (readStamp(root) === wanted) return;
  if (adoptInstalled({ root, tools, wanted })) return;
  await withInstallLock(root, async () => {
    if (readStamp(root) === wanted) return; // Another process installed the packages during the wait.
    await install(root);
    completePackages(join(root, 'node_modules'));
    writeFileSync(stampFile(root), wanted);
  });
}

const stampFile = (root) => join(root, 'node_modules', '.parley-install');

function readStamp(root) {
  try {
    return readFileSync(stampFile(root), 'utf8');
  } catch {
    return undefined;
  }
}

/** Returns a hash that depends on the dependencies and the platform, but not on other parts of package.json. */
function fingerprint(root) {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
  return createHash('sha256')
    .update(JSON.stringify([dependencies, devDependencies, optionalDependencies, overrides]))
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform}-${process.arch}`)
    .digest('hex');
}

/**
 * Returns true if npm was run directly (or in an image build) and installed everything that is required. npm records
 * the installed packages in node_modules/.package-lock.json, which this function compares with package-lock.json. It
 * also works in a read-only checkout.
 */
function adoptInstalled({ root, tools, wanted }) {
  const locked = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (locked === undefined || present === undefined) return false;
  const missing = Object.entries(locked).filter(
    ([path, entry]) =>
      // Excludes the project itself and the client, which is a folder of the project that npm links.
      path.includes('node_modules/') &&
      entry.link !== true &&
      entry.optional !== true &&
      entry.devOptional !== true &&
      (present[path]?.version !== entry.version || present[path]?.integrity !== entry.integrity),
  );
  if (missing.some(([, entry]) => tools || entry.dev !== true)) return false;
  completePackages(join(root, 'node_modules'));
  if (missing.length > 0) return true; // Writes no stamp, so that `npm test` installs the missing packages.
  try {
    writeFileSync(stampFile(root), wanted);
  } catch {
    // The checkout is read-only. Without a stamp, each start repeats this comparison, which takes about 10 ms.
  }
  return true;
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function install(root) {
  say('installing dependencies (once, about a minute) …');
  // The options are explicit, because NODE_ENV or the user's npm settings may exclude required packages. No package may
  // run code at install time. native-packages.mjs performs the few necessary steps instead.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts'];
  const { code, signal, output } = await npm(root, [
    ...args,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (signal !== null) {
    throw new SetupError(`${signal} stopped the installation; the next start repeats it`);
  }
  if (code === 0) return;
  process.stderr.write(output);
  throw new SetupError(
    `npm ci failed with exit code ${code}; see its output above. The first start needs the npm registry and write access to ${root}`,
  );
}

/** Runs npm. Collects its output, because the output is printed only after a failure. */
function npm(root, args) {
  const [command, ...prefix] = npmCommand();
  const child = spawn(command, [...prefix, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(
        new SetupError(
          `npm cannot be run: ${cause.message}. Install npm, or run 'npm ci' yourself`,
        ),
      ),
    );
    child.once('close', (code, signal) => resolve({ code, signal, output: Buffer.concat(chunks) }));
  }).finally(() => {
    for (const signal of signals) process.off(signal, forward);
  });
}

/** Returns the npm that started this process, or the one in PATH. Other package managers have no `ci` command. */
function npmCommand() {
  const own = process.env.npm_execpath;
  return own !== undefined && basename(own) === 'npm-cli.js' ? [process.execPath, own] : ['npm'];
}
