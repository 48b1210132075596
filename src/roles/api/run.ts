import { hostname } from 'node:os';
import { createApp, type AppDeps } from '../../platform/http/app.ts';
import { serve, type Listening, type ListenOptions } from '../../platform/http/server.ts';
import { createSockets } from '../../platform/http/sockets/sockets.ts';
import { createListener } from '../../platform/postgres/notifications.ts';
import { isAnswering } from '../../platform/postgres/pool.ts';
import type { RoleContext } from '../context.ts';
import { createInfrastructure, type InfrastructureOptions } from './infrastructure.ts';
import { createModules, routesOf, type ModuleOptions } from './modules.ts';
import type { Conversing } from './modules/conversations.ts';
import { mergeListeners } from './modules/module.ts';

export type ApiRoleDeps = RoleContext &
  ListenOptions &
  InfrastructureOptions &
  ModuleOptions &
  Pick<
    AppDeps,
    'serveHealth' | 'corsOrigins' | 'dashboardFolder' | 'widgetFolder' | 'stalledMs'
  > & {
    /** Maximum time in ms for which a shutdown waits for active calls. By default, it does not wait. */
    callDrainMs?: number | undefined;
    /** Base URL of the links in events; default: the listening address. */
    baseUrl?: string | undefined;
  };

/** A running API. `conversations` contains the conversation services of this process, which HTTP requests also use. */
export type RunningApi = Listening & { conversations: Conversing };

type Stops = { stop?: () => Promise<void> };

/** Starts the API role. Resolves once it serves requests. @throws StartupError if the port is taken */
export async function runApi(deps: ApiRoleDeps): Promise<RunningApi> {
  const { databaseUrl, pool, log } = deps;
  let baseUrl = deps.baseUrl ?? '';
  const infrastructure = createInfrastructure(deps, {
    store: deps.store,
    kinds: deps.kinds,
    projectionWaitMs: deps.projectionWaitMs,
    baseUrl: () => baseUrl,
    publicUrl: deps.baseUrl,
  });
  const modules = createModules(infrastructure, deps);
  const { all, access, calls, conversations } = modules;
  const jobs = all.flatMap((module) => module.jobs ?? []);

  const channels = mergeListeners(all.flatMap(({ listeners }) => listeners ?? []));
  const listener = createListener({ databaseUrl, channels, log });
  await listener.start();
  const sockets = createSockets(
    all.flatMap((module) => module.sockets ?? []),
    { log },
  );
  const app = createApp({
    ...deps,
    nowMs: infrastructure.nowMs,
    inFlight: infrastructure.inFlight,
    authenticate: access.authenticate,
    authenticateSession: access.authenticateSession,
    watchCaller: access.watchCaller,
    rateLimits: access.rateLimits,
    isReady: () => isAnswering(pool),
    routes: routesOf(modules),
    pages: all.flatMap(({ pages }) => pages ?? []),
  });

  const others = all.filter((module) => module !== access);
  const close = async (): Promise<void> => {
    await stopEach([listener, ...others]);
    await access.stop();
    await infrastructure.notifier.stop();
    await infrastructure.batchPool.end();
  };
  const server = await serve(app, { ...deps, upgrade: sockets.upgrade }).catch(
    async (error: unknown) => {
      await close();
      throw error;
    },
  );
  const stop = async (): Promise<void> => {
    // Active calls stay with this process until they end or the drain time is over; new calls go to other processes.
    await calls.lines.drain(deps.callDrainMs ?? 0);
    // The streams stop before the server, because the server waits for open responses.
    sockets.stop();
    for (const { closeStreams } of all) closeStreams?.();
    await Promise.all([server.stop(), conversations.stopTurns()]);
    await stopEach(jobs);
    await conversations.stopJudge();
    await close();
  };
  if (baseUrl === '') baseUrl = linkBase(deps.host, server);
  for (const job of jobs) job.start();
  let stopping: Promise<void> | undefined;
  return {
    ...server,
    stop: () => (stopping ??= stop()),
    conversations: conversations.conversing,
  };
}

async function stopEach(parts: readonly Stops[]): Promise<void> {
  await Promise.all(parts.map(async (part) => part.stop?.()));
}

/**
 * Returns the base URL that others can use. Nobody can connect to a wildcard address such as 0.0.0.0, so the machine's
 * host name replaces it. The host name may be wrong; `PARLEY_BASE_URL` overrides it.
 */
function linkBase(host: string, { url, port }: Listening): string {
  return host === '0.0.0.0' || host === '::' ? `http://${hostname()}:${port}` : url;
}
