import { createListWatch } from '../../src/platform/kubernetes/list-watch.ts';
import { collectionPath } from '../../src/platform/kubernetes/resource-paths.ts';
import { createKubernetesResourceStore } from '../../src/platform/kubernetes/resource-store.ts';
import { createContext, type Context } from '../../src/roles/context.ts';
import {
  createPostgresDeclarations,
  type PostgresDeclarations,
} from '../../src/roles/postgres-declarations.ts';
import { runDelivery, type DeliveryRoleDeps } from '../../src/roles/delivery/run.ts';
import type { OperatorRoleDeps } from '../../src/roles/operator/operator-deps.ts';
import { runOperator, type Operator } from '../../src/roles/operator/run.ts';
import { KINDS, type Kind } from '../../src/roles/kinds.ts';
import { signingSecretName } from '../../src/platform/reconcile/references.ts';
import { SIGNING_SECRET_KEY } from '../../src/webhooks/endpoints/webhook-endpoint.ts';
import type { Resource, ResourceStore } from '../../src/platform/resources/resource-store.ts';
import { CHANNELS, createListener } from '../../src/platform/postgres/notifications.ts';
import { maintainPartitions } from '../../src/webhooks/queue/partitions.sql.ts';
import { borrowKube, type Kube } from '../platform/kubernetes/kube.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';

/** Operator and delivery, started by their own `run` functions on a database that only this test uses. */
export type Engine = Context &
  Omit<PostgresDeclarations, 'store'> & {
    store: ResourceStore;
    /** Returns a store like that of another process. In Kubernetes, it has its own watches and cache. */
    newStore: () => ResourceStore;
    /** Kubernetes, if it is the store of declarations. */
    cluster: Kube | undefined;
    /** Creates a namespace other than `default`. Call it before declaring anything there. */
    makeNamespace: (namespace: string) => Promise<void>;
    /** Removes all declarations. Watches that start afterwards never report them. */
    emptyStore: () => Promise<void>;
    startOperator: (
      options?: Partial<
        Pick<
          OperatorRoleDeps,
          | 'store'
          | 'elect'
          | 'record'
          | 'limits'
          | 'quotaRetryMs'
          | 'probes'
          | 'modelSettings'
          | 'fetchers'
          | 'syncTimes'
        >
      >,
    ) => Promise<Operator>;
    startDelivery: (
      options?: Partial<Pick<DeliveryRoleDeps, 'onAttempt' | 'log' | 'databaseUrl'>>,
    ) => Promise<{ stop: () => Promise<void> }>;
    /** Declares an endpoint as Kubernetes users do, and returns its signing secret. */
    declareEndpoint: (
      name: string,
      spec: Record<string, unknown>,
      namespace?: string,
    ) => Promise<string>;
    declareAgent: (
      name: string,
      spec: Record<string, unknown>,
      fieldManager?: string,
      namespace?: string,
    ) => Promise<void>;
    /** Resolves once the operator has reconciled the current declaration of the object. */
    settled: (kind: string, name: string, namespace?: string) => Promise<Resource>;
    /**
     * Resolves to the first result that is neither undefined nor false. Calls `check` again whenever something was
     * declared, projected or delivered. Rejects after 30 s with the result of `what`.
     */
    eventually: <T>(
      check: () => Promise<T | undefined | false>,
      what?: () => unknown,
    ) => Promise<T>;
    /** Calls `wake` after each projection, until the returned function is called. */
    onProjected: (wake: (items: readonly string[]) => void) => () => void;
    stop: () => Promise<void>;
  };

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Both stores of declarations, with the same guarantees. */
export const STORES = ['postgres', 'kubernetes'] as const;
export type StoreName = (typeof STORES)[number];

/** One API server for all tests of a file. Each test removes its own objects. */
let kube: Promise<Kube> | undefined;

/** Returns a borrowed API server, or stops the file's own one. test/setup/kube-file.ts calls this after each file. */
export async function releaseKube(): Promise<void> {
  const held = kube;
  kube = undefined;
  await (await held)?.stop();
}

/**
 * @param storeName store of the declarations
 * @param kinds kinds of the validator and the operator
 * @param getKube `startKube` for files whose changes to the API server would affect other files
 */
export async function startEngine(
  storeName: StoreName = 'postgres',
  getKube: () => Promise<Kube> = borrowKube,
  kinds: readonly Kind[] = KINDS,
): Promise<Engine> {
  const database = await createTestDatabase();
  const context = createContext({
    role: 'test',
    databaseUrl: database.url,
    encryptionKey: Buffer.alloc(32, 1),
    // Only decrypts secrets and never encrypts them. reseal.pg.test.ts changes to this key.
    previousEncryptionKey: Buffer.alloc(32, 2),
    egressAllow: ['127.0.0.0/8', '::1/128'],
    logLevel: process.env['PARLEY_LOG_LEVEL'] ?? 'error',
    poolMax: 5,
  });
  await maintainPartitions(context.pool, Date.now());
  const local = createPostgresDeclarations({ ...context, kinds });
  await local.store.start();
  const cluster = storeName === 'kubernetes' ? await (kube ??= getKube()) : undefined;
  const newStore = (): ResourceStore =>
    cluster
      ? createKubernetesResourceStore({ client: cluster.client, log: context.log })
      : local.store;
  const declarations = { ...local, store: newStore() };
  const running: { stop: () => Promise<void> }[] = [];
  const wakers = new Set<() => void>();
  const wakeAll = (): void => wakers.forEach((wake) => wake());
  const listener = createListener({
    databaseUrl: database.url,
    channels: Object.fromEntries(Object.values(CHANNELS).map((channel) => [channel, wakeAll])),
    log: context.log,
  });
  await listener.start();
  const following = cluster ? followKinds(cluster, context, wakeAll) : [];
  return {
    ...context,
    ...declarations,
    newStore,
    cluster,
    makeNamespace: async (namespace) => cluster?.makeNamespace(namespace),
    emptyStore: async () => {
      if (cluster) await cluster.deleteAll();
      else await context.pool.query('delete from resources');
    },
    eventually: (check, what) => eventually({ wakers, check, what }),
    onProjected: (wake) => {
      const waker = (): void => wake(['*']);
      wakers.add(waker);
      return () => wakers.delete(waker);
    },
    startOperator: async (options = {}) => {
      const operator = await runOperator({
        ...context,
        ...local,
        kinds,
        store: newStore(),
        ...options,
      });
      running.push(operator);
      return operator;
    },
    startDelivery: async (options = {}) => {
      const delivery = await runDelivery({ ...context, ...options });
      running.push(delivery);
      return delivery;
    },
    declareEndpoint: async (name, spec, namespace = 'default') => {
      const secret = { namespace, name: signingSecretName(name) };
      await declarations.store.apply(
        {
          kind: 'Secret',
          ...secret,
          labels: { 'parley.dev/allow': 'true' },
          spec: { data: { [SIGNING_SECRET_KEY]: SECRET } },
        },
        { fieldManager: 'kubectl' },
      );
      await declarations.store.apply(
        { kind: 'WebhookEndpoint', namespace, name, spec },
        { fieldManager: 'kubectl' },
      );
      return SECRET;
    },
    declareAgent: async (name, spec, fieldManager = 'kubectl', namespace = 'default') => {
      await declarations.store.apply({ kind: 'Agent', namespace, name, spec }, { fieldManager });
    },
    settled: (kind, name, namespace = 'default') => {
      const read = () => declarations.store.get(kind, { namespace, name });
      const check = async (): Promise<Resource | undefined> => {
        const object = await read();
        const seen = object?.status['observedGeneration'];
        return object && seen === object.metadata.generation ? object : undefined;
      };
      return eventually({ wakers, check, what: read });
    },
    stop: async () => {
      for (const part of running.toReversed()) await part.stop();
      await Promise.all(following.map((one) => one.stop()));
      await listener.stop();
      await local.store.stop();
      await cluster?.deleteAll();
      await context.close();
      await database.drop();
    },
  };
}

/** Watches all kinds, because the operator writes a status after the row that NOTIFY announces. */
function followKinds({ client }: Kube, { log }: Context, wake: () => void) {
  return KINDS.map(({ kind }) => {
    const sink = { replace: wake, upsert: wake, remove: wake };
    const path = collectionPath(kind);
    const following = createListWatch({ client, path, convert: (raw) => raw, sink, log });
    following.start();
    return following;
  });
}

const EVENTUALLY_MS = 30_000;
/** Interval in ms of checks, in case a wake-up is lost. The database announces everything that tests wait for. */
const LOOK_AGAIN_MS = 200;

async function eventually<T>(deps: {
  wakers: Set<() => void>;
  check: () => Promise<T | undefined | false>;
  what: (() => unknown) | undefined;
}): Promise<T> {
  const endMs = performance.now() + EVENTUALLY_MS;
  let wake = (): void => undefined;
  let woken = false;
  const waker = (): void => {
    woken = true;
    wake();
  };
  deps.wakers.add(waker);
  try {
    for (;;) {
      woken = false;
      const answer = await deps.check();
      if (answer !== undefined && answer !== false) return answer;
      if (performance.now() > endMs) {
        throw new Error(
          `waited in vain: ${JSON.stringify((await deps.what?.()) ?? String(deps.check))}`,
        );
      }
      if (woken) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_AGAIN_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    deps.wakers.delete(waker);
  }
}
