import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, reasonOf } from '../../errors.ts';
import type { Validator } from '../resources/schema/validate.ts';
import { readManifest, type ManifestObjects } from './object.ts';
import type { ManifestProblem } from './report.ts';
import { parseYaml } from './yaml.ts';

/** Contents of the folder at one point in time. */
export type ManifestLook = {
  /** Files in the order of their paths, with objects in the order of their documents. */
  files: ManifestObjects[];
  /** Folders to watch. The inode distinguishes a folder from a later one with the same name. */
  folders: { path: string; inode: string }[];
  problems: ManifestProblem[];
  /**
   * True if everything could be read and parsed. Only in that case does an object that was not found count as missing.
   */
  complete: boolean;
  /**
   * Time in ms after which the folder must be read again before an object may count as missing. It is positive if a
   * file is empty or has vanished, because an editor may be about to write that file.
   */
  unsettledMs: number;
};

export type ManifestReader = { look: () => Promise<ManifestLook> };

export type ManifestReaderDeps = {
  folder: string;
  validate: Validator;
  nowMs: () => number;
  /**
   * Time in ms for which a file must stay empty before its objects count as missing. Until then, an editor may still be
   * writing the file.
   */
  emptySettleMs: number;
};

const MAX_FILES = 1_000;
const MAX_FOLDERS = 1_000;
const MAX_BYTES = 1024 * 1024;

type Cached = ManifestObjects & {
  key: string;
  text: string;
  /** True if a second read found the same text. See `readCached`. */
  confirmed: boolean;
  emptySinceMs: number | undefined;
};

type Found = {
  files: { path: string; isLink: boolean }[];
  folders: ManifestLook['folders'];
  problems: ManifestProblem[];
};

export function createManifestReader(deps: ManifestReaderDeps): ManifestReader {
  let cache = new Map<string, Cached>();

  return {
    look: async () => {
      const found: Found = { files: [], folders: [], problems: [] };
      await walk(deps.folder, found);
      const next = new Map<string, Cached>();
      const problems = [...found.problems];
      let unsettledMs = 0;
      for (const file of found.files.sort((a, b) => (a.path < b.path ? -1 : 1))) {
        const result = await readCached(deps, file, cache.get(file.path));
        if (result === 'vanished') unsettledMs = deps.emptySettleMs;
        else if (result === 'not a file') continue;
        else if ('detail' in result) problems.push(result);
        else next.set(file.path, result);
      }
      cache = next;
      const files = [...next.values()];
      for (const { emptySinceMs } of files) {
        if (emptySinceMs === undefined) continue;
        unsettledMs = Math.max(unsettledMs, emptySinceMs + deps.emptySettleMs - deps.nowMs());
      }
      return {
        files,
        folders: found.folders,
        problems: [...problems, ...files.flatMap((file) => file.problems)],
        complete: problems.length === 0 && !files.some(({ unknownIdentity }) => unknownIdentity),
        unsettledMs,
      };
    },
  };
}

/** Lists files. Skips hidden entries (a ConfigMap mount stores its data in `..data`) and links to folders. */
async function walk(folder: string, found: Found): Promise<void> {
  if (found.folders.length >= MAX_FOLDERS) return reportTooMany(found);
  for (const entry of await readEntries(folder, found)) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) await walk(path, found);
    else if (!/\.(ya?ml|json)$/i.test(entry.name)) continue;
    else if (found.files.length >= MAX_FILES) return reportTooMany(found);
    else found.files.push({ path, isLink: entry.isSymbolicLink() });
  }
}

function reportTooMany(found: Found): void {
  const detail = `there are more than ${MAX_FILES} manifests or folders; the others are ignored`;
  found.problems.push({ detail });
}

async function readEntries(folder: string, found: Found): Promise<Dirent[]> {
  try {
    const { ino } = await stat(folder, { bigint: true });
    const entries = await readdir(folder, { withFileTypes: true });
    found.folders.push({ path: folder, inode: String(ino) });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const missing = codeOf(error) === 'ENOENT';
    const detail = missing
      ? 'does not exist; it will be read when it appears'
      : cannotBeRead(error);
    found.problems.push({ detail: `the manifest folder ${folder} ${detail}` });
    return [];
  }
}

/**
 * Reads a file if its `stat` result has changed. The next pass reads a changed file once more and compares the text,
 * because a second write within the same tick of the file system's clock does not change the `stat` result.
 */
async function readCached(
  deps: ManifestReaderDeps,
  { path, isLink }: Found['files'][number],
  cached: Cached | undefined,
): Promise<Cached | ManifestProblem | 'vanished' | 'not a file'> {
  try {
    const stats = await stat(path, { bigint: true });
    // Only regular files are read, because reading a pipe would block forever.
    if (!stats.isFile()) return 'not a file';
    const key = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
    if (cached?.confirmed && cached.key === key) return cached;
    if (stats.size > MAX_BYTES) return { detail: `${path} is larger than 1 MiB and is ignored` };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    if (cached?.text === text) return { ...cached, key, confirmed: cached.key === key };
    return { key, text, confirmed: false, ...parseFile(path, text, deps) };
  } catch (error) {
    // The file was deleted after the folder was listed, for example by an editor that is saving it. A dangling link,
    // however, is reported as a problem.
    if (codeOf(error) === 'ENOENT' && !isLink) return 'vanished';
    return { detail: `${path} ${cannotBeRead(error)}` };
  }
}

function parseFile(
  path: string,
  text: string,
  deps: ManifestReaderDeps,
): Omit<Cached, 'key' | 'text' | 'confirmed'> {
  const { documents, problems } = parseYaml(path, text);
  const read = documents.map((document) => readManifest(document, deps.validate));
  return {
    objects: read.flatMap(({ objects }) => objects),
    problems: [...problems, ...read.flatMap((result) => result.problems)],
    // A document that cannot be parsed could declare any object, so no object may count as missing.
    unknownIdentity: problems.length > 0 || read.some((result) => result.unknownIdentity),
    emptySinceMs: text.trim() === '' ? deps.nowMs() : undefined,
  };
}

function cannotBeRead(error: unknown): string {
  return `cannot be read (${codeOf(error) || reasonOf(error)})`;
}
