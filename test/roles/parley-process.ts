import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { bundledMain } from '../bundled-main.ts';
import { COMPILE_CACHE } from '../compile-cache.ts';
import { freePort } from '../free-port.ts';
import heapFlags from '../../bin/heap-flags.json' with { type: 'json' };

/** Parley as users run it: one or three processes with an environment and an HTTP port. */
export type Parley = {
  url: string;
  apiKey: string;
  /** Link to the dashboard that signs in. Only `start` prints one. */
  dashboard?: string | undefined;
  /** Returns everything that the process wrote to stderr. */
  output: () => string;
  /** Calls the API, and parses the body if there is one. */
  call: (method: string, route: string, body?: unknown) => Promise<Answer>;
  /** Sends SIGTERM and waits. Resolves to the exit codes. */
  stop: () => Promise<(number | null)[]>;
  /** Sends SIGKILL and waits. */
  kill: () => Promise<void>;
  pids: number[];
  /** Resolves when all processes have ended for any reason. The exit code is null after a signal. */
  exited: Promise<(number | null)[]>;
};

// Tests assert each field of the answer that they need.
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = { status: number; headers: Headers; body: any };

const ROOT = path.resolve(import.meta.dirname, '../..');

export type StartOptions = {
  dataDir: string;
  manifests?: string;
  env?: Record<string, string>;
};

/** Starts `parley start`, and waits for its ready line. */
export async function startParley(options: StartOptions): Promise<Parley> {
  const child = await launch(['start'], {
    PARLEY_DATA_DIR: options.dataDir,
    PARLEY_MANIFESTS: options.manifests ?? path.join(options.dataDir, 'no-manifests'),
    PARLEY_DEMO: '0',
    PARLEY_PORT: String(await freePort()),
    ...options.env,
  });
  const line = await child.firstLine();
  const ready = JSON.parse(line) as { url: string; api_key: string; dashboard: string };
  const { url, api_key: apiKey, dashboard } = ready;
  return { ...parley({ url, apiKey, children: [child] }), dashboard };
}

const API_KEY = `parley_${'k'.repeat(40)}`;
type RoleName = 'delivery' | 'operator' | 'api';

function roleEnvironment(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    PARLEY_STORE: 'postgres',
    PARLEY_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString('base64'),
    PARLEY_EGRESS_ALLOW: '127.0.0.0/8,::1/128',
    PARLEY_HOST: '127.0.0.1',
    PARLEY_API_KEY: API_KEY,
  };
}

/** Runs `parley migrate` of this tree or of another checkout, and waits for its end. */
export async function runMigrations(
  databaseUrl: string,
  tree = ROOT,
  env: Record<string, string> = {},
): Promise<void> {
  const migration = await launch(['migrate'], { ...roleEnvironment(databaseUrl), ...env }, tree);
  if ((await migration.exited) !== 0) throw new Error(`migrate failed: ${migration.output()}`);
}

/** Starts Parley as three processes on one database. */
export async function startRoles(options: {
  databaseUrl: string;
  manifests?: string;
  env?: Record<string, string>;
  /** Additional environment of one role. */
  envOf?: Partial<Record<RoleName, Record<string, string>>>;
}): Promise<Parley> {
  const port = await freePort();
  await migrate({ databaseUrl: options.databaseUrl, log: createLogger('error', 'test') });
  const children: Launched[] = [];
  for (const role of ['delivery', 'operator', 'api'] as const) {
    const env = {
      ...options.env,
      PARLEY_PORT: String(port),
      ...(role === 'operator' && options.manifests && { PARLEY_MANIFESTS: options.manifests }),
      ...options.envOf?.[role],
    };
    children.push(await launchRole(role, { databaseUrl: options.databaseUrl, env }));
  }
  return parley({ url: `http://127.0.0.1:${port}`, apiKey: API_KEY, children });
}

/** Starts one role of this tree or of `tree` on a migrated database. `url` is the address of its metrics. */
export async function startRole(
  role: RoleName,
  options: { databaseUrl: string; env: Record<string, string>; tree?: string },
): Promise<Parley> {
  const port = String(await freePort());
  const env = { ...options.env, PARLEY_METRICS_PORT: port };
  const child = await launchRole(role, { ...options, env });
  return parley({ url: `http://127.0.0.1:${port}`, apiKey: API_KEY, children: [child] });
}

async function launchRole(
  role: RoleName,
  options: { databaseUrl: string; env: Record<string, string>; tree?: string },
): Promise<Launched> {
  const env = {
    ...roleEnvironment(options.databaseUrl),
    PARLEY_METRICS_PORT: String(await freePort()),
    ...options.env,
  };
  const child = await launch([role], env, options.tree);
  await child.saying('"msg":"ready"');
  return child;
}

/** Creates a folder. If it is in `memoryFolder()`, copying a PostgreSQL cluster into it takes 5% of the CPU time. */
export async function temporaryFolder(
  parent = tmpdir(),
): Promise<{ path: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(parent, 'parley-test-'));
  return { path: folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

type Launched = {
  process: ChildProcess;
  output: () => string;
  firstLine: () => Promise<string>;
  saying: (text: string) => Promise<void>;
  exited: Promise<number | null>;
};

/** Starts the bundle of this tree, or the sources of another one. */
async function launch(args: string[], env: Record<string, string>, tree = ROOT): Promise<Launched> {
  const main = tree === ROOT ? await bundledMain() : path.join(tree, 'src/main.ts');
  const child = spawn(process.execPath, [...heapFlags, main, ...args], {
    cwd: tree,
    // Only these variables are set, because the machine's own settings must not affect a test.
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let standardOutput = '';
  const listeners = new Set<() => void>();
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  /** Returns the awaited value, or throws if the process ends first. */
  const unlessEnded = <T>(awaited: Promise<T>): Promise<T> =>
    Promise.race([
      awaited,
      exited.then((code): never => {
        throw new Error(`parley ${args.join(' ')} ended with ${code}:\n${output}`);
      }),
    ]);
  const firstLine = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      standardOutput += chunk.toString();
      const end = standardOutput.indexOf('\n');
      if (end >= 0) resolve(standardOutput.slice(0, end));
    });
  });
  return {
    process: child,
    output: () => output,
    exited,
    firstLine: () => unlessEnded(firstLine),
    saying: (text) =>
      unlessEnded(
        new Promise<void>((resolve) => {
          const check = (): void => {
            if (!output.includes(text)) return;
            listeners.delete(check); // Each check reads the whole output, so it is removed once it succeeds.
            resolve();
          };
          listeners.add(check);
          check();
        }),
      ),
  };
}

function parley(of: { url: string; apiKey: string; children: Launched[] }): Parley {
  const signalAll = async (signal: NodeJS.Signals): Promise<(number | null)[]> => {
    for (const { process: child } of of.children) child.kill(signal);
    return Promise.all(of.children.map(({ exited }) => exited));
  };
  return {
    url: of.url,
    apiKey: of.apiKey,
    output: () => of.children.map(({ output }) => output()).join('\n'),
    pids: of.children.map(({ process: child }) => child.pid ?? 0),
    call: (method, route, body) => call(of, { method, route, body }),
    exited: Promise.all(of.children.map(({ exited }) => exited)),
    stop: () => signalAll('SIGTERM'),
    kill: async () => {
      await signalAll('SIGKILL');
    },
  };
}

/** Returns the same Parley with another key. */
export function withKey(parley: Parley, apiKey: string): Parley {
  const { url } = parley;
  return {
    ...parley,
    apiKey,
    call: (method, route, body) => call({ url, apiKey }, { method, route, body }),
  };
}

/** Returns the same Parley with another address. */
export function withUrl(parley: Parley, url: string): Parley {
  const { apiKey } = parley;
  return {
    ...parley,
    url,
    call: (method, route, body) => call({ url, apiKey }, { method, route, body }),
  };
}

async function call(
  { url, apiKey }: { url: string; apiKey: string },
  request: { method: string; route: string; body: unknown },
): Promise<Answer> {
  const response = await fetch(`${url}${request.route}`, {
    method: request.method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(request.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}
