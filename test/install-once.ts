import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/**
 * Installs third-party software that only some tests need. The folder below `~/.cache/parley` depends on `state`, the
 * contents of the files that list the software. `install` fills the folder only once. If it throws, the next call
 * repeats it. Returns the folder.
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
