import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { openSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { memoryFolder } from '../../memory-folder.ts';
import { findKubeBinaries } from './kube-binaries.ts';
import type { KubeBinaries } from './kube-binaries.ts';
import { until } from '../../until.ts';

export type KubeResponse = { status: number; body: string; json: () => Record<string, unknown> };

/** A real Kubernetes API: kube-apiserver and etcd only. */
export type KubeApi = {
  /** `https://127.0.0.1:<port>` */
  url: string;
  /** PEM bundle that verifies the server's certificate. */
  caCert: string;
  /** Bearer token of a user in system:masters. Without `rbac` the server authorizes every request anyway. */
  token: string;
  /** Sends a request. `body` is an object (sent as JSON) or text; `contentType` defaults to application/json. */
  request: (
    method: string,
    path: string,
    body?: object | string,
    contentType?: string,
  ) => Promise<KubeResponse>;
};

/** A server for one test file alone, which may break it. */
export type KubeApiserver = KubeApi & {
  /** Sends SIGKILL, like a machine that dies; etcd's data stays. Resolves when the process is gone. */
  kill: (part: Part) => Promise<void>;
  /** Starts a killed part again on its old port and data. Resolves when /readyz answers. */
  revive: (part: Part) => Promise<void>;
  /** Returns every request so far. Needs `audit`. */
  auditLog: () => AuditedRequest[];
  /** URL of etcd, for tests that talk to it directly (compaction). */
  etcdUrl: string;
  /** Kills the server and etcd immediately, and removes their data. May be called twice. */
  stop: () => Promise<void>;
};

export type Part = 'etcd' | 'apiserver';

export type ServerChoices = {
  /** Whether roles decide what a user may do. Without them everybody may do everything. */
  rbac?: boolean;
  audit?: boolean;
};

/** The fields of a line of the audit log that tests read. */
export type AuditedRequest = {
  verb: string;
  user: { username: string };
  objectRef?: {
    apiGroup?: string;
    resource?: string;
    subresource?: string;
    namespace?: string;
    name?: string;
  };
  responseStatus?: { code?: number };
  requestURI: string;
};

const READY_WITHIN_MS = 60_000;
/** At its default of 100, Go's garbage collector takes a fifth of the CPU of an API server. */
const GOGC = '400';

/**
 * Starts both on free loopback ports with their own data. Takes about four seconds. Without controllers, nothing is
 * garbage-collected and a deleted namespace stays terminating. A test that can be skipped looks for the programs itself
 * (`findKubeBinaries`).
 */
export async function startKubeApiserver(
  found?: KubeBinaries,
  choices: ServerChoices = {},
): Promise<KubeApiserver> {
  const binaries = found ?? (await findKubeBinaries());
  if (!binaries) throw new Error('There are no etcd and kube-apiserver to start');
  const folder = await mkdtemp(join(memoryFolder(), 'parley-kube-'));
  const clientPort = await freePort();
  const peerPort = await freePort();
  const port = await freePort();
  const token = randomBytes(16).toString('hex');
  const commands: Record<Part, [string, string[]]> = {
    etcd: [binaries.etcd, etcdArgs(folder, clientPort, peerPort)],
    apiserver: [
      binaries.kubeApiserver,
      apiserverArgs({ folder, etcdPort: clientPort, port, token, ...choices }),
    ],
  };
  const launch = (part: Part): ChildProcess =>
    start(...commands[part], join(folder, `${part}.log`));
  const running: Record<Part, ChildProcess> = {
    etcd: launch('etcd'),
    apiserver: launch('apiserver'),
  };
  let watchdog = startWatchdog(Object.values(running));
  const stop = async () => {
    watchdog.kill('SIGKILL');
    for (const child of Object.values(running)) child.kill('SIGKILL');
    await Promise.all(Object.values(running).map(ended));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  const url = `https://127.0.0.1:${port}`;
  const ready = () => untilReady(url, token, { folder, children: Object.values(running) });
  try {
    const caCert = await ready();
    return {
      url,
      caCert,
      token,
      request: kubeRequester({ url, caCert, token }),
      auditLog: () => readAuditLog(folder),
      etcdUrl: `http://127.0.0.1:${clientPort}`,
      kill: async (part) => {
        running[part].kill('SIGKILL');
        await ended(running[part]);
      },
      revive: async (part) => {
        running[part] = launch(part);
        watchdog.kill('SIGKILL');
        watchdog = startWatchdog(Object.values(running));
        await ready();
      },
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

function etcdArgs(folder: string, clientPort: number, peerPort: number): string[] {
  const peer = `http://127.0.0.1:${peerPort}`;
  const client = `http://127.0.0.1:${clientPort}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync', // The data does not outlive the test.
  ];
}

type ServerOptions = ServerChoices & {
  folder: string;
  etcdPort: number;
  port: number;
  token: string;
};

function apiserverArgs(options: ServerOptions): string[] {
  const { folder, etcdPort, port, token } = options;
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},admin,admin,system:masters\n`, { mode: 0o600 });
  const key = join(folder, 'service-account.key');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`, // The server creates its own certificate there.
    `--token-auth-file=${tokens}`,
    `--authorization-mode=${options.rbac ? 'RBAC' : 'AlwaysAllow'}`,
    ...(options.audit ? auditArgs(folder) : []),
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--endpoint-reconciler-type=none', // The service `kubernetes` accepts no loopback address.
    '--disable-admission-plugins=ServiceAccount',
  ];
}

/** Returns arguments that log each request and its user, without bodies. */
function auditArgs(folder: string): string[] {
  const policy = join(folder, 'audit-policy.yaml');
  const rules = 'omitStages: [RequestReceived]\nrules: [{level: Metadata}]';
  writeFileSync(policy, `apiVersion: audit.k8s.io/v1\nkind: Policy\n${rules}\n`);
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`];
}

function readAuditLog(folder: string): AuditedRequest[] {
  const lines = readFileSync(join(folder, 'audit.log'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as AuditedRequest); // The server's own format.
}

function start(program: string, args: string[], logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, {
    env: { ...process.env, GOGC },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.on('error', () => {}); // `untilReady` reports it, because there is no process.
  return child;
}

/**
 * Starts a process that kills the children when this one dies without `stop`, which closes the pipe. It ignores signals
 * from a terminal: an API server that stops gently would wait for etcd forever.
 */
function startWatchdog(children: readonly ChildProcess[]): ChildProcess {
  const pids = children.map(({ pid }) => pid ?? '').join(' ');
  return spawn('sh', ['-c', `trap '' INT TERM HUP; cat >/dev/null; kill -9 ${pids}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (!isAlive(child)) return;
  await once(child, 'exit');
}

function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/**
 * Returns the certificate once /readyz answers 200.
 * @throws Error with the end of the logs
 */
async function untilReady(
  url: string,
  token: string,
  { folder, children }: { folder: string; children: readonly ChildProcess[] },
): Promise<string> {
  const logs = (): string => {
    const ends = ['etcd.log', 'apiserver.log'].map((name) => tail(join(folder, name)));
    return `kube-apiserver to become ready\n${ends.join('\n')}`;
  };
  // No signal crosses the process boundary.
  const isReady = async (): Promise<string | undefined> => {
    if (!children.every(isAlive)) throw new Error(`one ended while we waited for ${logs()}`);
    try {
      const caCert = readFileSync(join(folder, 'apiserver.crt'), 'utf8');
      const { status } = await kubeRequester({ url, caCert, token })('GET', '/readyz');
      // A loop that starts only after /readyz creates the default namespace.
      const namespace = await kubeRequester({ url, caCert, token })(
        'GET',
        '/api/v1/namespaces/default',
      );
      if (status === 200 && namespace.status === 200) return caCert;
    } catch {
      // The server does not listen yet.
    }
    return undefined;
  };
  return until(logs, isReady, { timeoutMs: READY_WITHIN_MS, everyMs: 50 });
}

function tail(path: string): string {
  return readFileSync(path, 'utf8').slice(-2000);
}

export function kubeRequester(server: Omit<KubeApi, 'request'>): KubeApi['request'] {
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const headers = {
        authorization: `Bearer ${server.token}`,
        ...(text === undefined ? {} : { 'content-type': contentType }),
      };
      const outgoing = request(`${server.url}${path}`, { method, headers, ca: server.caCert });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        let answer = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (answer += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: answer,
            json: () => parseObject(answer),
          }),
        );
      });
      outgoing.end(text);
    });
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new Error(`no object: ${text}`);
  return { ...value };
}
