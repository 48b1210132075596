/**
 * Brings node_modules in line with package-lock.json, or finds in a few milliseconds that it is.
 *
 * A stamp in node_modules holds a hash of what was installed. `npm ci` empties that folder first, so
 * an install that was cut off leaves no stamp and is done again.
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
 * `tools`: the development dependencies are needed too; the program itself runs without them
 * (`npm ci --omit=dev`). Throws SetupError when the install cannot be done.
 */
export async function ensureInstalled({ root, tools }) {
  // Published as a package there is no lock file: whoever installed it brought the dependencies, by an
  // npm that may run no install scripts.
  if (!existsSync(join(root, 'package-lock.json'))) {
    for (const modules of createRequire(join(root, 'package.json')).resolve.paths('any') ?? [])
      completePackages(modules);
    return;
  }
  const wanted = fingerprint(root);
  if (readStamp(root) === wanted) return;
  if (adoptInstalled({ root, tools, wanted })) return;
  await withInstallLock(root, async () => {
    if (readStamp(root) === wanted) return; // Another start did it while this one waited.
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

/** Changes when the dependencies do, not when a script is renamed; never fits another platform. */
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
 * True when somebody ran npm by hand (or built an image) and everything is there: npm notes in
 * node_modules/.package-lock.json what it installed. Works in a read-only checkout.
 */
function adoptInstalled({ root, tools, wanted }) {
  const locked = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (locked === undefined || present === undefined) return false;
  const missing = Object.entries(locked).filter(
    ([path, entry]) =>
      // Not the project itself, nor the client, which is a folder of it that npm links.
      path.includes('node_modules/') &&
      entry.link !== true &&
      entry.optional !== true &&
      entry.devOptional !== true &&
      (present[path]?.version !== entry.version || present[path]?.integrity !== entry.integrity),
  );
  if (missing.some(([, entry]) => tools || entry.dev !== true)) return false;
  completePackages(join(root, 'node_modules'));
  if (missing.length > 0) return true; // No stamp: `npm test` will want the rest.
  try {
    writeFileSync(stampFile(root), wanted);
  } catch {
    // Read-only: it costs the comparison (about 10 ms) at every start.
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
  // Said in full, since NODE_ENV or the user's npm settings may leave out what is needed here. No
  // package may run code at install time; native-packages.mjs does the little that is needed.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts'];
  const { code, signal, output } = await npm(root, [
    ...args,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (signal !== null) {
    throw new SetupError(`the installation was stopped by ${signal}; the next start repeats it`);
  }
  if (code === 0) return;
  process.stderr.write(output);
  throw new SetupError(
    `npm ci failed with exit code ${code}; see its output above. The first start needs the npm registry and write access to ${root}`,
  );
}

/** npm's own output is kept back: only a failure is worth reading. */
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

/** The npm that started us, else the one in PATH. Another package manager does not know `ci`. */
function npmCommand() {
  const own = process.env.npm_execpath;
  return own !== undefined && basename(own) === 'npm-cli.js' ? [process.execPath, own] : ['npm'];
}
