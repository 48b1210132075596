import { z } from 'zod';

/**
 * Schemas for the `data` of the nine event types (contract/events.md#types). Fields are in the order in which they are
 * sent. A field marked `?` in the contract is `.optional()` here.
 */

const agentId = z.string().meta({ description: 'ID of the agent, `agt_…`.' });
const conversationId = z.string().meta({ description: 'ID of the conversation, `conv_…`.' });
const channel = z.enum(['chat', 'voice', 'sms', 'web_voice']);
const version = z.int().min(1).meta({ description: 'Number of the agent version.' });
/**
 * Optional fields at the end of a conversation's events. They save the receiver a request. A field is omitted if it has
 * no value, or if it is already a fixed field of the event type.
 */
const userId = z.string().optional().meta({ description: 'Your own ID for the user.' });
const metadata = z
  .record(z.string(), z.string())
  .optional()
  .meta({ description: 'Metadata of the conversation. Absent if it is empty.' });
const callId = z
  .string()
  .optional()
  .meta({ description: 'ID of the call, `call_…`. Absent if there was no call.' });
const about = { user_id: userId, metadata, call_id: callId };
const aboutAndChannel = { ...about, channel: channel.optional() };
const csat = z
  .number()
  .min(1)
  .max(5)
  .meta({ description: 'Predicted satisfaction of the user, from 1.0 to 5.0.' });
const person = z.strictObject({ id: z.string(), name: z.string() });
const outcome = z.enum([
  'resolved',
  'unresolved',
  'escalated',
  'abandoned',
  'voicemail',
  'failed',
  'unknown',
]);
const judgement = z
  .strictObject({
    provider: z.string(),
    model: z.string(),
    topics: z.array(z.string()),
    open_questions: z.array(z.string()),
    by_rule: z.strictObject({ summary: z.string(), outcome, csat_predicted: csat }),
  })
  .meta({
    description:
      'Details of how a model judged the conversation. Present only if a model determined the summary, ' +
      'the outcome and the predicted satisfaction.',
  });

export const EVENT_DATA = {
  'conversation.started': z.strictObject({
    conversation_id: conversationId,
    agent_id: agentId,
    agent_version: version,
    channel,
    rollout: z
      .strictObject({ id: z.string(), arm: z.enum(['from', 'to']), weight: z.int() })
      .optional()
      .meta({
        description:
          'Rollout that the conversation is part of. `arm` is `from` for the old version and `to` for the ' +
          'new one. Absent if the conversation is not part of a rollout.',
      }),
    ...about,
  }),
  'conversation.ended': z.strictObject({
    conversation_id: conversationId,
    agent_id: agentId,
    channel,
    duration_sec: z.int().min(0),
    outcome,
    csat_predicted: csat,
    transcript_url: z.url(),
    agent_version: version,
    ended_reason: z.string(),
    ...about,
  }),
  'conversation.transcript.ready': z.strictObject({
    conversation_id: conversationId,
    agent_id: agentId,
    agent_version: version,
    transcript_url: z.url(),
    summary: z.string(),
    turns: z.int().min(0),
    outcome,
    csat_predicted: csat,
    judgement: judgement.optional(),
    ...aboutAndChannel,
  }),
  'escalation.requested': z.strictObject({
    escalation_id: z.string(),
    conversation_id: conversationId,
    agent_id: agentId,
    reason: z.string(),
    summary: z.string(),
    team: z
      .string()
      .optional()
      .describe('Label of the team that is asked to accept the escalation.'),
    released_by: person
      .optional()
      .describe(
        'Colleague who accepted the escalation, but then released it or stopped responding. Present if ' +
          'the event asks for another colleague.',
      ),
    ...aboutAndChannel,
  }),
  'escalation.accepted': z.strictObject({
    escalation_id: z.string(),
    conversation_id: conversationId,
    agent_id: agentId,
    accepted_by: person,
    wait_sec: z.int().min(0),
    ...aboutAndChannel,
  }),
  'knowledge.gap.detected': z.strictObject({
    gap_id: z.string(),
    conversation_id: conversationId,
    agent_id: agentId,
    question: z.string(),
    top_score: z.number(),
    ...aboutAndChannel,
  }),
  'knowledge.source.synced': z.strictObject({
    source_id: z.string(),
    source_type: z.enum(['website', 'file', 'text', 'integration']),
    name: z.string(),
    status: z.string(),
    documents: z.int().min(0),
    added: z.int().min(0),
    updated: z.int().min(0),
    removed: z.int().min(0),
    failed: z.int().min(0),
    duration_sec: z.number().min(0),
  }),
  'agent.published': z.strictObject({
    agent_id: agentId,
    name: z.string(),
    version,
    previous_version: version
      .nullable()
      .meta({ description: 'Version that was live before. Null for the first activation.' }),
    actor: z.string(),
  }),
  'agent.rolled_back': z.strictObject({
    agent_id: agentId,
    name: z.string(),
    version,
    from_version: version,
    actor: z.string(),
    reason: z.string().nullable(),
    rollout: z
      .strictObject({
        id: z.string(),
        step: z.int().min(1),
        weight: z.int(),
        evidence: z.record(z.string(), z.unknown()).nullable(),
      })
      .optional()
      .meta({
        description:
          'The rollout that was aborted. `evidence` contains the metrics of both versions. It is null if ' +
          'a change to the declaration aborted the rollout.',
      }),
  }),
} as const satisfies Record<string, z.ZodObject>;

export type EventType = keyof typeof EVENT_DATA;
export type EventData<T extends EventType> = z.output<(typeof EVENT_DATA)[T]>;

// `Object.keys` returns `string[]`, but the keys are exactly the event types in the object above.
export const EVENT_TYPES = Object.keys(EVENT_DATA) as EventType[];

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(EVENT_DATA, text);
}

/** Returns every entry of `event_types` that covers a type: the type, its groups (`agent.*`) and `*`. */
export function subscriptionsTo(type: EventType): string[] {
  const parts = type.split('.');
  const groups = parts.slice(1).map((_, i) => `${parts.slice(0, i + 1).join('.')}.*`);
  return ['*', ...groups, type];
}

/** Returns true if an endpoint's `event_types` cover a type. An empty list covers all. */
export function isSubscribed(eventTypes: readonly string[], type: EventType): boolean {
  return (
    eventTypes.length === 0 || subscriptionsTo(type).some((entry) => eventTypes.includes(entry))
  );
}

/** Valid entries of `event_types`. */
export const SUBSCRIPTIONS: ReadonlySet<string> = new Set(EVENT_TYPES.flatMap(subscriptionsTo));
