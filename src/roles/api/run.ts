import { epochMs, monotonicMs } from '../../clock.ts';
import type { Models } from '../../agents/references/missing-providers.ts';
import { hostname } from 'node:os';
import { createJudge, type Judge } from '../../conversations/ending/judge.ts';
import { feedbackPage } from '../../conversations/feedback/feedback-page.ts';
import { createFollowers, type Followers } from '../../conversations/follow-conversation.ts';
import { createLiveTurns, type LiveTurns } from '../../conversations/turns/live-turns.ts';
import type { TakeTurn } from '../../conversations/turns/take-turn.ts';
import type { ResourceStore } from '../../platform/resources/resource-store.ts';
import { openDoors } from './doors.ts';
import type { Accounts } from '../../calls/providers/find-account.ts';
import type { LiveKeys } from '../../access/live-keys.ts';
import {
  createAwaitProjection,
  type AwaitProjection,
} from '../../platform/declare/await-projection.ts';
import type { ConversationDeps, RingPerson } from '../../conversations/record/conversation-deps.ts';
import { createAnnounce } from '../../events/emit-event.ts';
import { createEndpoints, type Endpoints } from '../../models/find-endpoint.ts';
import type { FindModel } from '../../models/model.ts';
import { createChanges, type Changes } from '../../events/changes.ts';
import { namespacesOfConversations } from '../../conversations/record/conversation-namespaces.sql.ts';
import { createEventStreams, type EventStreams } from '../../events/event-stream.ts';
import {
  CHANNELS,
  createListener,
  createNotifier,
  type Listener,
  type Notifier,
} from '../../platform/postgres/notifications.ts';
import { isAnswering, createPool, PLANNED_ONCE, type Pool } from '../../platform/postgres/pool.ts';
import { createApp } from '../../platform/http/app.ts';
import { createInFlight } from '../../platform/http/in-flight.ts';
import type { RoleContext } from '../context.ts';
import { KINDS, type Kinds } from '../kinds.ts';
import { createExtractor } from '../../knowledge/formats/extractor.ts';
import { createTextCutter } from '../../knowledge/passages/text-cutter.ts';
import { createRoutes } from './routes.ts';
import { createMaintenance, type WhoReplies } from './maintenance.ts';
import { openReplies, type SampleModel } from './replies.ts';
import { openLines, openTelephony } from './telephony.ts';
import type { Lines } from '../../calls/lines/lines.ts';
import type { Sockets } from '../../platform/http/sockets/sockets.ts';
import type { Periodic } from '../../platform/controller/periodic.ts';
import type { Lookup } from '../../platform/egress/name-lookup.ts';
import { serve, type Listening, type ListenOptions } from '../../platform/http/server.ts';

export type ApiRoleDeps = RoleContext &
  ListenOptions &
  Kinds & {
    store: ResourceStore;
    /** Whether to serve `/metrics`, `/healthz` and `/readyz` on the same port, as `start` does. */
    serveHealth: boolean;
    /** Requests per minute for one API key; 0 means no limit. */
    rateLimit: number;
    /** Origins whose pages may call the API, or `*`; default: none. */
    corsOrigins?: readonly string[];
    /** Folder of the built dashboard; default: its place in the package or a checkout. */
    dashboardFolder?: string;
    /** Folder of the built widget; default as above. */
    widgetFolder?: string;
    /** How long a reader of a stream may stall; default 30 s. */
    stalledMs?: number;
    /** Replacement for the default responder, which uses the agent's model or the search that quotes passages. */
    responder?: WhoReplies | undefined;
    /** How long a write waits until the operator has projected it; default 2 s. */
    projectionWaitMs?: number | undefined;
    /** Resolves host names for tools; default: the system's resolver. */
    lookup?: Lookup | undefined;
    /** Model for agents without one. */
    sampleModel?: SampleModel | undefined;
    /** How long a stop waits for active calls, in ms; default: not at all. */
    callDrainMs?: number | undefined;
    /** Base of the links in events; default: the listening address. */
    baseUrl?: string | undefined;
  };

/** Running API. `conversations` holds conversations in this process, as HTTP callers do. */
export type RunningApi = Listening & { conversations: ConversationDeps & { takeTurn: TakeTurn } };

/** Maximum number of waiting re-index requests, on top of the limit of uploads. */
const SYNCS_WAITING_MAX = { namespace: 2, process: 4 };
/** Default limit if uploads have none. */
const UPLOADS_WAITING_MAX = { namespace: 12, process: 16 };

/** Runs the API role; it serves requests as soon as this returns. @throws StartupError if the port is taken */
export async function runApi(deps: ApiRoleDeps): Promise<RunningApi> {
  const { pool, metrics, log, limits } = deps;
  const inFlight = createInFlight({ shares: limits.shares, metrics });
  const notifier = createNotifier({ pool, log });
  const outbox = createPool(deps.databaseUrl, { log, max: 1, settings: PLANNED_ONCE });
  const eventStreams = createEventStreams({ ...deps, nowMs: epochMs });
  const onUsed = (keyId: string): void => maintenance.noteKeyUse(keyId);
  const doors = openDoors({ ...deps, notifier, nowMs: monotonicMs, onUsed });
  const endpoints = createEndpoints(endpointDeps(deps));
  const turns = createLiveTurns(deps);
  const followers = createFollowers(deps);
  const changes = openChanges(deps);
  let baseUrl = deps.baseUrl ?? '';
  const clocks = { nowMs: epochMs, clockMs: monotonicMs };
  const ways = { notifier, findEndpoint: endpoints.find, baseUrl: () => baseUrl };
  const telephony = openTelephony({ ...deps, ...clocks, ...ways });
  const woken = {
    eventStreams,
    keys: doors,
    endpoints,
    accounts: telephony.accounts,
    turns,
    followers,
    changes,
    calls: telephony.calls,
  };
  const { listener, awaitProjection } = createWakeUps(deps, woken);
  await listener.start();
  const replies = openReplies({ ...deps, ...clocks, ...ways });
  const talk = { ...replies, ...ways, turns, ring: telephony.ring };
  const { conversations, judge } = openConversations(deps, talk);
  const maintenance = createMaintenance({
    ...deps,
    ...talk,
    ...clocks,
    ...telephony,
    conversations,
  });
  const toTalk = { ...deps, ...conversations, ...maintenance, followers };
  const { lines, sockets, talkLimits } = openLines({ ...toTalk, ...telephony });
  const readers = createReaders(deps);
  const routes = createRoutes({
    ...deps,
    outbox,
    notifier,
    awaitProjection,
    ...conversations,
    ...maintenance,
    ...replies.ways,
    ...doors,
    publicUrl: deps.baseUrl,
    ...woken,
    inFlight,
    ...readers,
    ...telephony,
    lines,
    talkLimits,
    ...modelsOf(deps),
  });
  const isReady = (): Promise<boolean> => isAnswering(pool);
  const pages = [feedbackPage({ ...deps, ...doors, ...conversations })];
  const app = createApp({ ...deps, ...doors, ...clocks, inFlight, isReady, routes, pages });
  const parts = { ...woken, listener, telephony, replies, readers, judge, doors, notifier, outbox };
  const running = { ...parts, maintenance, lines, sockets };
  const server = await serveParts(deps, app, running);
  if (baseUrl === '') baseUrl = linkBase(deps.host, server);
  for (const part of partsOf(running)) part.start();
  return { ...server, conversations: { ...conversations, takeTurn: maintenance.takeTurn } };
}

type Stops = { stop: () => Promise<void> };
type Running = Record<
  'listener' | 'telephony' | 'replies' | 'readers' | 'judge' | 'doors' | 'notifier' | 'turns',
  Stops
> &
  Record<'eventStreams' | 'followers', { stop: () => void }> & {
    maintenance: Pick<ReturnType<typeof createMaintenance>, 'parts'>;
    lines: Lines;
    sockets: Sockets;
    outbox: Pool;
  };

const partsOf = ({ maintenance, lines }: Running): Periodic[] => [
  ...maintenance.parts,
  lines.renewal,
];

/** Listens for requests; `stop` stops all parts in order. @throws StartupError if the port is taken */
async function serveParts(
  deps: ApiRoleDeps,
  app: Parameters<typeof serve>[0],
  all: Running,
): Promise<Listening> {
  const { listener, telephony, replies, readers, doors, outbox, sockets } = all;
  const stopEach = (parts: Stops[]): Promise<unknown> =>
    Promise.all(parts.map((part) => part.stop()));
  try {
    const server = await serve(app, { ...deps, upgrade: sockets.upgrade });
    let stopping: Promise<void> | undefined;
    const stopAll = async (): Promise<void> => {
      // Active calls stay with the process that holds them until the drain ends; new ones go elsewhere.
      await all.lines.drain(deps.callDrainMs ?? 0);
      // The streams stop next, because a server waits for its open responses.
      for (const open of [sockets, all.eventStreams, all.followers]) open.stop();
      await stopEach([server, all.turns]);
      await stopEach(partsOf(all));
      await all.judge.stop();
      await stopEach([replies, readers, listener, telephony]);
      await doors.stop();
      await all.notifier.stop();
      await outbox.end();
    };
    return { ...server, stop: () => (stopping ??= stopAll()) };
  } catch (error) {
    await stopEach([replies, listener, doors, telephony]);
    await outbox.end();
    throw error;
  }
}

/** Opens the dependencies of conversations, and the judge of ended ones. */
function openConversations(
  { pool, metrics, log }: Pick<ApiRoleDeps, 'pool' | 'metrics' | 'log'>,
  of: { notifier: Notifier; findModel: FindModel; baseUrl: () => string; ring: RingPerson },
): { conversations: ConversationDeps & Pick<ApiRoleDeps, 'metrics'>; judge: Judge } {
  const { notifier, findModel, baseUrl, ring } = of;
  const announce = createAnnounce({ notifier, metrics });
  const about = { pool, announce, changed: tellChanged(notifier), metrics, nowMs: epochMs };
  const judge = createJudge({ ...about, baseUrl, findModel, log });
  return { conversations: { ...about, baseUrl, ring, judge: judge.take }, judge };
}

function openChanges(deps: Pick<ApiRoleDeps, 'pool' | 'log' | 'kinds'>): Changes {
  const { pool, log, kinds = KINDS } = deps;
  const prefixes = new Map(kinds.map(({ resource, idPrefix }) => [resource, idPrefix]));
  const namespacesOf = (ids: readonly string[]) => namespacesOfConversations(pool, ids);
  return createChanges({ prefixes, namespacesOf, log });
}

function endpointDeps(deps: ApiRoleDeps): Parameters<typeof createEndpoints>[0] {
  return { ...deps, settings: deps.modelSettings, nowMs: monotonicMs };
}

/** Creates the workers that cut texts and files into passages. */
function createReaders({ limits, metrics, log }: Pick<ApiRoleDeps, 'limits' | 'metrics' | 'log'>) {
  const waiting = { waitingMax: waitingMax({ limits }), metrics, log };
  const [cutter, extractor] = [createTextCutter(waiting), createExtractor(waiting)];
  const stop = async (): Promise<void> => {
    await Promise.all([cutter.stop(), extractor.stop()]);
  };
  return { cutter, extractor, stop };
}

function waitingMax({ limits: { shares } }: Pick<ApiRoleDeps, 'limits'>) {
  const { namespace, process } = shares.uploads ?? UPLOADS_WAITING_MAX;
  return {
    namespace: namespace + SYNCS_WAITING_MAX.namespace,
    all: process + SYNCS_WAITING_MAX.process,
  };
}

/** Receives wake-ups from other processes, on one connection. */
function createWakeUps(
  {
    databaseUrl,
    log,
    projectionWaitMs,
  }: Pick<ApiRoleDeps, 'databaseUrl' | 'log' | 'projectionWaitMs'>,
  woken: {
    eventStreams: Pick<EventStreams, 'wake'>;
    keys: Pick<LiveKeys, 'look'>;
    endpoints: Pick<Endpoints, 'look'>;
    accounts: Pick<Accounts, 'look'>;
    turns: Pick<LiveTurns, 'look'>;
    followers: Pick<Followers, 'wake'>;
    changes: Pick<Changes, 'projected' | 'conversations'>;
    calls: Pick<Lines, 'look'>;
  },
): { listener: Listener; awaitProjection: AwaitProjection } {
  const waiting = new Set<() => void>();
  const channels = {
    [CHANNELS.projected]: (ids: readonly string[]) => {
      woken.endpoints.look(ids);
      woken.accounts.look(ids);
      woken.changes.projected(ids);
      waiting.forEach((wake) => wake());
    },
    [CHANNELS.events]: woken.eventStreams.wake,
    [CHANNELS.keys]: woken.keys.look,
    [CHANNELS.calls]: woken.calls.look,
    [CHANNELS.conversations]: (ids: readonly string[]) => {
      woken.turns.look(ids);
      woken.followers.wake(ids);
      woken.changes.conversations(ids);
    },
  };
  return {
    listener: createListener({ databaseUrl, channels, log }),
    awaitProjection: createAwaitProjection({
      nowMs: monotonicMs,
      waitMs: projectionWaitMs,
      onProjected: (wake) => {
        waiting.add(wake);
        return () => waiting.delete(wake);
      },
    }),
  };
}

function tellChanged(notifier: Pick<Notifier, 'notify'>): ConversationDeps['changed'] {
  return (conversationId) => notifier.notify(CHANNELS.conversations, [conversationId]);
}

/**
 * Returns the base URL for others. A wildcard address is not reachable, so the machine's name replaces it. That is a
 * guess; PARLEY_BASE_URL overrides it.
 */
function linkBase(host: string, { url, port }: Listening): string {
  return host === '0.0.0.0' || host === '::' ? `http://${hostname()}:${port}` : url;
}

/** Returns facts about the available models, for the checks of agents. */
function modelsOf({ modelSettings, sampleModel }: ApiRoleDeps): Models {
  return { hasDefaultModel: modelSettings !== undefined, isSample: sampleModel?.isFor };
}
