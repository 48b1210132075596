import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, StartupError } from '../errors.ts';

/** Secrets that `parley start` creates on its first run and keeps in the data folder, each in a file with mode 600. */
export type LocalSecrets = { apiKey: string; encryptionKey: Buffer };

const KEY_BYTES = 32;

export async function readLocalSecrets(
  dataDir: string,
  newApiKey: () => string,
): Promise<LocalSecrets> {
  await mkdir(dataDir, { recursive: true });
  const encryptionKey = await readOrMake(path.join(dataDir, 'encryption-key'), () =>
    randomBytes(KEY_BYTES).toString('base64'),
  );
  return {
    apiKey: await readOrMake(path.join(dataDir, 'api-key'), newApiKey),
    encryptionKey: parseKey(encryptionKey, dataDir),
  };
}

/** Replaces an API key that was revoked or has expired. */
export async function replaceApiKey(dataDir: string, newApiKey: () => string): Promise<string> {
  const file = path.join(dataDir, 'api-key');
  await rm(file, { force: true });
  return readOrMake(file, newApiKey);
}

/** Returns the file's text. A missing file is created atomically. */
async function readOrMake(file: string, make: () => string): Promise<string> {
  const known = await readIfThere(file);
  if (known !== undefined) return known;
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${make()}\n`, { mode: 0o600 });
  // If another `parley start` was faster, the link fails, and that process's file is read below.
  await link(draft, file).catch(() => undefined);
  await rm(draft);
  return (await readFile(file, 'utf8')).trim();
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new StartupError(`cannot read ${file}: ${String(error)}`, { cause: error });
  }
}

function parseKey(text: string, dataDir: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new StartupError(
    `${path.join(dataDir, 'encryption-key')} must contain ${KEY_BYTES} bytes in base64; ` +
      'without the right key, stored secrets cannot be decrypted',
  );
}
