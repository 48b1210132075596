import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { installOnce } from '../../install-once.ts';

const HERE = import.meta.dirname;
const LISTS = ['requirements.txt', 'package.json', 'package-lock.json'];
/** The newest that `go install` takes: those after it replace modules of others in their go.mod. */
const SERVER = 'github.com/livekit/livekit-server/cmd/server@v1.13.5';
const PIP = ['-m', 'pip', 'install', '--quiet', '-r', 'requirements.txt'];

export type Installed = { python: string; livekitServer: string; modules: string };

/** Both frameworks, by pip, npm and Go: some minutes. @throws Error when one of them is not there */
export function installFrameworks(): Installed {
  const state = [SERVER, ...LISTS.map((list) => readFileSync(path.join(HERE, list)))];
  const pythonIn = (folder: string): string => path.join(folder, 'python/bin/python');
  const into = installOnce('frameworks', state, (folder) => {
    for (const list of LISTS) cpSync(path.join(HERE, list), path.join(folder, list));
    const options = { cwd: folder, stdio: 'inherit' } as const;
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
    execFileSync('python3', ['-m', 'venv', '--clear', 'python'], options);
    execFileSync(pythonIn(folder), PIP, options);
    execFileSync('go', ['install', SERVER], { ...options, env: { ...process.env, GOBIN: folder } });
  });
  return {
    python: pythonIn(into),
    livekitServer: path.join(into, 'server'),
    modules: path.join(into, 'node_modules'),
  };
}
