import type { AuditAction } from '../../src/audit/audit-actions.ts';

/**
 * What each route that writes leaves in the audit log, by operationId. A new route needs a row in
 * one of the two; test/audit/audited-routes.pg.test.ts is red without it, and does each of them.
 */
export const AUDITED: Record<string, AuditAction> = {
  createAgent: 'agent.created',
  updateAgent: 'agent.updated',
  deleteAgent: 'agent.deleted',
  publishAgent: 'agent.published',
  rollBackAgent: 'agent.rolled_back',
  createWebhook: 'webhook.created',
  updateWebhook: 'webhook.updated',
  deleteWebhook: 'webhook.deleted',
  rotateWebhookSecret: 'webhook.secret_rotated',
  replayWebhook: 'job.created',
  stopJob: 'job.stopped',
  replayEvent: 'event.replayed',
  retryDelivery: 'delivery.retried',
  deleteConversation: 'conversation.erased',
  escalateConversation: 'escalation.requested',
  acceptEscalation: 'escalation.accepted',
  declineEscalation: 'escalation.declined',
  completeEscalation: 'escalation.completed',
  releaseEscalation: 'escalation.released',
  createApiKey: 'api_key.created',
  rotateApiKey: 'api_key.rotated',
  deleteApiKey: 'api_key.deleted',
  createSession: 'session.created',
  deleteSession: 'session.ended',
  createKnowledgeSource: 'knowledge_source.created',
  updateKnowledgeSource: 'knowledge_source.updated',
  deleteKnowledgeSource: 'knowledge_source.deleted',
  syncKnowledgeSource: 'knowledge_source.synced',
  cancelKnowledgeSync: 'knowledge_source.sync_canceled',
  uploadKnowledgeContent: 'knowledge_source.uploaded',
  createModelProvider: 'model_provider.created',
  updateModelProvider: 'model_provider.updated',
  deleteModelProvider: 'model_provider.deleted',
  createTelephonyProvider: 'telephony_provider.created',
  updateTelephonyProvider: 'telephony_provider.updated',
  deleteTelephonyProvider: 'telephony_provider.deleted',
  resolveKnowledgeGap: 'knowledge_gap.resolved',
  updateKnowledgeGap: 'knowledge_gap.updated',
  withdrawKnowledgeGapAnswer: 'knowledge_gap.withdrawn',
};

/** Why a route that writes leaves no line. */
export const NOT_AUDITED: Record<string, string> = {
  startConversation: 'the hot path; a conversation and its event tell of themselves',
  sendMessage: 'the hot path, and the words of a user',
  createChatCompletion: 'the hot path, and the words of a user',
  updateConversation: 'what a program keeps with a conversation, which is its own record',
  endConversation: 'the hot path; conversation.ended tells of it',
  createFeedbackLink: 'it stores nothing; the rating is kept with the conversation',
  rateConversation: 'what a user says of a conversation, kept with it',
  sendHumanMessage: 'a turn of a conversation, as any message',
  keepEscalation: 'it changes nothing: whoever accepted is still there',
  createCall: 'the hot path: a call is how a conversation starts',
  endCall: 'the hot path: a call is how a conversation ends',
  reconcileWebhook: 'it compares; with `replay` it leaves webhook.replayed (receipts.pg.test.ts)',
  testWebhook: 'the hot route of load tests; it changes nothing, and its event is its record',
};
