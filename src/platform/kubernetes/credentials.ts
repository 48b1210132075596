import { readFile } from 'node:fs/promises';
import { reasonOf, StartupError } from '../../errors.ts';

/** Address of a Kubernetes API server, and the credentials that Parley uses to call it. */
export type KubeCredentials = {
  /** `https://host:port`, without a trailing slash. */
  server: string;
  tls: {
    ca?: string | Buffer;
    cert?: string | Buffer;
    key?: string | Buffer;
    servername?: string;
    rejectUnauthorized?: boolean;
  };
  /** Returns the headers that authenticate one request. Call it for each request, because tokens are short-lived. */
  headers: () => Promise<Record<string, string>>;
  /** Namespace in which this process runs. */
  namespace: string;
};

/** Folder with a pod's service account (Kubernetes docs, "Accessing the API from a Pod"). */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
/**
 * Time in ms for which a token is cached. A token lives for at least an hour, and the kubelet replaces it once 80% of
 * that time has passed. A token that is read from the file is therefore valid for longer than it is cached.
 */
const TOKEN_KEPT_MS = 60_000;

export type CredentialsDeps = {
  /** Values of `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`, which every pod has. */
  service: { host: string; port: string } | undefined;
  nowMs: () => number;
  serviceAccountFolder?: string;
};

/**
 * Loads the pod's own service account or, outside a pod, the kubeconfig that kubectl would use (including exec plugins
 * and OIDC). Imports @kubernetes/client-node only outside a pod, to read the kubeconfig. That package costs 87 MB of
 * memory and a second of startup time, and a pod does not need it to read three files.
 * @throws StartupError if there is neither a service account nor a kubeconfig
 */
export async function loadCredentials(deps: CredentialsDeps): Promise<KubeCredentials> {
  return deps.service ? fromServiceAccount(deps, deps.service) : fromKubeconfig();
}

async function fromServiceAccount(
  { nowMs, serviceAccountFolder: folder = SERVICE_ACCOUNT }: CredentialsDeps,
  { host, port }: { host: string; port: string },
): Promise<KubeCredentials> {
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(`${folder}/${name}`, 'utf8');
    } catch (cause) {
      const hint = 'does the pod mount its service account token?';
      throw new StartupError(`cannot read ${folder}/${name}: ${hint}`, { cause });
    }
  };
  const [ca, namespace] = await Promise.all([read('ca.crt'), read('namespace')]);
  let token = { text: '', readAtMs: -Infinity };
  const headers = async (): Promise<Record<string, string>> => {
    if (nowMs() - token.readAtMs > TOKEN_KEPT_MS) {
      // If the file cannot be read, the cached token stays in use, because it is still valid for minutes.
      const text = await read('token').catch((error: unknown) => {
        if (token.text === '') throw error;
        return token.text;
      });
      token = { text: text.trim(), readAtMs: nowMs() };
    }
    return { authorization: `Bearer ${token.text}` };
  };
  await headers(); // Reads the token now, so that a missing file is reported at startup.
  const bracketed = host.includes(':') ? `[${host}]` : host;
  return { server: `https://${bracketed}:${port}`, tls: { ca }, headers, namespace };
}

type HttpsOptions = KubeCredentials['tls'] & { headers?: Record<string, string> };

async function fromKubeconfig(): Promise<KubeCredentials> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    config.loadFromDefault();
  } catch (cause) {
    throw new StartupError(`cannot read the kubeconfig: ${reasonOf(cause)}`, { cause });
  }
  const cluster = config.getCurrentCluster();
  // If there is no kubeconfig, client-node assumes this default cluster, as kubectl once did.
  if (!cluster?.server || cluster.server === 'http://localhost:8080') {
    throw new StartupError(
      'no Kubernetes cluster: set KUBECONFIG, run in a pod, or set PARLEY_STORE=postgres',
    );
  }
  if (cluster.proxyUrl !== undefined) {
    throw new StartupError('the kubeconfig contains a proxy-url, which is not supported');
  }
  const apply = async (): Promise<HttpsOptions> => {
    const options: HttpsOptions = {};
    await config.applyToHTTPSOptions(options);
    return options;
  };
  const { ca, cert, key, servername, rejectUnauthorized } = await apply();
  return {
    server: cluster.server.replace(/\/+$/, ''),
    tls: {
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
      ...(servername !== undefined && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    headers: async () => ({ ...(await apply()).headers }),
    namespace: config.getContextObject(config.currentContext)?.namespace ?? 'default',
  };
}
