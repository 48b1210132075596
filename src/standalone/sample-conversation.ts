import { setTimeout } from 'node:timers/promises';
import { endConversation } from '../conversations/ending/end-conversation.ts';
import { listConversations } from '../conversations/record/list-conversations.sql.ts';
import { startConversation } from '../conversations/record/start-conversation.ts';
import { reasonOf } from '../errors.ts';
import { fromUuid, toUuid } from '../ids.ts';
import type { Logger } from '../platform/observability/logger.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';
import type { RunningApi } from '../roles/api/run.ts';

/**
 * One conversation with the agent of examples/, held at the first start through the services that
 * REST goes through, so that a new user sees every kind of line that a conversation makes and has
 * one to read.
 */
export type SampleDeps = {
  store: Pick<ResourceStore, 'get'>;
  log: Logger;
  api: Pick<RunningApi, 'url' | 'conversations'>;
  apiKey: string;
  /** Shows a line to the user. */
  note: (text: string) => void;
};

const NAMESPACE = 'default';
const AGENT = 'support';
/** Who speaks in it; by that it is known that there was one. */
const USER_ID = 'demo';

/** The first two are answered from the examples' knowledge; they have nothing on the third. */
const MESSAGES = [
  'How much is Tide 500?',
  'What does the orange light on my router mean?',
  'Do you sell mobile phones?',
  'Thank you, goodbye!',
];

const LOOK_EVERY_MS = 500;
/** Five minutes, for somebody who edits the examples; after that the next start looks. */
const LOOKS_MAX = 600;

/**
 * Waits in the background until the agent and its knowledge are in force, then holds it. What
 * fails is logged: a demonstration stops nothing. `stop` waits for it to end.
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
  const { conversations, url } = deps.api;
  const page = { namespace: NAMESPACE, userId: USER_ID, before: null, limit: 1 };
  if ((await listConversations(conversations.pool, page)).length > 0) return;
  const agentId = await waitUntilInForce(deps, signal);
  if (agentId === undefined) return;
  const { id } = await startConversation(conversations, {
    namespace: NAMESPACE,
    agentId,
    userId: USER_ID,
    channel: 'chat',
    variables: {},
    metadata: { demo: 'true' },
  });
  for (const text of MESSAGES) {
    await conversations.takeTurn({ namespace: NAMESPACE, conversationId: id, text });
  }
  await endConversation(conversations, { namespace: NAMESPACE, id, reason: 'api' });
  const at = `/v1/conversations/${fromUuid('conv', id)}/transcript?format=text`;
  deps.note('a sample conversation was held; to read it:');
  deps.note(`curl -H "Authorization: Bearer ${deps.apiKey}" '${url}${at}'`);
}

/** The agent's uuid. */
async function waitUntilInForce(
  { store }: SampleDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Not by a watch, which need not report a change of the status.
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const agentId = await idWhenInForce(store);
    if (agentId !== undefined) return agentId;
    await setTimeout(LOOK_EVERY_MS, undefined, { signal });
  }
  return undefined;
}

/** The agent's uuid, once it and every source it names are in force as declared. */
async function idWhenInForce(store: SampleDeps['store']): Promise<string | undefined> {
  const agent = await store.get('Agent', { namespace: NAMESPACE, name: AGENT });
  if (!isInForce(agent)) return undefined;
  for (const name of sourceNames(agent.spec['knowledge'])) {
    if (!isInForce(await store.get('KnowledgeSource', { namespace: NAMESPACE, name })))
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
