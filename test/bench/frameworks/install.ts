import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const HERE = import.meta.dirname;
const LISTS = ['requirements.txt', 'package.json', 'package-lock.json'];
/** The newest that `go install` takes: those after it replace modules of others in their go.mod. */
const SERVER = 'github.com/livekit/livekit-server/cmd/server@v1.13.5';

export type Installed = { python: string; livekitServer: string; modules: string };

/** Both frameworks, once for each state of the lists: by pip, npm and Go. @throws Error when one is not there */
export function installFrameworks(): Installed {
  const hash = createHash('sha256').update(SERVER);
  for (const list of LISTS) hash.update(readFileSync(path.join(HERE, list)));
  const into = path.join(
    homedir(),
    '.cache/parley',
    `frameworks-${hash.digest('hex').slice(0, 16)}`,
  );
  const installed = {
    python: path.join(into, 'python/bin/python'),
    livekitServer: path.join(into, 'server'),
    modules: path.join(into, 'node_modules'),
  };
  const done = path.join(into, 'installed');
  if (existsSync(done)) return installed;
  console.log(`installing Pipecat and LiveKit into ${into} (some minutes, once)`);
  mkdirSync(into, { recursive: true });
  for (const list of LISTS) cpSync(path.join(HERE, list), path.join(into, list));
  const options = { cwd: into, stdio: 'inherit' } as const;
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
  execFileSync('python3', ['-m', 'venv', '--clear', 'python'], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '-r', 'requirements.txt'];
  execFileSync(installed.python, pip, options);
  execFileSync('go', ['install', SERVER], { ...options, env: { ...process.env, GOBIN: into } });
  writeFileSync(done, '');
  return installed;
}
