import type { EventData, EventType } from './event-types.ts';

/**
 * Realistic `data` for each event type. Parley sends it in test events for which the caller gives no data, and shows it
 * in the API description. The ids are well-formed but belong to no object.
 */
const AGENT = 'agt_06dmv3v9ssn80yhpw1gqcsk0j4';
const CONVERSATION = 'conv_06dmv3w2k1q8b7n5r4x9c0t3ze';
const TRANSCRIPT = `https://parley.example.com/v1/conversations/${CONVERSATION}/transcript`;
const ESCALATION = 'esc_06dmv3w9f2h6j8m1p3s5v7y0ab';

/** Optional fields that follow the fixed fields of a conversation's events. */
const ABOUT = {
  user_id: 'customer-4711',
  metadata: { plan: 'gold' },
  call_id: 'call_06dmv3vxk4c7e9g1j3m5p7r9t2',
};
const ROLLOUT = 'ro_06dmv3vxk4c7e9g1j3m5p7r9t2';
const ABOUT_AND_CHANNEL = { ...ABOUT, channel: 'voice' } as const;

export const EVENT_SAMPLES: { [T in EventType]: EventData<T> } = {
  'conversation.started': {
    conversation_id: CONVERSATION,
    agent_id: AGENT,
    agent_version: 3,
    channel: 'voice',
    rollout: { id: ROLLOUT, arm: 'to', weight: 5 },
    ...ABOUT,
  },
  'conversation.ended': {
    conversation_id: CONVERSATION,
    agent_id: AGENT,
    channel: 'voice',
    duration_sec: 184,
    outcome: 'resolved',
    csat_predicted: 4.4,
    transcript_url: TRANSCRIPT,
    agent_version: 3,
    ended_reason: 'user_hangup',
    ...ABOUT,
  },
  'conversation.transcript.ready': {
    conversation_id: CONVERSATION,
    agent_id: AGENT,
    agent_version: 3,
    transcript_url: TRANSCRIPT,
    summary: 'The customer asked when an order would arrive and was told the date.',
    turns: 9,
    outcome: 'resolved',
    csat_predicted: 4,
    judgement: {
      provider: 'default',
      model: 'gpt-5-mini',
      topics: ['delivery'],
      open_questions: [],
      by_rule: {
        summary: 'The user asked “When does my order arrive?” and was answered.',
        outcome: 'resolved',
        csat_predicted: 3.5,
      },
    },
    ...ABOUT_AND_CHANNEL,
  },
  'escalation.requested': {
    escalation_id: ESCALATION,
    conversation_id: CONVERSATION,
    agent_id: AGENT,
    reason: 'user_request',
    summary: 'The customer wants to talk to a person about a refund.',
    team: 'first line',
    released_by: { id: 'operator-7', name: 'Ana Lima' },
    ...ABOUT_AND_CHANNEL,
  },
  'escalation.accepted': {
    escalation_id: ESCALATION,
    conversation_id: CONVERSATION,
    agent_id: AGENT,
    accepted_by: { id: 'operator-12', name: 'Kim Larsen' },
    wait_sec: 37,
    ...ABOUT_AND_CHANNEL,
  },
  'knowledge.gap.detected': {
    gap_id: 'gap_06dmv3wc4e6g8j0k2m4n6p8r0s',
    conversation_id: CONVERSATION,
    agent_id: AGENT,
    question: 'Do you deliver to Svalbard?',
    top_score: 0.21,
    ...ABOUT_AND_CHANNEL,
  },
  'knowledge.source.synced': {
    source_id: 'ks_06dmv3wf1b3d5f7h9j1k3m5n7p',
    source_type: 'website',
    name: 'help-centre',
    status: 'ready',
    documents: 128,
    added: 4,
    updated: 9,
    removed: 1,
    failed: 0,
    duration_sec: 12.6,
  },
  'agent.published': {
    agent_id: AGENT,
    name: 'support',
    version: 3,
    previous_version: 2,
    actor: 'kubernetes:kubectl-client-side-apply',
  },
  'agent.rolled_back': {
    agent_id: AGENT,
    name: 'support',
    version: 2,
    from_version: 3,
    actor: 'kubernetes:kubectl-client-side-apply',
    reason: 'version 3 gave wrong delivery dates',
    rollout: { id: ROLLOUT, step: 1, weight: 5, evidence: null },
  },
};
