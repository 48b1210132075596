import { z } from 'zod';
import type { AgentRecall } from '../agents/recalls/recalls.sql.ts';
import type {
  ConversationOfVersions,
  ToolCallOfVersions,
  UserOfVersions,
} from '../conversations/conversations-of-versions.sql.ts';
import {
  channel,
  conversationStatus,
  outcome,
  Turn,
  turnView,
} from '../conversations/record/conversation.view.ts';
import { fromUuid } from '../ids.ts';
import { createdAt, unixSec, unixSecOrNull, unixTime } from '../platform/http/fields.ts';

/** Representation of recalls in the REST API (contract/recalls.md). */

const version = z.int().min(1);
const versions = z.array(version);

export const Recall = z
  .strictObject({
    id: z.string(),
    agent_id: z.string(),
    versions: versions.meta({
      description: 'The recalled versions, which can never go live again.',
    }),
    since: z
      .int()
      .nullable()
      .meta({
        description:
          'The recall affects conversations that started at or after this time, in Unix seconds. Null ' +
          'if it affects all conversations.',
      }),
    reason: z.string().nullable(),
    actor: z.string(),
    created: createdAt,
  })
  .meta({ id: 'Recall', description: "A recall of an agent's versions." });

export function recallView(row: AgentRecall): z.output<typeof Recall> {
  return {
    id: fromUuid('rcl', row.id),
    agent_id: fromUuid('agt', row.agentId),
    versions: row.versions,
    since: unixSecOrNull(row.since),
    reason: row.reason,
    actor: row.actor,
    created: unixSec(row.at),
  };
}

const userId = z.string().nullable().meta({ description: 'Your own ID for the user.' });

export const RecalledConversation = z
  .strictObject({
    conversation_id: z.string(),
    versions: versions.meta({
      description: 'The recalled versions that took part in the conversation.',
    }),
    agent_id: z.string().meta({ description: 'Agent with which the conversation started.' }),
    agent_version: version.meta({
      description:
        'Version with which the conversation started. If it is not in `versions`, the ' +
        'conversation was later handed over to a version that is.',
    }),
    user_id: userId,
    channel,
    status: conversationStatus,
    outcome: outcome.nullable(),
    started_at: unixTime,
    ended_at: z.int().nullable().meta({
      description:
        'Time at which the conversation ended, in Unix seconds. Null if it has not ended.',
    }),
    erased: z.boolean().meta({
      description:
        'Whether the conversation was erased. Erasing it also erases its user and its tool calls.',
    }),
  })
  .meta({ id: 'RecalledConversation', description: 'A conversation with a recalled version.' });

export function conversationItem(
  row: ConversationOfVersions,
): z.output<typeof RecalledConversation> {
  return {
    conversation_id: fromUuid('conv', row.id),
    versions: row.versions,
    agent_id: fromUuid('agt', row.agentId),
    agent_version: row.agentVersion,
    user_id: row.userId,
    channel: row.channel,
    status: row.status,
    outcome: row.outcome,
    started_at: unixSec(row.startedAt),
    ended_at: unixSecOrNull(row.endedAt),
    erased: row.isErased,
  };
}

export const RecalledUser = z
  .strictObject({
    user_id: z.string(),
    last_conversation_id: z.string(),
    last_started_at: unixTime,
  })
  .meta({
    id: 'RecalledUser',
    description:
      'A user who talked to a recalled version, and the newest conversation in which this ' +
      'happened.',
  });

export function userItem({
  id,
  userId: user,
  startedAt,
}: UserOfVersions): z.output<typeof RecalledUser> {
  return {
    user_id: user,
    last_conversation_id: fromUuid('conv', id),
    last_started_at: unixSec(startedAt),
  };
}

export const RecalledToolCall = z
  .strictObject({
    conversation_id: z.string(),
    user_id: userId,
    called_at: unixTime,
    turn: Turn.meta({ description: 'Turn with the tool call, its arguments and its result.' }),
  })
  .meta({ id: 'RecalledToolCall', description: 'A tool call by a recalled version.' });

export function toolCallItem(row: ToolCallOfVersions): z.output<typeof RecalledToolCall> {
  return {
    conversation_id: fromUuid('conv', row.id),
    user_id: row.userId,
    called_at: unixSec(row.calledAt),
    turn: turnView(row),
  };
}
