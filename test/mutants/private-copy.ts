import { execFileSync } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { plant, type Mutant } from './mutant.ts';

export type PrivateCopy = { root: string; remove: () => Promise<void> };

/**
 * The tree as it is now, changes that are not committed included, with the mutant planted. The
 * dependencies are shared; nothing else is, so that whoever works on the tree meanwhile sees nothing.
 * @throws Error when the mutant does not fit the tree
 */
export async function copyTree(from: string, mutant?: Mutant): Promise<PrivateCopy> {
  const root = await mkdtemp(path.join(tmpdir(), 'parley-mutant-'));
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true });
  try {
    const files = listFiles(from);
    for (const folder of new Set(files.map((file) => path.dirname(file)))) {
      await mkdir(path.join(root, folder), { recursive: true });
    }
    for (const file of files) {
      await copyFile(path.join(from, file), path.join(root, file), constants.COPYFILE_FICLONE);
    }
    await symlink(path.join(from, 'node_modules'), path.join(root, 'node_modules'));
    if (mutant) {
      const file = path.join(root, mutant.file);
      await writeFile(file, plant(mutant, await readFile(file, 'utf8')));
    }
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function listFiles(root: string): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  // A deleted file is listed until its deletion is committed.
  return [...new Set(listed)].filter((file) => file !== '' && existsSync(path.join(root, file)));
}
