import path from 'node:path';
import { userInfo } from 'node:os';
import { epochMs, monotonicMs } from '../clock.ts';
import { runApi } from '../roles/api/run.ts';
import { readVersion } from '../platform/observability/version.ts';
import { createContext, type Context } from '../roles/context.ts';
import { migrateDatabase } from '../roles/migrate-database.ts';
import { createPostgresDeclarations } from '../roles/postgres-declarations.ts';
import { stopOnSignals } from '../roles/shutdown.ts';
import { notUsed, type Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import type { Attempt } from '../webhooks/delivery/attempt.ts';
import { runDelivery } from '../roles/delivery/run.ts';
import { fromUuid } from '../ids.ts';
import { createLogger, type Logger } from '../platform/observability/logger.ts';
import { startTracing } from '../platform/observability/tracing.ts';
import { startWatchdog } from '../platform/observability/watchdog.ts';
import { runOperator } from '../roles/operator/run.ts';
import { addGivenKey } from '../access/manage-keys.ts';
import { findApiKey, newKeyText } from '../access/api-keys.sql.ts';
import { SCOPES } from '../platform/http/authorize.ts';
import { releaseCallLeases } from '../calls/claims.sql.ts';
import type { ClaimedDelivery } from '../webhooks/queue/dispatch-queue.ts';
import { assertDurable } from '../platform/postgres/durability.ts';
import { removeDemo, startDemo } from './demo.ts';
import { createEmbeddedPostgres } from './postgres/embedded-postgres.ts';
import { ownFolder } from './postgres/owner.ts';
import { readLocalSecrets, replaceApiKey } from './local-secrets.ts';
import { createManifestFolder } from '../platform/manifests/folder.ts';
import { startSample } from './sample-conversation.ts';
import { startSampleShop, type SampleShop } from './sample-shop.ts';
import { SHOP_HOST } from './demo-shop.ts';
import type { ResourceStore } from '../platform/resources/resource-store.ts';
import { createScreen, type Screen } from './screen.ts';
import { isSessionName, makeSignInToken } from '../access/sign-in.ts';
import type { Pool } from '../platform/postgres/pool.ts';

type Stop = () => Promise<void>;

/**
 * Local addresses that outgoing requests may reach by default: loopback, where the demo receiver listens, and the demo
 * shop under the host name that it has in a cluster.
 */
const REACHABLE = ['127.0.0.0/8', '::1/128', SHOP_HOST];
const DEFAULT_PORT = 8080;
const POOL_MAX = 24;
const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');

const NO_CLUSTER =
  'PARLEY_STORE=kubernetes does not work with `parley start`, which stores declarations in PostgreSQL: unset it, or ' +
  'run operator, api and delivery with a cluster, as the Helm chart does';

/**
 * Runs `parley start`: every role in one process, with the same `run` functions as in pods. It uses its own PostgreSQL
 * (or DATABASE_URL), a folder of manifests and a demo receiver. At shutdown, the parts are stopped in reverse order.
 */
export async function runStart(config: Config): Promise<void> {
  if (config.store === 'kubernetes') throw new StartupError(NO_CLUSTER);
  const stops: Stop[] = [];
  const stopAll: Stop = async () => {
    for (const stop of stops.toReversed()) await stop();
  };
  const stopOnce = once(stopAll);
  stopOnSignals(stopOnce);
  try {
    await startAll(config, stops);
  } catch (error) {
    await stopOnce();
    throw error;
  }
}

async function startAll(config: Config, stops: Stop[]): Promise<void> {
  const dataDir = path.resolve(config.dataDir);
  const log = createLogger(config.logLevel ?? 'warn', 'start');
  const screen = createScreen({
    write: (text) => process.stderr.write(text),
    colors: process.stderr.isTTY,
    now: () => new Date(epochMs()),
  });
  const about = { role: 'start', version: readVersion(), log };
  stops.push((await startTracing(config.tracing, about)).stop);
  const databaseUrl = config.databaseUrl ?? (await startDatabase({ dataDir, log, screen, stops }));
  if (config.databaseUrl !== undefined) {
    // Even with an external database, no other process may use the folder, because it contains the keys of this
    // process.
    stops.push(await ownFolder(dataDir));
    await assertDurable(databaseUrl, log);
  }
  const secrets = await readLocalSecrets(dataDir, newKeyText);
  await migrateDatabase({ databaseUrl, log });
  const egressAllow = config.egressAllow ?? REACHABLE;
  const context = createContext({
    role: 'start',
    databaseUrl,
    egressAllow,
    proxyVariables: config.proxyVariables,
    apiServer: config.kubernetesService?.host,
    poolMax: POOL_MAX,
    encryptionKey: config.encryptionKey ?? secrets.encryptionKey,
    previousEncryptionKey: config.previousEncryptionKey,
    logLevel: config.logLevel ?? 'warn',
    limits: config.limits,
    retention: config.retention,
    model: config.model,
  });
  stops.push(context.close);
  context.guard.setOwnPorts([databasePort(databaseUrl), config.port ?? DEFAULT_PORT]);
  const apiKey = await ensureApiKey({ config, context, dataDir, apiKey: secrets.apiKey });
  // With the embedded database, no other process handles calls. The call leases of the last run are therefore released
  // immediately instead of when they expire.
  if (config.databaseUrl === undefined) await releaseCallLeases(context.pool);
  await startRoles({ config, context, screen, stops, dataDir, apiKey, egressAllow, databaseUrl });
}

/**
 * Returns the port of PostgreSQL. Requests to tenants' URLs must not reach this port on this machine. If PostgreSQL
 * runs on another machine, blocking the same port here does no harm.
 */
function databasePort(databaseUrl: string): number {
  return Number((URL.canParse(databaseUrl) && new URL(databaseUrl).port) || 5432);
}

/**
 * Returns the API key to show. Replaces the stored key if it was revoked or has expired, so that the key shown works.
 */
async function ensureApiKey(deps: {
  config: Config;
  context: Context;
  dataDir: string;
  apiKey: string;
}): Promise<string> {
  const { config, context, dataDir } = deps;
  const register = async (text: string): Promise<boolean> => {
    const key = { namespace: 'default', name: 'first', scopes: SCOPES, text };
    await addGivenKey(context, 'environment', key);
    return (await findApiKey(context.pool, text)) !== undefined;
  };
  if (config.apiKey !== undefined) {
    if (await register(config.apiKey)) return config.apiKey;
    throw new StartupError('PARLEY_API_KEY was revoked or has expired: set another one');
  }
  if (await register(deps.apiKey)) return deps.apiKey;
  const another = await replaceApiKey(dataDir, newKeyText);
  await register(another);
  return another;
}

async function startDatabase(deps: {
  dataDir: string;
  log: Logger;
  screen: Screen;
  stops: Stop[];
}): Promise<string> {
  const postgres = createEmbeddedPostgres({
    dataDir: deps.dataDir,
    log: deps.log,
    onDown: () => deps.screen.note('PostgreSQL exited unexpectedly; restarting it'),
    onUp: () => deps.screen.note('PostgreSQL is running again'),
  });
  deps.stops.push(postgres.stop);
  return (await postgres.start()).url;
}

async function openShop({ model }: Config, stops: Stop[]): Promise<SampleShop> {
  const shop = await startSampleShop({ model: model !== undefined });
  stops.push(shop.stop);
  return shop;
}

type Started = {
  config: Config;
  context: Context;
  screen: Screen;
  stops: Stop[];
  dataDir: string;
  apiKey: string;
  egressAllow: readonly string[];
  databaseUrl: string;
};

async function startRoles(deps: Started): Promise<void> {
  const { config, context, screen, stops } = deps;
  const declarations = createPostgresDeclarations(context);
  const { store } = declarations;
  stops.push(store.stop);
  await store.start();
  const names = createEndpointNames(context);
  const delivery = await runDelivery({ ...context, onAttempt: printAttempts(screen, names) });
  stops.push(delivery.stop);
  const folder = config.manifests ?? EXAMPLES;
  const hasSamples = config.demo && path.resolve(folder) === EXAMPLES;
  const shop = hasSamples ? await openShop(config, stops) : undefined;
  const isSample = shop?.sampleModel?.isFor;
  const operator = await runOperator({ ...context, ...declarations, isSample });
  stops.push(operator.stop);
  const api = await openApi(deps, { store, shop });
  stops.push(api.stop);
  let demoSecret: string | undefined;
  if (config.demo) {
    const demo = await startDemo(store);
    demoSecret = demo.secret;
    stops.push(demo.stop);
  } else await removeDemo(store);
  const dashboard = await signInLink(context.pool, deps.apiKey, config.baseUrl ?? api.url);
  screen.welcome({
    version: readVersion(),
    url: api.url,
    dashboard,
    apiKey: deps.apiKey,
    demoSecret,
    dataDir: relative(deps.dataDir),
    database: config.databaseUrl === undefined ? 'embedded' : 'external',
    manifests: relative(folder),
    egressAllow: deps.egressAllow,
    model: config.model && { name: config.model.model, url: config.model.url },
  });
  const notes = [...notUsed(config, { hasCluster: false }), ...(shop?.notes ?? [])];
  for (const line of notes) screen.note(line);
  const manifests = createManifestFolder({ ...declarations, folder, report: screen.manifest });
  stops.push(manifests.stop);
  await manifests.start();
  if (!process.stdout.isTTY) {
    const line = { ready: true, url: api.url, api_key: deps.apiKey, dashboard };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
  if (hasSamples) {
    const about = { apiKey: deps.apiKey, hasShop: shop?.lookup !== undefined, note: screen.note };
    stops.push(startSample({ ...context, store, api, ...about }).stop);
  }
  stops.push((await startWatchdog(context)).stop);
}

/** Opens the API with the dashboard, metrics and health, on a port that outgoing requests cannot reach. */
async function openApi(
  { config, context, databaseUrl }: Pick<Started, 'config' | 'context' | 'databaseUrl'>,
  { store, shop }: { store: ResourceStore; shop: SampleShop | undefined },
): ReturnType<typeof runApi> {
  const api = await runApi({
    ...context,
    ...(shop && { lookup: shop.lookup, sampleModel: shop.sampleModel }),
    store,
    host: config.host ?? '127.0.0.1',
    port: config.port ?? DEFAULT_PORT,
    fallbackToFreePort: config.port === undefined,
    serveHealth: true,
    baseUrl: config.baseUrl,
    rateLimit: config.rateLimit ?? 0,
    corsOrigins: config.corsOrigins,
    callDrainMs: (config.callDrainSec ?? 0) * 1_000,
  });
  // Requests to tenants' URLs come from this machine, so they must not reach PostgreSQL or the API on it. The API's
  // port also serves metrics and events of all namespaces.
  context.guard.setOwnPorts([databasePort(databaseUrl), Number(new URL(api.url).port || 80)]);
  return api;
}

type EndpointNames = (delivery: ClaimedDelivery) => Promise<{ name: string; demo: boolean }>;

/** Returns a function that looks up endpoint names for the screen. Each name is read once and cached. */
function createEndpointNames({ pool }: Context): EndpointNames {
  const known = new Map<string, { name: string; demo: boolean }>();
  return async ({ endpointId, namespace }) => {
    const remembered = known.get(endpointId);
    if (remembered) return remembered;
    const { readEndpoint } = await import('../webhooks/endpoints/webhook-endpoints.sql.ts');
    const row = await readEndpoint(pool, { namespace, id: endpointId });
    const found = { name: row?.name ?? endpointId, demo: row?.metadata['demo'] === 'true' };
    known.set(endpointId, found);
    return found;
  };
}

/**
 * Maximum number of output lines per second. Further events are only counted, because a higher rate means a load test
 * and not a demonstration.
 */
const LINES_PER_SECOND_MAX = 20;

function printAttempts(
  screen: Screen,
  names: EndpointNames,
): (delivery: ClaimedDelivery, attempt: Attempt) => void {
  let second = 0;
  let lines = 0;
  let hidden = 0;
  return (delivery, { result }) => {
    const now = Math.floor(monotonicMs() / 1_000);
    if (now !== second) {
      if (hidden > 0) screen.note(`… and ${hidden} more attempts`);
      [second, lines, hidden] = [now, 0, 0];
    }
    if (lines >= LINES_PER_SECOND_MAX) {
      hidden += 1;
      return;
    }
    lines += 1;
    void names(delivery)
      .catch(() => ({ name: fromUuid('we', delivery.endpointId), demo: false }))
      .then(({ name, demo }) =>
        screen.delivery({
          eventType: delivery.eventType,
          eventId: fromUuid('evt', delivery.eventId),
          endpoint: name,
          attempt: delivery.attempt,
          statusCode: result.statusCode,
          errorClass: result.errorClass,
          durationMs: result.durationMs,
          verified: demo && result.statusCode !== null ? result.statusCode === 200 : undefined,
          retryInSec:
            result.nextOffsetMs === null
              ? null
              : Math.max(0, Math.round((result.nextOffsetMs - delivery.ageMs) / 1_000)),
        }),
      );
  };
}

/** Returns the relative path of a folder inside the working directory. Other paths stay unchanged. */
function relative(folder: string): string {
  const below = path.relative(process.cwd(), folder);
  return below.startsWith('..') || below === '' ? folder : below;
}

function once(stop: Stop): Stop {
  let running: Promise<void> | undefined;
  return () => (running ??= stop());
}

/**
 * Returns a link to the dashboard that signs in the user of this machine once (contract/running.md#start). The token is
 * in the fragment, which browsers do not send, so it appears in no log or proxy.
 */
async function signInLink(pool: Pool, apiKey: string, baseUrl: string): Promise<string> {
  const key = await findApiKey(pool, apiKey);
  if (!key) throw new Error('the API key became invalid before its sign-in link was created');
  const { id: keyId, namespace } = key;
  const token = await makeSignInToken({ pool }, { namespace, keyId, name: nameOfUser() });
  return `${baseUrl}/#sign-in=${token}`;
}

/** Returns the user's name, or `local` if the user has no name, as in some containers. */
function nameOfUser(): string {
  try {
    const { username } = userInfo();
    return isSessionName(username) ? username : 'local';
  } catch {
    return 'local';
  }
}
