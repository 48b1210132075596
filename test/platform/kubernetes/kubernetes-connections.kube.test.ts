import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createKubeClient, type KubeClient } from '../../../src/platform/kubernetes/client.ts';
import { createListWatch } from '../../../src/platform/kubernetes/list-watch.ts';
import { KubeConnectionError, KubeError } from '../../../src/platform/kubernetes/kube-error.ts';
import { collectionPath } from '../../../src/platform/kubernetes/resource-paths.ts';
import { startFaultProxy, type FaultProxy } from '../fault-proxy.ts';
import { borrowKube, type Kube } from './kube.ts';
import { findKubeBinaries } from './kube-binaries.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/** The number of connections, and how processes find an API server. */

const binaries = await findKubeBinaries();
const run = promisify(execFile);
const CONNECTIONS = 16;
/** Each request takes several milliseconds of a core. A superfluous connection shows after a few dozen. */
const REQUESTS = IS_NIGHTLY ? 1_000 : 200;
const SECRETS = collectionPath('Secret', 'default');

(binaries ? describe : describe.skip)('connections to the API server', () => {
  let kube: Kube;
  let proxy: FaultProxy;
  let client: KubeClient;
  let token: string;
  beforeAll(async () => {
    kube = await borrowKube();
  }, 120_000);
  afterAll(async () => kube?.stop());
  beforeEach(async () => {
    token = kube.token;
    proxy = await startFaultProxy(kube.url);
    client = createKubeClient({
      credentials: {
        server: proxy.through(kube.url),
        tls: { ca: kube.caCert },
        headers: async () => ({ authorization: `Bearer ${token}` }),
        namespace: 'default',
      },
    });
  });
  afterEach(async () => {
    await client.close();
    await proxy.stop();
  });

  const get = () => client.request({ method: 'GET', path: SECRETS });
  const getAll = async (count: number, atOnce: number): Promise<void> => {
    let left = count;
    const worker = async (): Promise<void> => {
      for (; left > 0; left -= 1) await get();
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  test('a watch that ends and goes on stays on its connection', async () => {
    const ends = Promise.withResolvers<void>();
    let watches = 0;
    const counted: Pick<KubeClient, 'request' | 'stream'> = {
      request: client.request,
      stream: (request) => {
        watches += 1;
        if (watches === 2) ends.resolve();
        return client.stream(request);
      },
    };
    const watch = createListWatch({
      client: counted,
      path: SECRETS,
      convert: (raw) => raw,
      sink: { replace: () => undefined, upsert: () => undefined, remove: () => undefined },
      log: pino({ level: 'silent' }),
      random: () => -0.995, // The server ends a watch after about two seconds instead of 300.
    });
    watch.start();
    await watch.synced;
    await ends.promise;
    const made = proxy.made();
    await watch.stop();
    expect(made).toBe(2); // One for the list and one for both watches.
  });

  const openWatches = (count: number, signal: AbortSignal) =>
    Promise.all(
      Array.from({ length: count }, () =>
        client.stream({ path: SECRETS, query: { watch: 'true' }, signal }),
      ),
    );

  test('requests one after the other take two', async () => {
    await getAll(REQUESTS, 1);
    // A second connection is allowed, because the first is not quite free when its answer has been read.
    expect(proxy.made()).toBeLessThanOrEqual(2);
  });

  test('requests at 20 at once take no more than 16', async () => {
    await getAll(REQUESTS, 20);
    expect(proxy.made()).toBeGreaterThan(1);
    expect(proxy.made()).toBeLessThanOrEqual(CONNECTIONS);
  });

  test('watches take none of those for calls, and give theirs back', async () => {
    const abort = new AbortController();
    await openWatches(2 * CONNECTIONS, abort.signal);
    expect(proxy.made()).toBe(2 * CONNECTIONS);
    await getAll(100, 20);
    expect(proxy.made()).toBeLessThanOrEqual(3 * CONNECTIONS);
    const calls = proxy.made() - 2 * CONNECTIONS;
    abort.abort();
    await proxy.until(() => proxy.open() === calls);
    await get();
    expect(proxy.made()).toBe(2 * CONNECTIONS + calls);
  });

  test('that are cut are replaced; the calls that are on one have no answer', async () => {
    await get();
    proxy.refuse();
    await expect(get()).rejects.toBeInstanceOf(KubeConnectionError);
    await expect(get()).rejects.toBeInstanceOf(KubeConnectionError);
    proxy.accept();
    await get();
  });

  test('the token is asked for with each request', async () => {
    await get();
    token = 'expired';
    const refused = get();
    await expect(refused).rejects.toBeInstanceOf(KubeError);
    await expect(refused).rejects.toMatchObject({ code: 401, reason: 'Unauthorized' });
    token = kube.token;
    await get();
  });

  describe('in a process of its own', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'parley-kubeconfig-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    /** Loads credentials, makes a request with them, and prints the packages that were loaded. */
    async function request(input: {
      env?: Record<string, string>;
      service?: { host: string; port: string };
    }): Promise<{ namespace: string; kind: string; packages: string[] }> {
      const source = (name: string): string =>
        new URL(`../../../src/platform/kubernetes/${name}.ts`, import.meta.url).href;
      const { service } = input;
      const code = `
        import { registerHooks } from 'node:module';
        const packages = new Set();
        registerHooks({
          resolve: (specifier, context, next) => {
            const { url } = next(specifier, context);
            const name = /.*\\/node_modules\\/((?:@[^/]*\\/)?[^/]*)/.exec(url);
            if (name) packages.add(name[1]);
            return next(specifier, context);
          },
        });
        const { createKubeClient } = await import('${source('client')}');
        const { loadCredentials } = await import('${source('credentials')}');
        const credentials = await loadCredentials({
          service: ${JSON.stringify(service)},
          nowMs: () => performance.now(),
          serviceAccountFolder: ${JSON.stringify(folder)},
        });
        const client = createKubeClient({ credentials });
        const { kind } = await client.request({ method: 'GET', path: '${SECRETS}' });
        await client.close();
        const { namespace } = credentials;
        console.log(JSON.stringify({ namespace, kind, packages: [...packages] }));`;
      const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...input.env };
      const { stdout } = await run(process.execPath, args, { env });
      return JSON.parse(stdout) as Awaited<ReturnType<typeof request>>;
    }

    const put = async (files: Record<string, string>): Promise<void> => {
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    };

    test('a pod gets in by its service account, without @kubernetes/client-node', async () => {
      await put({ 'ca.crt': kube.caCert, namespace: 'parley-system', token: `${kube.token}\n` });
      const { hostname: host, port } = new URL(proxy.through(kube.url));
      const { namespace, kind, packages } = await request({ service: { host, port } });
      expect({ namespace, kind }).toEqual({ namespace: 'parley-system', kind: 'SecretList' });
      expect(packages).toContain('undici');
      expect(packages).not.toContain('@kubernetes/client-node');
    });

    const execCredential = `{"apiVersion":"client.authentication.k8s.io/v1",
      "kind":"ExecCredential","status":{"token":"%"}}`;
    test.each([
      ['a token', () => ({ token: kube.token })],
      [
        'a command that prints one',
        () => ({
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            interactiveMode: 'Never',
            command: 'sh',
            args: ['-c', `echo '${execCredential.replace('%', kube.token)}'`],
          },
        }),
      ],
    ])('a kubeconfig with %s is read as kubectl reads it', async (_, user) => {
      const cluster = {
        server: `${proxy.through(kube.url)}/`,
        'certificate-authority-data': Buffer.from(kube.caCert).toString('base64'),
      };
      const context = { cluster: 'test', user: 'me', namespace: 'tenant' };
      const config = {
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'here',
        clusters: [{ name: 'test', cluster }],
        contexts: [{ name: 'here', context }],
        users: [{ name: 'me', user: user() }],
      };
      await put({ config: JSON.stringify(config) });
      const { namespace, kind, packages } = await request({
        env: { KUBECONFIG: join(folder, 'config') },
      });
      expect({ namespace, kind }).toEqual({ namespace: 'tenant', kind: 'SecretList' });
      expect(packages).toContain('@kubernetes/client-node');
    });
  });
});
