import { ApiError } from '../../errors.ts';
import { readLiveContent, readPublishedContent } from '../../agents/agent-versions.sql.ts';
import { fromUuid, newUuid } from '../../ids.ts';
import type { AgentContent } from '../../agents/agent.ts';
import {
  insertConversation,
  type Channel,
  type ConversationRow,
  type NewConversation,
  type Variables,
} from './conversations.sql.ts';
import type { Db } from '../../platform/postgres/pool.ts';
import { insertBroughtTurns, insertFirstTurn, type BroughtTurn } from './turns.sql.ts';
import { inConversation, type ConversationDeps } from './conversation-deps.ts';
import { fillPlaceholders } from './fill-placeholders.ts';
import type { CommitHook } from '../../platform/postgres/commit-hook.ts';

/** When a version sets no limits, in seconds. A silent call is over; a chat may rest. */
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
  /** One that was live at least once; default: the one that is. */
  version?: number | undefined;
  /** What was said elsewhere before; then the agent's first message is left out. */
  brought?: readonly BroughtTurn[];
};

/**
 * Starts a conversation with the version of the agent that is live now, or with one that was; it
 * keeps that version to its end. The agent's first message is turn 0.
 * @throws ApiError invalid_body (no such agent), not_published, unknown_version
 */
export function startConversation(
  deps: ConversationDeps,
  input: ConversationToStart,
  beforeCommit?: CommitHook<ConversationRow>,
): Promise<ConversationRow> {
  return inConversation(
    deps,
    async ({ db, emit }) => {
      const { version, content } = await requireLive(db, input);
      const row = await insertConversation(db, newRow(deps, { ...input, version, content }));
      if (input.brought) await insertBroughtTurns(db, row.id, input.brought);
      else if (content.firstMessage !== undefined) {
        await insertFirstTurn(db, row.id, fillPlaceholders(content.firstMessage, input.variables));
      }
      await emit(row, {
        type: 'conversation.started',
        sequence: 1,
        data: {
          conversation_id: fromUuid('conv', row.id),
          agent_id: fromUuid('agt', row.agentId),
          agent_version: version,
          channel: row.channel,
        },
      });
      return row;
    },
    beforeCommit,
  );
}

async function requireLive(
  db: Db,
  { namespace, agentId, version: asked }: ConversationToStart,
): Promise<{ version: number; content: AgentContent }> {
  if (asked !== undefined) {
    const published = await readPublishedContent(db, { namespace, id: agentId, version: asked });
    if (published) return published;
    throw new ApiError('unknown_version', `version ${asked} of the agent was never live`);
  }
  const live = await readLiveContent(db, { namespace, id: agentId });
  if (!live) {
    const detail = 'there is no such agent';
    throw new ApiError('invalid_body', detail, {
      errors: [{ pointer: '/agent_id', code: 'unknown_agent', detail }],
    });
  }
  const { version, content } = live;
  if (version === null || content === null) {
    throw new ApiError('not_published', 'nothing of the agent is live: publish a version first');
  }
  return { version, content };
}

function newRow(
  deps: ConversationDeps,
  from: ConversationToStart & { version: number; content: AgentContent },
): NewConversation {
  const { namespace, agentId, channel, userId, variables, metadata, version, content } = from;
  const isSpoken = channel === 'voice' || channel === 'web_voice';
  return {
    id: newUuid(deps.nowMs()),
    namespace,
    agentId,
    agentVersion: version,
    channel,
    userId,
    variables,
    metadata,
    callId: from.callId ?? null,
    turnCount: from.brought?.length ?? (content.firstMessage === undefined ? 0 : 1),
    ...LIMITS[isSpoken ? 'spoken' : 'written'],
    ...content.limits,
  };
}
