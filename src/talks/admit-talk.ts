import { readLiveContent, readVersionToTalk } from '../agents/agent-versions.sql.ts';
import { recalledForConversations } from '../agents/recalls/recalled-version.ts';
import type { AgentContent } from '../agents/agent.ts';
import { allowsOrigin, WIDGET_TALKS_MAX } from '../agents/agent-widget.ts';
import { readAgent, type AgentRow } from '../agents/agents.sql.ts';
import { readConversation } from '../conversations/record/conversations.sql.ts';
import { ApiError } from '../errors.ts';
import type { Opened } from '../platform/http/sockets/sockets.ts';
import type { Pool } from '../platform/postgres/pool.ts';
import type { Sealer } from '../platform/postgres/sealing.ts';
import type { StartFrame } from './talk-frames.ts';
import type { TalkLimits } from './talk-limits.ts';
import {
  openResume,
  openTalkToken,
  tokenKey,
  type ResumeToken,
  type TalkToken,
} from './talk-token.ts';

export type AdmitDeps = {
  pool: Pool;
  sealer: Pick<Sealer, 'open'>;
  nowMs: () => number;
  limits: TalkLimits;
  hasOwnSpeech: (namespace: string, content: AgentContent) => Promise<boolean>;
};

export type Admitted = {
  token: TalkToken;
  /** Maximum number of visitors who may speak with the agent concurrently; undefined means no limit. */
  maxConcurrent: number | undefined;
  /** The talk to resume, if any. */
  resume: ResumeToken | undefined;
  /**
   * Reason why the talk to resume has ended. Undefined if the talk continues, or if it is a chat that ended recently
   * enough to be shown again.
   */
  over: string | undefined;
};

/** Time in ms after the end of a chat during which a returning visitor can still see it. */
const SHOWN_MS = 600_000;

/**
 * Checks whether a web page may start or resume a talk (a chat or voice conversation over one WebSocket). Starting a
 * talk runs two single-row queries. Resuming a talk runs three.
 * @throws ApiError unauthorized, origin_not_allowed, not_found, not_published, unknown_version, unsupported_type,
 * rate_limited
 */
export async function admitTalk(
  deps: AdmitDeps,
  start: StartFrame,
  { headers, address }: Pick<Opened, 'headers' | 'address'>,
): Promise<Admitted> {
  const token = openTalkToken(deps.sealer, start.token);
  if (!token || token.expiresAt * 1_000 <= deps.nowMs()) {
    throw new ApiError('unauthorized', 'The talk token is invalid or has expired. Get a new one.');
  }
  if (token.origin !== null && token.origin !== headers.origin) {
    throw notAllowed('The token was created for a different origin');
  }
  // Checks the rate limit before reading the database, so that a rejected request costs no query.
  await deps.limits.start(tokenKey(start.token));
  const agent = await readAgent(deps.pool, { namespace: token.namespace, id: token.agentId });
  if (!agent) throw new ApiError('not_found', 'The agent was deleted.');
  const { by } = token;
  if (by === 'widget') requireOrigin(agent, token.origin);
  const maxConcurrent = by === 'widget' ? talksMax(agent) : undefined;
  const resume = resumeOf(deps, start, token);
  const content = await requireContent(deps.pool, token);
  if (start.mode === 'voice' && !(await deps.hasOwnSpeech(token.namespace, content))) {
    const detail =
      'The agent does not support voice: its `voice` and `transcriber` must name ModelProviders. Use `mode: "chat"`.';
    throw new ApiError('unsupported_type', detail);
  }
  if (resume) await deps.limits.resume(resume.conversationId);
  else if (maxConcurrent !== undefined) {
    await deps.limits.begin(`${agent.id} ${start.mode}`, address, maxConcurrent);
  }
  const over = resume && (await overSince(deps, resume));
  return { token, maxConcurrent, resume, over };
}

/**
 * Returns the reason why the talk to resume has ended. Returns undefined if the talk continues, or if it is a chat that
 * ended less than `SHOWN_MS` ago.
 * @throws ApiError not_found if the talk was erased
 */
async function overSince(
  { pool, nowMs }: AdmitDeps,
  { namespace, conversationId: id, mode }: ResumeToken,
): Promise<string | undefined> {
  const row = await readConversation(pool, { namespace, id });
  if (!row) throw noSuchTalk();
  if (row.endedAt === null || (mode === 'chat' && nowMs() - row.endedAt < SHOWN_MS))
    return undefined;
  return row.endedReason ?? 'platform_error';
}

/**
 * Requires that the agent allows this origin. The error is the same if the agent does not exist.
 * @throws ApiError origin_not_allowed
 */
export function requireOrigin(
  agent: AgentRow | undefined,
  origin: string | null,
): asserts agent is AgentRow {
  const allowed = agent?.spec.widget?.allowedOrigins ?? [];
  if (origin !== null && allowsOrigin(allowed, origin)) return;
  throw notAllowed('No agent with this ID allows pages from this origin');
}

export const talksMax = ({ spec }: AgentRow): number =>
  spec.widget?.maxConcurrent ?? WIDGET_TALKS_MAX;

function notAllowed(detail: string): ApiError {
  const what = "The agent's `widget.allowed_origins` must contain the origin of the page.";
  return new ApiError('origin_not_allowed', `${detail}. ${what}`);
}

function resumeOf(
  { sealer }: AdmitDeps,
  { mode, resume: text }: StartFrame,
  token: TalkToken,
): ResumeToken | undefined {
  if (typeof text !== 'string') return undefined;
  const resume = openResume(sealer, text, token);
  if (resume?.mode === mode) return resume;
  throw noSuchTalk();
}

function noSuchTalk(): ApiError {
  return new ApiError('not_found', 'The talk to resume does not exist. Start a new one.');
}

/**
 * Returns the agent's content for a talk with this token.
 * @throws ApiError not_found, not_published, unknown_version, version_recalled
 */
export async function requireContent(
  pool: Pool,
  { namespace, agentId: id, version, test, userId }: Omit<TalkToken, 'expiresAt' | 'origin'>,
): Promise<AgentContent> {
  if (version === null) {
    const unit = test ? undefined : (userId ?? undefined);
    const live = await readLiveContent(pool, { namespace, id, unit });
    if (live?.content) return live.content;
    if (!live) throw new ApiError('not_found', 'There is no such agent.');
    throw new ApiError('not_published', 'The agent has no live version. Publish one first.');
  }
  const asked = await readVersionToTalk(pool, { namespace, id, version });
  if (!asked) throw new ApiError('not_found', 'There is no such agent.');
  if (asked.content && asked.isRecalled && !test) throw recalledForConversations(version);
  if (asked.content && (asked.wasLive || test)) return asked.content;
  const detail = asked.content
    ? `Version ${version} of the agent was never live. Publish it, or test it with \`"test": true\`.`
    : `The agent has no version ${version}.`;
  throw new ApiError('unknown_version', detail);
}
