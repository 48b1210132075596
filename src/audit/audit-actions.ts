/**
 * Audit log actions (contract/audit-log.md#actions), in the form `noun.verbed`. This list omits the actions `created`,
 * `updated` and `deleted`, which every kind of declared resource has (`actionsOn`).
 */
export const OTHER_ACTIONS = [
  'agent.published',
  'agent.rolled_back',
  'agent.rollout_advanced',
  'agent.rollout_held',
  'agent.rollout_resumed',
  'agent.rollout_aborted',
  'agent.recalled',
  'webhook.replayed',
  'webhook.secret_rotated',
  'webhook.secret_activated',
  'webhook.rotation_canceled',
  'knowledge_source.synced',
  'knowledge_source.sync_canceled',
  'knowledge_source.uploaded',
  'knowledge_gap.resolved',
  'knowledge_gap.updated',
  'knowledge_gap.withdrawn',
  'escalation.requested',
  'escalation.accepted',
  'escalation.declined',
  'escalation.completed',
  'escalation.released',
  'escalation.note_deleted',
  'canned_reply.created',
  'canned_reply.updated',
  'canned_reply.deleted',
  'job.created',
  'job.stopped',
  'event.replayed',
  'delivery.retried',
  'conversation.erased',
  'customer.erased',
  'api_key.created',
  'api_key.rotated',
  'api_key.deleted',
  'session.created',
  'session.ended',
  'encryption_key.resealed',
] as const;

const KIND_VERBS = ['created', 'updated', 'deleted'] as const;
type KindAction = `${string}.${(typeof KIND_VERBS)[number]}`;

export type AuditAction = (typeof OTHER_ACTIONS)[number] | KindAction;

/**
 * Returns the `created`, `updated` and `deleted` actions of a kind of declared resource. `noun` is the kind's name in
 * the audit log.
 */
export function actionsOn(noun: string): KindAction[] {
  return KIND_VERBS.map((verb): KindAction => `${noun}.${verb}`);
}
