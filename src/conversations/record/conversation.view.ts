import { z } from 'zod';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { REDACTION_KINDS } from '../../agents/agent.ts';
import { Activation } from '../../agents/agent.view.ts';
import { durationSec } from './conversation-deps.ts';
import { CHANNELS, CONVERSATION_STATUSES, type ConversationRow } from './conversations.sql.ts';
import { OUTCOMES } from './outcomes.ts';
import { Judgement } from './judgement.ts';
import type { MessageResult, TurnRow } from './turns.sql.ts';
import { createdAt, flag, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/** Conversations and their turns as returned by REST (contract/conversations.md). */

export const channel = z.enum(CHANNELS);
export const conversationStatus = z.enum(CONVERSATION_STATUSES);
export const outcome = z.enum(OUTCOMES);
/**
 * Query parameter that includes test conversations, which lists omit by default
 * (contract/conversations.md#test-conversations).
 */
export const withTests = flag.meta({
  description: 'true: test conversations too; else they are left out.',
});
const csat = z.int().min(1).max(5);

export const Conversation = z
  .strictObject({
    id: z.string().meta({ description: 'conv_…' }),
    created: createdAt,
    agent_id: z.string(),
    agent_version: z.int().min(1).meta({ description: 'The same from its start to its end.' }),
    test: z.boolean().meta({
      description: 'To try the agent out: it makes no events and is in no figure.',
    }),
    channel,
    user_id: z.string().nullable(),
    variables: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.string()),
    call_id: z.string().nullable().meta({ description: 'Of a call: call_…' }),
    status: conversationStatus,
    turn_count: z.int().min(0).meta({ description: 'Turns of the transcript so far.' }),
    started_at: unixTime,
    ended_at: unixTime.nullable(),
    duration_sec: z.int().min(0).nullable().meta({ description: 'null: it goes on.' }),
    ended_reason: z.string().nullable(),
    outcome: outcome.nullable().meta({ description: 'Settled when it ends.' }),
    csat_predicted: z.number().min(1).max(5).nullable(),
    csat: csat.nullable().meta({ description: 'What the user said, by feedback.' }),
    summary: z.string().nullable().meta({ description: 'Written right after the end.' }),
    judgement: Judgement.nullable().meta({
      description:
        'What a model made of it, where its agent asks for that; null: not asked, or not yet.',
    }),
  })
  .meta({ id: 'Conversation', description: 'A conversation with a version of an agent.' });

/** A single conversation as REST returns it, with the activation of its version. */
export const ConversationRead = Conversation.extend({
  activation: Activation.nullable().meta({
    description:
      'Of its version, the one under which it began: the last until then. null: it was never live (a test).',
  }),
}).meta({ id: 'ConversationRead', description: 'A conversation, and how its version went live.' });

export function conversationView(row: ConversationRow): z.output<typeof Conversation> {
  return {
    id: fromUuid('conv', row.id),
    created: unixSec(uuidTimeMs(row.id)),
    agent_id: fromUuid('agt', row.agentId),
    agent_version: row.agentVersion,
    test: row.test,
    channel: row.channel,
    user_id: row.userId,
    variables: row.variables,
    metadata: row.metadata,
    call_id: row.callId === null ? null : fromUuid('call', row.callId),
    status: row.status,
    turn_count: row.turnCount,
    started_at: unixSec(row.startedAt),
    ended_at: unixSecOrNull(row.endedAt),
    duration_sec: durationSec(row),
    ended_reason: row.endedReason,
    outcome: row.outcome,
    csat_predicted: row.csatPredicted,
    csat: row.csat,
    summary: row.summary,
    judgement: row.judgement,
  };
}

const ms = z.int().min(0).meta({ description: 'ms since the conversation started.' });

const chunks = z.array(
  z.strictObject({
    source_id: z.string(),
    document_id: z.string(),
    chunk_id: z.string(),
    score: z.number(),
    similarity: z.number().optional().meta({
      description: 'How alike it was by its meaning, up to 1; absent: it was not compared.',
    }),
  }),
);

const tokens = z.int().min(0);

const turnModel = z.strictObject({
  provider: z.string().meta({ description: 'Name of the model provider, or `default`.' }),
  name: z.string().meta({ description: 'The model that answered.' }),
  finish_reason: z.string(),
  steps: z.int().min(0).meta({ description: 'Requests; each round of tools is one more.' }),
  usage: z.strictObject({
    input_tokens: tokens,
    output_tokens: tokens,
    cached_input_tokens: tokens,
    estimated: z.boolean().meta({ description: 'Counted here: the answer broke off.' }),
  }),
  cost: z.strictObject({ amount: z.number().min(0), currency: z.string() }).nullable(),
  time_to_first_token_ms: z.number().min(0).nullable(),
});

export const Turn = z
  .strictObject({
    index: z.int().min(0),
    role: z.enum(['user', 'agent', 'tool', 'human', 'system']),
    text: z.string(),
    started_at_ms: ms,
    ended_at_ms: ms,
    interrupted: z.boolean(),
    tool_call: z.record(z.string(), z.unknown()).optional(),
    tool_result: z.record(z.string(), z.unknown()).optional(),
    retrieval: z
      .strictObject({
        query: z.string(),
        top_score: z.number(),
        chunks,
        considered: chunks
          .optional()
          .meta({ description: 'Found, and not what the answer was drawn from.' }),
      })
      .optional()
      .meta({ description: 'The passages the answer is made from, best first.' }),
    latency: z
      .record(z.string(), z.number())
      .optional()
      .meta({ description: 'ms of the parts of the turn; `turn_ms` is the whole.' }),
    agent_id: z.string().optional().meta({ description: 'Who spoke; another after a handoff.' }),
    agent_version: z.int().min(1).optional(),
    model: turnModel.optional().meta({ description: 'What a language model did for it.' }),
    error: z
      .strictObject({ code: z.string(), detail: z.string() })
      .optional()
      .meta({ description: 'Why the reply is missing or broke off.' }),
    redacted: z
      .strictObject(
        Object.fromEntries(REDACTION_KINDS.map((kind) => [kind, z.int().min(1).optional()])),
      )
      .optional()
      .meta({ description: 'How many of each were taken out of what the user said.' }),
  })
  .meta({ id: 'Turn', description: 'One turn of a transcript.' });

export function turnView(row: TurnRow): z.output<typeof Turn> {
  const {
    toolCall,
    toolResult,
    retrieval,
    latency,
    agentId,
    agentVersion,
    model,
    error,
    redacted,
  } = row;
  return {
    index: row.index,
    role: row.role,
    text: row.text,
    started_at_ms: row.startedAtMs,
    ended_at_ms: row.endedAtMs,
    interrupted: row.interrupted,
    ...(toolCall && { tool_call: toolCall }),
    ...(toolResult && { tool_result: toolResult }),
    ...(retrieval && { retrieval }),
    ...(latency && { latency }),
    ...(agentId !== null && { agent_id: fromUuid('agt', agentId) }),
    ...(agentVersion !== null && { agent_version: agentVersion }),
    ...(model && { model }),
    ...(error && { error }),
    ...(redacted && { redacted }),
  };
}

export const MessageBody = z
  .strictObject({
    text: z
      .string()
      .min(1)
      .max(32_000)
      .regex(...saying(/\S/, 'must have more than white space'))
      .describe('What is said.'),
  })
  .describe('A message.');

export const MessageAnswer = z
  .strictObject({ turns: z.array(Turn), conversation: Conversation })
  .meta({ id: 'MessageAnswer', description: 'The turns the message added.' });

export function messageView({
  turns,
  conversation,
}: MessageResult): z.output<typeof MessageAnswer> {
  return { turns: turns.map(turnView), conversation: conversationView(conversation) };
}

export const Transcript = z
  .strictObject({
    conversation_id: z.string(),
    agent_id: z.string(),
    agent_version: z.int().min(1),
    status: conversationStatus,
    summary: z.string().nullable(),
    turns: z.array(Turn),
  })
  .meta({ id: 'Transcript', description: 'A conversation, turn by turn.' });
