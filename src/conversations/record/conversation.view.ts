import { z } from 'zod';
import { fromUuid, uuidTimeMs } from '../../ids.ts';
import { REDACTION_KINDS } from '../../agents/agent.ts';
import { Activation } from '../../agents/agent.view.ts';
import { durationSec } from './conversation-deps.ts';
import { CHANNELS, CONVERSATION_STATUSES, type ConversationRow } from './conversations.sql.ts';
import { cut, excerptAround, QUOTE_MAX } from './excerpt.ts';
import { OUTCOMES } from './outcomes.ts';
import { Judgement } from './judgement.ts';
import type { Quotes } from './quotes.sql.ts';
import type { MessageResult, TurnRow } from './turns.sql.ts';
import { createdAt, flag, unixSec, unixSecOrNull, unixTime } from '../../platform/http/fields.ts';
import { saying } from '../../platform/resources/schema/patterns.ts';

/** This module defines the REST representation of conversations and their turns (contract/conversations.md). */

export const channel = z.enum(CHANNELS);
export const conversationStatus = z.enum(CONVERSATION_STATUSES);
export const outcome = z.enum(OUTCOMES);
/**
 * Query parameter that includes test conversations, which lists omit by default
 * (contract/conversations.md#test-conversations).
 */
export const withTests = flag.meta({
  description: 'If true, includes test conversations. Default: false.',
});
const csat = z.int().min(1).max(5);

export const Conversation = z
  .strictObject({
    id: z.string().meta({ description: 'ID of the conversation, `conv_…`.' }),
    created: createdAt,
    agent_id: z.string(),
    agent_version: z
      .int()
      .min(1)
      .meta({ description: 'Version of the agent. It does not change during the conversation.' }),
    test: z.boolean().meta({
      description:
        'Whether this is a test conversation. Test conversations emit no events and are excluded from statistics.',
    }),
    channel,
    user_id: z.string().nullable(),
    variables: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.string()),
    call_id: z
      .string()
      .nullable()
      .meta({ description: 'ID of the call, `call_…`. Null if there is no call.' }),
    status: conversationStatus,
    turn_count: z.int().min(0).meta({ description: 'Number of turns in the transcript so far.' }),
    started_at: unixTime,
    ended_at: unixTime.nullable(),
    duration_sec: z.int().min(0).nullable().meta({
      description: 'Duration of the conversation in seconds. Null until the conversation ends.',
    }),
    ended_reason: z.string().nullable(),
    outcome: outcome.nullable().meta({
      description: 'Outcome of the conversation. Null until the conversation ends.',
    }),
    csat_predicted: z.number().min(1).max(5).nullable(),
    csat: csat.nullable().meta({
      description: 'Satisfaction that the user reported as feedback. Null if there is no feedback.',
    }),
    summary: z.string().nullable().meta({
      description: 'Summary of the conversation, written after its end. Null until then.',
    }),
    judgement: Judgement.nullable().meta({
      description:
        "A model's judgement, if the agent requests one. Null if it was not requested or is not " +
        'complete.',
    }),
  })
  .meta({ id: 'Conversation', description: 'A conversation with a version of an agent.' });

const quoted = {
  index: z.int().min(0).meta({ description: 'Index of the turn.' }),
  role: z.enum(['user', 'agent', 'human']),
};

/** A conversation in a list, with quotes from its transcript. */
export const ListedConversation = Conversation.extend({
  last_message: z
    .strictObject({
      ...quoted,
      text: z.string().meta({ description: `The first ${QUOTE_MAX} characters of the message.` }),
    })
    .nullable()
    .meta({
      description:
        'Last message, from the user, an agent or a human agent. Null if nobody has said anything.',
    }),
  match: z
    .strictObject({
      index: quoted.index.nullable().meta({
        description: 'Index of the turn with the sentence. Null if the sentence is in the summary.',
      }),
      role: quoted.role.nullable().meta({
        description: 'Role of the speaker. Null if the sentence is in the summary.',
      }),
      text: z.string().meta({
        description: `The matching sentence, at most ${QUOTE_MAX} characters.`,
      }),
    })
    .nullable()
    .meta({
      description:
        'Sentence in the transcript or the summary that matches `q`. Null if `q` has no words or matches ' +
        'only `user_id`.',
    }),
}).meta({
  id: 'ListedConversation',
  description:
    'A conversation in a list, with its last message and the sentence that matches a search.',
});

/** A single conversation as the REST API returns it, with the activation of its version. */
export const ConversationRead = Conversation.extend({
  activation: Activation.nullable().meta({
    description:
      'Last activation of the version before the conversation started. Null if the version was never ' +
      'live (only in tests).',
  }),
}).meta({
  id: 'ConversationRead',
  description: 'A conversation, with the activation of its version.',
});

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

/** @param quotes undefined if the conversation was erased after the list was read */
export function listedConversationView(
  row: ConversationRow,
  { quotes, words }: { quotes: Quotes | undefined; words: readonly string[] },
): z.output<typeof ListedConversation> {
  const last = quotes?.last ?? null;
  return {
    ...conversationView(row),
    last_message: last && { ...last, text: cut(last.text, QUOTE_MAX) },
    match: matchIn(row, { turn: quotes?.match ?? null, words }),
  };
}

function matchIn(
  { summary }: ConversationRow,
  { turn, words }: { turn: Quotes['match']; words: readonly string[] },
): z.output<typeof ListedConversation>['match'] {
  if (turn) return { ...turn, text: excerptAround(turn.text, words) };
  const inSummary = (summary ?? '').toLowerCase();
  if (!words.some((word) => inSummary.includes(word.toLowerCase()))) return null;
  return { index: null, role: null, text: excerptAround(summary ?? '', words) };
}

const ms = z.int().min(0).meta({ description: 'Milliseconds since the conversation started.' });

const chunks = z.array(
  z.strictObject({
    source_id: z.string(),
    document_id: z.string(),
    chunk_id: z.string(),
    score: z.number(),
    similarity: z.number().optional().meta({
      description:
        'Similarity in meaning between the question and the passage, at most 1. Absent if it was not computed.',
    }),
  }),
);

const tokens = z.int().min(0);

const turnModel = z.strictObject({
  provider: z.string().meta({ description: 'Name of the model provider, or `default`.' }),
  name: z.string().meta({ description: 'Name of the model that replied.' }),
  finish_reason: z.string(),
  steps: z
    .int()
    .min(0)
    .meta({ description: 'Number of model requests. Each round of tool calls adds one.' }),
  usage: z.strictObject({
    input_tokens: tokens,
    output_tokens: tokens,
    cached_input_tokens: tokens,
    estimated: z.boolean().meta({
      description:
        'True if Parley estimated the number of tokens, because the response was incomplete.',
    }),
  }),
  cost: z.strictObject({ amount: z.number().min(0), currency: z.string() }).nullable(),
  time_to_first_token_ms: z.number().min(0).nullable(),
});

export const Turn = z
  .strictObject({
    index: z.int().min(0),
    role: z.enum(['user', 'agent', 'tool', 'human', 'system']),
    name: z.string().optional().meta({
      description: 'Name of the human agent who spoke. Only in turns with the role `human`.',
    }),
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
          .meta({ description: 'Passages that were found but not used for the reply.' }),
      })
      .optional()
      .meta({
        description:
          'Knowledge search for the reply: the query, and the passages that the reply uses, best first.',
      }),
    latency: z.record(z.string(), z.number()).optional().meta({
      description: 'Latency of each part of the turn in milliseconds. `turn_ms` is the total.',
    }),
    agent_id: z.string().optional().meta({
      description: 'Agent that spoke or called the tool. After a handoff, this is the new agent.',
    }),
    agent_version: z.int().min(1).optional(),
    model: turnModel.optional().meta({ description: 'Model usage of this turn.' }),
    error: z
      .strictObject({ code: z.string(), detail: z.string() })
      .optional()
      .meta({ description: 'Why the reply is missing or incomplete.' }),
    redacted: z
      .strictObject(
        Object.fromEntries(REDACTION_KINDS.map((kind) => [kind, z.int().min(1).optional()])),
      )
      .optional()
      .meta({
        description: "Number of items of each kind that were removed from the user's text.",
      }),
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
    personName,
  } = row;
  return {
    index: row.index,
    role: row.role,
    ...(personName && { name: personName }),
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
      .regex(...saying(/\S/, 'must not be blank'))
      .describe('Text of the message.'),
  })
  .describe('The message to send.');

export const MessageAnswer = z
  .strictObject({ turns: z.array(Turn), conversation: Conversation })
  .meta({
    id: 'MessageAnswer',
    description: 'Turns that the message added, and the conversation.',
  });

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
  .meta({ id: 'Transcript', description: 'The turns of a conversation.' });
