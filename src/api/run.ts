import { hostname } from 'node:os';
import { createPeriodic } from '../controller/periodic.ts';
import { createExtractiveResponder } from '../conversation/extractive-responder.ts';
import { createReaper } from '../conversation/reaper.ts';
import { createTakeTurn, type TakeTurn } from '../conversation/take-turn.ts';
import type { AddressGuard } from '../egress/address-guard.ts';
import { chunkText } from '../knowledge/chunk.ts';
import type { Metrics } from '../observability/metrics.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import { createAuthenticate } from '../services/authenticate.ts';
import { createAwaitProjection } from '../services/await-projection.ts';
import type { ConversationDeps } from '../services/conversation-deps.ts';
import { createAnnounce } from '../services/emit-event.ts';
import { createEventStreams } from '../services/event-stream.ts';
import { forgetOldMarks } from '../services/idempotency.ts';
import { createKeyUse } from '../services/key-use.ts';
import { runReplayJobs } from '../services/run-replay-jobs.ts';
import { createCallPlayer } from '../telephony/play-calls.ts';
import { hangUpLine, PROVIDERS } from '../telephony/providers.ts';
import { CHANNELS, createListener, createNotifier } from '../store/notifications.ts';
import { isAnswering } from '../store/ping.ts';
import type { Pool } from '../store/pool.ts';
import type { Sealer } from '../store/sealing.ts';
import { createApp } from './app.ts';
import { serve, type Listening, type ListenOptions } from './server.ts';

export type ApiRoleDeps = ListenOptions & {
  pool: Pool;
  databaseUrl: string;
  store: ResourceStore;
  guard: AddressGuard;
  sealer: Sealer;
  metrics: Metrics;
  version: string;
  /** With `/metrics`, `/healthz` and `/readyz` on the same port, as `start` has them. */
  serveHealth: boolean;
  /** Requests a minute for one API key; 0: no limit. */
  rateLimit: number;
  /** Begins the links that events carry; undefined: where it listens. */
  baseUrl?: string | undefined;
};

/** `conversations`: to hold one in this process, as those who ask by HTTP do. */
export type RunningApi = Listening & { conversations: ConversationDeps & { takeTurn: TakeTurn } };

/** The API role: answers as soon as it returns. @throws StartupError port taken */
export async function runApi(deps: ApiRoleDeps): Promise<RunningApi> {
  const { pool, store, guard, sealer, metrics, log, version, serveHealth, rateLimit } = deps;
  const notifier = createNotifier({ pool, log });
  const waiting = new Set<() => void>();
  const eventStreams = createEventStreams({ pool, nowMs: Date.now, log });
  const listener = createListener({
    databaseUrl: deps.databaseUrl,
    channels: {
      [CHANNELS.projected]: () => waiting.forEach((wake) => wake()),
      [CHANNELS.events]: (namespaces) => eventStreams.wake(namespaces),
    },
    log,
  });
  await listener.start();
  const awaitProjection = createAwaitProjection({
    // A monotonic clock: a wait must not grow when the wall clock is set back.
    nowMs: () => performance.now(),
    onProjected: (wake) => {
      waiting.add(wake);
      return () => waiting.delete(wake);
    },
  });
  const monotonicMs = (): number => performance.now();
  const keyUse = createKeyUse({ pool, nowMs: monotonicMs, onPending: () => keyUseWriter.wake() });
  const keyUseWriter = createPeriodic({
    what: 'noting when API keys were used',
    everyMs: 10_000,
    run: keyUse.write,
    log,
  });
  const replayJobs = createPeriodic({
    what: 'a replay job',
    everyMs: 1_000,
    run: (signal) => runReplayJobs({ pool, notifier, nowMs: Date.now }, signal),
    log,
  });
  const announce = createAnnounce({ notifier, metrics });
  let baseUrl = deps.baseUrl ?? '';
  const conversations = { pool, announce, metrics, nowMs: Date.now, baseUrl: () => baseUrl };
  const takeTurn = createTakeTurn({
    ...conversations,
    clockMs: monotonicMs,
    respond: createExtractiveResponder({ nowMs: monotonicMs }),
  });
  const callPlayer = createCallPlayer({ ...conversations, takeTurn, providers: PROVIDERS, log });
  /** Started once the API serves; each looks by itself for what is to be done. */
  const background = [
    keyUseWriter,
    replayJobs,
    callPlayer,
    createReaper({ ...conversations, log }),
    createPeriodic({
      what: 'removing answers of a day ago',
      everyMs: 60_000,
      run: () => forgetOldMarks({ pool }),
      log,
    }),
  ];
  const app = createApp({
    pool,
    store,
    guard,
    sealer,
    rateLimit,
    notifier,
    metrics,
    log,
    version,
    serveHealth,
    awaitProjection,
    announce,
    takeTurn,
    baseUrl: conversations.baseUrl,
    authenticate: createAuthenticate({
      pool,
      nowMs: monotonicMs,
      onUsed: keyUse.note,
    }),
    wakeJobs: replayJobs.wake,
    eventStreams,
    wakeCalls: callPlayer.wake,
    hangUpLine,
    split: chunkText,
    nowMs: Date.now,
    isReady: () => isAnswering(pool),
  });
  try {
    const server = await serve(app, deps);
    if (baseUrl === '') baseUrl = linkBase(deps.host, server);
    for (const part of background) part.start();
    let stopping: Promise<void> | undefined;
    const stopAll = async (): Promise<void> => {
      eventStreams.stop(); // First: a server waits for what it still answers.
      await server.stop();
      await Promise.all(background.map((part) => part.stop()));
      await listener.stop();
      await notifier.stop();
    };
    return {
      ...server,
      conversations: { ...conversations, takeTurn },
      stop: () => (stopping ??= stopAll()),
    };
  } catch (error) {
    await listener.stop();
    throw error;
  }
}

/**
 * Where it listens, as others may call it: an address that means all of them is nobody's, so the
 * machine's name stands for it. It is a guess; PARLEY_BASE_URL says better.
 */
function linkBase(host: string, { url, port }: Listening): string {
  return host === '0.0.0.0' || host === '::' ? `http://${hostname()}:${port}` : url;
}
