import { ApiError } from '../../errors.ts';
import {
  readLiveContent,
  readVersionToTalk,
  type RolloutArm,
} from '../../agents/agent-versions.sql.ts';
import { recalledForConversations } from '../../agents/recalls/recalled-version.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import type { AgentContent } from '../../agents/agent.ts';
import {
  insertConversations,
  type Channel,
  type ConversationRow,
  type NewConversation,
  type Variables,
} from './conversations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import {
  insertBroughtTurns,
  insertFirstTurns,
  type BroughtTurn,
  type FirstTurn,
} from './turns.sql.ts';
import { redactHistory } from '../redaction/redact.ts';
import {
  inConversation,
  type ConversationDeps,
  type ConversationTransaction,
} from './conversation-deps.ts';
import { fillPlaceholders } from './fill-placeholders.ts';
import { noCommitHook, type CommitHook } from '../../platform/postgres/commit-hook.ts';

/**
 * Default limits in seconds, for versions that set none. The silence timeout of a chat is longer than that of a call,
 * because people pause longer in a chat.
 */
const LIMITS = {
  spoken: { maxDurationSec: 3_600, silenceTimeoutSec: 120 },
  written: { maxDurationSec: 86_400, silenceTimeoutSec: 1_800 },
} as const;

export type ConversationToStart = {
  namespace: string;
  agentId: string;
  channel: Channel;
  userId: string | null;
  variables: Variables;
  metadata: Record<string, string>;
  callId?: string | null;
  /** Version of the agent, by default the live one. A version that was never live can only be used for a test. */
  version?: number | undefined;
  test?: boolean;
  /** Earlier turns from another system. If given, the agent's first message is omitted unless `greets` is set. */
  brought?: readonly BroughtTurn[];
  greets?: boolean;
};

/**
 * Starts a conversation with the given version of the agent, by default the live one. The conversation keeps that
 * version until it ends. The agent's first message is turn 0, or follows the `brought` turns. A call whose version was
 * recalled gets the live version instead.
 * @throws ApiError invalid_body (no such agent), not_published, unknown_version, version_recalled
 */
export async function startConversation(
  deps: ConversationDeps,
  input: ConversationToStart,
  beforeCommit: CommitHook<ConversationRow> = noCommitHook,
): Promise<ConversationRow> {
  const { inserted } = await inConversation(
    deps,
    ({ db, emit, send, countRedacted }) =>
      insertStarted({ db, emit, send, countRedacted, id: newUuid(deps.nowMs()) }, input),
    beforeCommit === noCommitHook
      ? noCommitHook
      : async (db, started) => beforeCommit(db, (await started.inserted)[0]!),
  );
  return (await inserted)[0]!; // The transaction has inserted one row.
}

/**
 * Sends the statements that start a conversation. They share the round trip of the commit, so the inserted row, the
 * only one of the result, is a promise.
 */
async function insertStarted(
  transaction: Pick<ConversationTransaction, 'db' | 'emit' | 'send' | 'countRedacted'> & {
    id: string;
  },
  input: ConversationToStart,
): Promise<{ inserted: Promise<ConversationRow[]> }> {
  const { db, emit, send, countRedacted, id } = transaction;
  const chosen = await contentFor(db, { ...input, id });
  const { row, firstTurns } = prepareStart({ ...input, id }, chosen);
  const turns = await redactHistory(input.brought ?? [], chosen.content);
  const inserted = insertConversations(db, [row]);
  send(inserted);
  send(insertBroughtTurns(db, id, turns));
  if (turns.length > 0) countRedacted(row, turns);
  send(insertFirstTurns(db, firstTurns));
  await emitStart(emit, row);
  return { inserted };
}

/** Returns the rows of a conversation that starts with the chosen version. */
export function prepareStart(
  input: Numbered,
  chosen: Chosen,
): { row: NewConversation; firstTurns: FirstTurn[] } {
  const { brought = [], greets = !input.brought } = input;
  const { firstMessage } = greets ? chosen.content : {};
  const firstTurns =
    firstMessage === undefined
      ? []
      : [
          {
            conversationId: input.id,
            index: brought.length,
            text: fillPlaceholders(firstMessage, input.variables),
          },
        ];
  return { row: newRow(input, chosen, brought.length + firstTurns.length), firstTurns };
}

/** Emits the event that reports the start of a conversation. */
export async function emitStart(
  emit: ConversationTransaction['emit'],
  row: NewConversation,
  trace: { traceparent?: string | undefined } = {},
): Promise<void> {
  await emit(row, {
    type: 'conversation.started',
    sequence: 1,
    ...trace,
    data: {
      conversation_id: fromUuid('conv', row.id),
      agent_id: fromUuid('agt', row.agentId),
      agent_version: row.agentVersion,
      channel: row.channel,
      ...(row.rollout && { rollout: armOf(row.rollout) }),
    },
  });
}

/** Returns the rollout arm of a conversation as it appears in events. */
function armOf({ publicId, isNew, weight }: RolloutArm): {
  id: string;
  arm: 'from' | 'to';
  weight: number;
} {
  return { id: publicId, arm: isNew ? 'to' : 'from', weight };
}

/** Version for a conversation that starts. */
export type Chosen = { version: number; content: AgentContent; rollout?: RolloutArm | null };
/** `id` is the UUID of the conversation. */
export type Numbered = ConversationToStart & { id: string };

async function contentFor(db: Db, input: Numbered): Promise<Chosen> {
  const { version } = input;
  if (version === undefined) return requireLive(db, input);
  const given = await requireVersion(db, { ...input, version });
  return given ?? requireLive(db, input);
}

/**
 * Returns the content of a version. Rejects a version that was never live, except for a test: the `write` scope alone
 * must not be enough to use an unpublished version in production. Returns undefined for a call whose version was
 * recalled. The caller then uses the live version.
 */
async function requireVersion(
  db: Db,
  { namespace, agentId, version, callId, test = false }: ConversationToStart & { version: number },
): Promise<Chosen | undefined> {
  const asked = await readVersionToTalk(db, { namespace, id: agentId, version });
  if (!asked) throw unknownAgent();
  const { content, wasLive, isRecalled } = asked;
  if (content === null) {
    throw new ApiError('unknown_version', `The agent has no version ${version}.`);
  }
  if (isRecalled && !test) {
    if (callId) return undefined;
    throw recalledForConversations(version);
  }
  if (wasLive || test) return { version, content };
  const detail = `Version ${version} of the agent has never been live. Publish it, or send \`"test": true\` to test it.`;
  throw new ApiError('unknown_version', detail);
}

async function requireLive(db: Db, input: Numbered): Promise<Chosen> {
  const { namespace, agentId, test = false } = input;
  // A test does not take part in a rollout. It gets the live version.
  const unit = test ? undefined : unitOf(input);
  const live = await readLiveContent(db, { namespace, id: agentId, unit });
  if (!live) throw unknownAgent();
  const { version, content, rollout } = live;
  if (version !== null && content !== null) return { version, content, rollout };
  const detail =
    'The agent has no live version. Publish one first, or send `agent_version` and `"test": true` ' +
    'to test a version.';
  throw new ApiError('not_published', detail);
}

/**
 * Returns the unit that determines the arm of a conversation in a rollout. This is the user, who then always gets the
 * same version. Without a user, it is the call or, if none exists, the conversation itself.
 */
export function unitOf(of: { userId: string | null; callId?: string | null; id: string }): string {
  if (of.userId !== null) return of.userId;
  return of.callId ? fromUuid('call', of.callId) : fromUuid('conv', of.id);
}

function unknownAgent(): ApiError {
  const detail = 'There is no such agent.';
  return new ApiError('invalid_body', detail, {
    errors: [{ pointer: '/agent_id', code: 'unknown_agent', detail }],
  });
}

function newRow(
  input: Numbered,
  { version, content, rollout = null }: Chosen,
  turnCount: number,
): NewConversation {
  const { id, namespace, agentId, channel, userId, variables, metadata, callId = null } = input;
  const isSpoken = channel === 'voice' || channel === 'web_voice';
  return {
    id,
    namespace,
    agentId,
    agentVersion: version,
    channel,
    userId,
    variables,
    metadata,
    callId,
    test: input.test ?? false,
    turnCount,
    rollout,
    ...LIMITS[isSpoken ? 'spoken' : 'written'],
    ...content.limits,
  };
}
