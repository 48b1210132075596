import { runApi } from '../api/run.ts';
import type { Config } from '../config.ts';
import { runDelivery } from '../delivery/run.ts';
import { StartupError } from '../errors.ts';
import { runHealthServer } from '../observability/health.ts';
import { runOperator } from '../operator/run.ts';
import { runManifests } from '../standalone/manifests/run.ts';
import { insertApiKey, SCOPES } from '../store/api-keys.ts';
import { assertMigrated } from '../store/migrate.ts';
import { isAnswering } from '../store/ping.ts';
import { createContext, requireRoleConfig, type Context } from '../runtime/context.ts';
import { stopOnSignals } from '../runtime/shutdown.ts';

export type Role = 'operator' | 'api' | 'delivery';
type Stoppable = { stop: () => Promise<void> };

const POOL_MAX = { operator: 10, api: 20, delivery: 10 } as const;
const DEFAULT_PORT = 8080;

/** One role in a process of its own, as in a pod. */
export async function runRole(role: Role, config: Config): Promise<void> {
  const { databaseUrl, encryptionKey } = requireRoleConfig(config);
  if (config.store !== 'postgres') {
    throw new StartupError('PARLEY_STORE: only postgres works in this version; set it to that');
  }
  await assertMigrated(databaseUrl);
  const context = createContext({
    role,
    databaseUrl,
    encryptionKey,
    egressAllow: config.egressAllow ?? [],
    logLevel: config.logLevel ?? 'info',
    poolMax: POOL_MAX[role],
  });
  await context.store.start();
  const parts: Stoppable[] = await startParts(role, config, context);
  parts.push(
    await runHealthServer({
      port: config.metricsPort,
      host: config.host ?? '0.0.0.0',
      metrics: context.metrics,
      log: context.log,
      isReady: () => isAnswering(context.pool),
    }),
  );
  stopOnSignals(async () => {
    for (const part of parts) await part.stop();
    await context.close();
  });
  context.log.info('ready');
}

async function startParts(role: Role, config: Config, context: Context): Promise<Stoppable[]> {
  switch (role) {
    case 'delivery':
      return [await runDelivery(context)];
    case 'operator': {
      const operator = await runOperator(context);
      if (config.manifests === undefined) return [operator];
      return [await runManifests({ ...context, folder: config.manifests }), operator];
    }
    case 'api': {
      if (config.apiKey !== undefined) {
        const key = { namespace: 'default', scopes: SCOPES, text: config.apiKey };
        await insertApiKey(context.pool, key);
      }
      const host = config.host ?? '0.0.0.0';
      const port = config.port ?? DEFAULT_PORT;
      const options = { fallbackToFreePort: false, serveHealth: false };
      return [await runApi({ ...context, host, port, ...options })];
    }
    default:
      return role satisfies never;
  }
}
