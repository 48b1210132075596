/** The names of what is declared (contract §1): our kinds, their group and version. */

export const API_GROUP = 'parley.dev';
export const API_VERSION = `${API_GROUP}/v1alpha1`;

/** Kind → its plural, as in the path of the Kubernetes API. */
export const KIND_PLURALS = {
  Agent: 'agents',
  WebhookEndpoint: 'webhookendpoints',
  KnowledgeSource: 'knowledgesources',
  ModelProvider: 'modelproviders',
  TelephonyProvider: 'telephonyproviders',
} as const;

/** Where an object's declaration lives: who owns the field that every object of its kind has. */
export type ManagedBy = 'api' | 'kubernetes' | 'file';
