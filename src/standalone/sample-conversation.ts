import { delay } from '../clock.ts';
import { endConversation } from '../conversations/ending/end-conversation.ts';
import { listConversations } from '../conversations/record/list-conversations.sql.ts';
import { startConversation } from '../conversations/record/start-conversation.ts';
import { reasonOf } from '../errors.ts';
import { fromUuid, toUuid } from '../ids.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import type { RunningApi } from '../roles/api/run.ts';

/**
 * Dependencies of the sample conversations. At the first start, Parley holds one conversation with each agent in
 * examples/, through the same services as the REST API. A new user therefore sees the events of a conversation in the
 * output of `parley start`, and has conversations to read.
 */
export type SampleDeps = {
  store: Pick<ResourceStore, 'get'>;
  log: Logger;
  api: Pick<RunningApi, 'url' | 'conversations'>;
  apiKey: string;
  /** Whether the demo shop is running. The tools of the shop assistant call it. */
  hasShop: boolean;
  /** Shows a line to the user. */
  note: (text: string) => void;
};

const NAMESPACE = 'default';
/** User ID of the sample conversations. Conversations with this ID show that an earlier run has created the samples. */
const USER_ID = 'demo';

/** Agent with tools that call examples/shop.mjs. */
const SHOP_ASSISTANT = 'shop-assistant';

const SAMPLES = [
  {
    agent: 'support',
    // The knowledge in examples/ has answers to the first two messages but not to the third.
    messages: [
      'How much is Tide 500?',
      'What does the orange light on my router mean?',
      'Do you sell mobile phones?',
      'Thank you, goodbye!',
    ],
  },
  {
    agent: SHOP_ASSISTANT,
    // Each message causes a different tool call: the first tool reads, the second makes a change, and the third ends
    // the conversation.
    messages: [
      'Where is my order T-1002?',
      'I want to send T-1001 back, the jacket is too small.',
      'Thank you, goodbye!',
    ],
  },
] as const;
type Sample = (typeof SAMPLES)[number];

const LOOK_EVERY_MS = 500;
/**
 * Maximum number of times to check whether the agent is active. The checks take five minutes in total, during which the
 * user may still edit the examples. If the agent is still not active, the sample conversation is skipped until the next
 * start of Parley.
 */
const LOOKS_MAX = 600;

/**
 * Waits in the background until the agent and its knowledge are active, and then holds the conversation. Only logs
 * failures, because a demonstration must not stop anything. `stop` waits until the conversation has ended.
 */
export function startSample(deps: SampleDeps): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const running = converseOnce(deps, stopping.signal).catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    deps.log.warn({ reason: reasonOf(error) }, 'the sample conversation failed');
  });
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function converseOnce(deps: SampleDeps, signal: AbortSignal): Promise<void> {
  const samples = SAMPLES.filter(({ agent }) => agent !== SHOP_ASSISTANT || deps.hasShop);
  const held = await listConversations(deps.api.conversations.pool, {
    namespace: NAMESPACE,
    userId: USER_ID,
    before: null,
    limit: samples.length,
  });
  if (held.length === samples.length) return;
  for (const sample of samples) {
    const agentId = await waitUntilInForce(deps, sample, signal);
    if (agentId === undefined || held.some((one) => one.agentId === agentId)) continue;
    await converse(deps, { ...sample, agentId }, signal);
    if (signal.aborted) return;
  }
}

async function converse(
  { api: { conversations, url }, apiKey, note }: SampleDeps,
  { agent, agentId, messages }: Sample & { agentId: string },
  signal: AbortSignal,
): Promise<void> {
  const { id } = await startConversation(conversations, {
    namespace: NAMESPACE,
    agentId,
    userId: USER_ID,
    channel: 'chat',
    variables: {},
    metadata: { demo: 'true' },
  });
  let hasEnded = false;
  let failure: string | undefined;
  for (const text of messages) {
    // The signal aborts a slow reply of the model, so that a shutdown does not wait for it.
    const said = { namespace: NAMESPACE, conversationId: id, text, signal };
    const { turns, conversation } = await conversations.takeTurn(said);
    failure ??= turns.find(({ error }) => error !== null)?.error?.detail;
    hasEnded = conversation.endedAt !== null;
    if (hasEnded || signal.aborted) break;
  }
  if (!hasEnded) await endConversation(conversations, { namespace: NAMESPACE, id, reason: 'api' });
  if (signal.aborted) return;
  const at = `/v1/conversations/${fromUuid('conv', id)}/transcript?format=text`;
  if (failure !== undefined) note(`${agent}'s model could not answer: ${failure}`);
  note(`held a sample conversation with ${agent}; to read it:`);
  note(`curl -H "Authorization: Bearer ${apiKey}" '${url}${at}'`);
}

/** Waits for the agent and returns its UUID, or undefined after LOOKS_MAX checks. */
async function waitUntilInForce(
  { store }: SampleDeps,
  { agent }: Sample,
  signal: AbortSignal,
): Promise<string | undefined> {
  // This polls, because a watch may not report status changes.
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const agentId = await idWhenInForce(store, agent);
    if (agentId !== undefined) return agentId;
    await delay(LOOK_EVERY_MS, { signal });
  }
  return undefined;
}

/** Returns the agent's UUID if the agent and all its sources are active as declared, and undefined otherwise. */
async function idWhenInForce(
  store: SampleDeps['store'],
  name: string,
): Promise<string | undefined> {
  const agent = await store.get('Agent', { namespace: NAMESPACE, name });
  if (!isInForce(agent)) return undefined;
  for (const source of sourceNames(agent.spec['knowledge'])) {
    if (!isInForce(await store.get('KnowledgeSource', { namespace: NAMESPACE, name: source })))
      return undefined;
  }
  const id = agent.status['agentId'];
  return typeof id === 'string' ? (toUuid('agt', id) ?? undefined) : undefined;
}

function isInForce(object: Resource | undefined): object is Resource {
  const conditions: unknown = object?.status['conditions'];
  return (
    object?.status['observedGeneration'] === object?.metadata.generation &&
    Array.isArray(conditions) &&
    conditions.some(
      (one: { type?: unknown; status?: unknown }) => one.type === 'Ready' && one.status === 'True',
    )
  );
}

function sourceNames(knowledge: unknown): string[] {
  if (typeof knowledge !== 'object' || knowledge === null) return [];
  const names: unknown = Reflect.get(knowledge, 'sourceNames');
  return Array.isArray(names) ? names.map(String) : [];
}
