import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * What others wrote and only some tests need, in a folder below `~/.cache/parley` for each state of the lists that
 * name it. `install` fills the folder, once; one that threw is tried again. Returns the folder.
 */
export function installOnce(
  name: string,
  state: readonly (string | Buffer)[],
  install: (into: string) => void,
): string {
  const hash = createHash('sha256');
  for (const part of state) hash.update(part);
  const into = path.join(homedir(), '.cache/parley', `${name}-${hash.digest('hex').slice(0, 16)}`);
  const done = path.join(into, 'installed');
  if (existsSync(done)) return into;
  console.log(`installing ${name} into ${into}, once`);
  mkdirSync(into, { recursive: true });
  install(into);
  writeFileSync(done, '');
  return into;
}
