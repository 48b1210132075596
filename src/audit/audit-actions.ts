/**
 * Actions of the audit log (contract/audit-log.md#actions): `noun.verbed`. Every kind of declared thing is created,
 * updated and deleted; these are the others.
 */
export const OTHER_ACTIONS = [
  'agent.published',
  'agent.rolled_back',
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
  'job.created',
  'job.stopped',
  'event.replayed',
  'delivery.retried',
  'conversation.erased',
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

/** The actions on a kind of declared thing. `noun`: as the audit log names it. */
export function actionsOn(noun: string): KindAction[] {
  return KIND_VERBS.map((verb): KindAction => `${noun}.${verb}`);
}
