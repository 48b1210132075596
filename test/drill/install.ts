import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { installOnce } from '../install-once.ts';

const LIST = path.join(import.meta.dirname, 'requirements.txt');
const PIP = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--only-binary=:all:'];

/** A Python with the engines (about 250 MB); every file is known by its hash. */
export function installEngines(): string {
  const pythonIn = (folder: string): string => path.join(folder, 'bin/python');
  const into = installOnce('drill', [readFileSync(LIST)], (folder) => {
    const options = { stdio: 'inherit' } as const;
    execFileSync('python3', ['-m', 'venv', '--clear', folder], options);
    execFileSync(pythonIn(folder), [...PIP, '-r', LIST], options);
  });
  return pythonIn(into);
}
