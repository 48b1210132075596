import { StartupError } from '../errors.ts';
import { notUsed, type Config } from '../config.ts';
import { runHealthServer } from '../platform/observability/health.ts';
import { createLogger } from '../platform/observability/logger.ts';
import { startTracing } from '../platform/observability/tracing.ts';
import { startWatchdog } from '../platform/observability/watchdog.ts';
import { maintainPartitions } from '../webhooks/queue/partitions.sql.ts';
import { readVersion } from '../platform/observability/version.ts';
import { createContext, requireRoleConfig, type Context } from '../roles/context.ts';
import { stopOnSignals } from '../roles/shutdown.ts';
import { assertDurable } from '../platform/postgres/durability.ts';
import { assertMigrated } from '../platform/postgres/migrate.ts';
import { isAnswering } from '../platform/postgres/pool.ts';

export type Role = 'operator' | 'api' | 'delivery';
type Stop = () => Promise<void>;
/** Result of starting a role. `stops` has one function for each part of the role; they are called in reverse order. */
type Started = { stops: Stop[]; isReady?: () => boolean };

const POOL_MAX = { operator: 10, api: 20, delivery: 10 } as const;
const DEFAULT_PORT = 8080;
/** Default limit of requests per minute for one API key. */
const RATE_LIMIT = 6_000;
/**
 * Default drain time for calls in seconds, which is longer than most calls. The Helm chart gives pods the same time to
 * stop.
 */
const CALL_DRAIN_SEC = 600;

/**
 * Runs one role in its own process, as in a pod. Each role imports only its own code: a delivery process loads neither
 * the API nor the Kubernetes code.
 */
export async function runRole(role: Role, config: Config): Promise<void> {
  const { databaseUrl, encryptionKey } = requireRoleConfig(config);
  await assertMigrated(databaseUrl);
  const log = createLogger(config.logLevel ?? 'info', role);
  await assertDurable(databaseUrl, log);
  const hasCluster = config.store !== 'postgres';
  for (const line of notUsed(config, { hasCluster })) log.warn(line);
  const tracing = await startTracing(config.tracing, { role, version: readVersion(), log });
  const context = createContext({
    role,
    databaseUrl,
    encryptionKey,
    previousEncryptionKey: config.previousEncryptionKey,
    egressAllow: config.egressAllow ?? [],
    proxyVariables: config.proxyVariables,
    apiServer: config.kubernetesService?.host,
    logLevel: config.logLevel ?? 'info',
    limits: config.limits,
    retention: config.retention,
    model: config.model,
    poolMax: POOL_MAX[role],
  });
  // Roles that write events need the daily partitions of the event tables. `parley start` does not need this, because
  // its migration creates them.
  await maintainPartitions(context.pool, undefined, null);
  const { stops, isReady = () => true } = await START[role](config, context);
  const health = await runHealthServer({
    port: config.metricsPort,
    host: config.host ?? '0.0.0.0',
    metrics: context.metrics,
    log: context.log,
    isReady: async () => isReady() && (await isAnswering(context.pool)),
  });
  const watchdog = await startWatchdog(context);
  stopOnSignals(async () => {
    for (const stop of [watchdog.stop, health.stop, ...stops.toReversed()]) await stop();
    await context.close();
    await tracing.stop();
  }, callDrainMs(config));
  context.log.info('ready');
}

const START: Record<Role, (config: Config, context: Context) => Promise<Started>> = {
  delivery: async (_config, context) => {
    const { runDelivery } = await import('../roles/delivery/run.ts');
    return { stops: [(await runDelivery(context)).stop] };
  },
  operator: (config, context) =>
    config.store === 'postgres'
      ? startLocalOperator(config, context)
      : startOperator(config, context),
  api: startApi,
};

async function startOperator(config: Config, context: Context): Promise<Started> {
  if (config.manifests !== undefined) {
    throw new StartupError(
      'PARLEY_MANIFESTS is not supported with a cluster: use kubectl apply -f',
    );
  }
  const declarations = await kubernetes(config, context);
  const { runOperator } = await import('../roles/operator/run.ts');
  const operator = await runOperator({ ...context, ...declarations });
  return { stops: [declarations.close, operator.stop], isReady: operator.isReady };
}

async function startLocalOperator(config: Config, context: Context): Promise<Started> {
  const { createPostgresDeclarations } = await import('../roles/postgres-declarations.ts');
  const declarations = createPostgresDeclarations(context);
  await declarations.store.start();
  const { runOperator } = await import('../roles/operator/run.ts');
  const operator = await runOperator({ ...context, ...declarations });
  const stops = [declarations.store.stop, operator.stop];
  if (config.manifests !== undefined) {
    const { createManifestFolder } = await import('../platform/manifests/folder.ts');
    const manifests = createManifestFolder({
      ...declarations,
      folder: config.manifests,
      report: ({ level, text }) => context.log[level](text),
    });
    await manifests.start();
    stops.push(manifests.stop);
  }
  return { stops, isReady: operator.isReady };
}

async function startApi(config: Config, context: Context): Promise<Started> {
  const [{ runApi }, { addGivenKey }, { SCOPES }] = await Promise.all([
    import('../roles/api/run.ts'),
    import('../access/manage-keys.ts'),
    import('../platform/http/authorize.ts'),
  ]);
  if (config.apiKey !== undefined) {
    const name = 'PARLEY_API_KEY';
    const key = { namespace: config.apiKeyNamespace, name, scopes: SCOPES, text: config.apiKey };
    await addGivenKey(context, 'environment', key);
  }
  const { store, stop } = await startStore(config, context);
  const api = await runApi({
    ...context,
    store,
    host: config.host ?? '0.0.0.0',
    port: config.port ?? DEFAULT_PORT,
    fallbackToFreePort: false,
    serveHealth: false,
    baseUrl: config.baseUrl,
    rateLimit: config.rateLimit ?? RATE_LIMIT,
    corsOrigins: config.corsOrigins,
    callDrainMs: callDrainMs(config),
  });
  return { stops: [stop, api.stop] };
}

const callDrainMs = ({ callDrainSec = CALL_DRAIN_SEC }: Config): number => callDrainSec * 1_000;

/**
 * Opens the store of declarations. The API reads and writes individual objects, so it needs neither a watch nor a
 * cache.
 */
async function startStore(config: Config, context: Context) {
  if (config.store !== 'postgres') {
    const { store, close } = await kubernetes(config, context);
    return { store, stop: close };
  }
  const { createPostgresDeclarations } = await import('../roles/postgres-declarations.ts');
  const { store } = createPostgresDeclarations(context);
  await store.start();
  return { store, stop: store.stop };
}

async function kubernetes(config: Config, context: Context) {
  const { createKubernetesDeclarations } = await import('../roles/kubernetes-declarations.ts');
  return createKubernetesDeclarations(config, context);
}
