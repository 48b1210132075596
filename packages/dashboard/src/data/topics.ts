/**
 * Kinds of data, called topics. A query whose key starts with a topic is read again when the event stream reports a
 * change to that topic.
 */
export const TOPICS = [
  'me',
  'agents',
  'stats',
  'conversations',
  'escalations',
  'calls',
  'sources',
  'gaps',
  'search',
  'providers',
  'carriers',
  'webhooks',
  'events',
  'deliveries',
  'jobs',
  'keys',
  'sessions',
  'audit',
  'usage',
] as const;
export type Topic = (typeof TOPICS)[number];

/** Topics to refresh after a `change` hint, by the name of the resource in the hint. */
const OF_RESOURCE: Record<string, readonly Topic[]> = {
  agents: ['agents', 'audit'],
  webhooks: ['webhooks', 'audit'],
  knowledge_sources: ['sources', 'search', 'audit'],
  model_providers: ['providers', 'audit'],
  telephony_providers: ['carriers', 'audit'],
  // Includes `gaps`, because asking a question again changes the count of its gap, and no event reports that.
  conversations: ['conversations', 'escalations', 'calls', 'gaps'],
};

export function topicsOfResource(resource: string): readonly Topic[] {
  return OF_RESOURCE[resource] ?? TOPICS;
}

/** Returns the topics that an event affects. Every event also changes the lists of events and deliveries. */
export function topicsOfEvent(type: string): readonly Topic[] {
  const [about] = type.split('.');
  const log: readonly Topic[] = ['events', 'deliveries'];
  if (about === 'conversation') return ['conversations', 'calls', 'stats', ...log];
  if (about === 'escalation') return ['escalations', 'conversations', 'stats', ...log];
  if (type === 'knowledge.gap.detected') return ['gaps', 'stats', ...log];
  if (about === 'knowledge') return ['sources', ...log];
  return ['agents', ...log];
}
