/**
 * Topics of queries. The first element of every query key is a topic. A change on the stream refreshes all queries of its
 * topics.
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

/** Topics by the resource of a `change` hint. */
const OF_RESOURCE: Record<string, readonly Topic[]> = {
  agents: ['agents', 'audit'],
  webhooks: ['webhooks', 'audit'],
  knowledge_sources: ['sources', 'search', 'audit'],
  model_providers: ['providers', 'audit'],
  telephony_providers: ['carriers', 'audit'],
  // A question that is asked again changes the count of its gap, and no event reports that.
  conversations: ['conversations', 'escalations', 'calls', 'gaps'],
};

export function topicsOfResource(resource: string): readonly Topic[] {
  return OF_RESOURCE[resource] ?? TOPICS;
}

/** Returns the topics of an event type. Every event also changes the lists of events and deliveries. */
export function topicsOfEvent(type: string): readonly Topic[] {
  const [about] = type.split('.');
  const log: readonly Topic[] = ['events', 'deliveries'];
  if (about === 'conversation') return ['conversations', 'calls', 'stats', ...log];
  if (about === 'escalation') return ['escalations', 'conversations', 'stats', ...log];
  if (type === 'knowledge.gap.detected') return ['gaps', 'stats', ...log];
  if (about === 'knowledge') return ['sources', ...log];
  return ['agents', ...log];
}
