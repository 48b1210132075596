import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../platform/observability/logger.ts';
import type { Resource, ResourceStore } from '../platform/resources/resource-store.ts';

/**
 * One conversation with the agent of examples/, held at the first start, so that a new user sees
 * every kind of line that a conversation makes and has one to read.
 */
export type SampleDeps = {
  store: Pick<ResourceStore, 'get'>;
  log: Logger;
  /** It is held once, however often we are started. */
  wasHeld: () => Promise<boolean>;
  /** @param agentId as in the agent's status; resolves with the conversation's id */
  begin: (agentId: string) => Promise<string>;
  say: (conversationId: string, text: string) => Promise<void>;
  end: (conversationId: string) => Promise<void>;
  /** It has ended and can be read. */
  onHeld: (conversationId: string) => void;
};

const NAMESPACE = 'default';
const AGENT = 'support';

/** The first two are answered from the examples' knowledge; nobody there has heard of the third. */
const SAID = [
  'How much is Tide 500?',
  'What does the orange light on my router mean?',
  'Do you sell mobile phones?',
  'Thank you, goodbye!',
];

const LOOK_EVERY_MS = 500;
/** Until then, somebody who edits the examples has them right again; else the next start looks. */
const LOOKS_MAX = 600;

/**
 * Waits in the background until the agent and its knowledge are in force, then holds it. What
 * fails is logged: a demonstration stops nothing. `stop` waits for what is under way.
 */
export function startSample(deps: SampleDeps): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const running = holdOnce(deps, stopping.signal).catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    deps.log.warn({ reason }, 'the sample conversation failed');
  });
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function holdOnce(deps: SampleDeps, signal: AbortSignal): Promise<void> {
  if (await deps.wasHeld()) return;
  const agentId = await waitUntilInForce(deps, signal);
  if (agentId === undefined) return;
  const conversationId = await deps.begin(agentId);
  for (const text of SAID) await deps.say(conversationId, text);
  await deps.end(conversationId);
  deps.onHeld(conversationId);
}

async function waitUntilInForce(
  { store }: SampleDeps,
  signal: AbortSignal,
): Promise<string | undefined> {
  // Not by a watch: those need not tell of a status.
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const agentId = await idWhenInForce(store);
    if (agentId !== undefined) return agentId;
    await setTimeout(LOOK_EVERY_MS, undefined, { signal });
  }
  return undefined;
}

/** The agent's id, once it and every source it names are in force as declared. */
async function idWhenInForce(store: SampleDeps['store']): Promise<string | undefined> {
  const agent = await store.get('Agent', { namespace: NAMESPACE, name: AGENT });
  if (!isInForce(agent)) return undefined;
  for (const name of sourceNames(agent.spec['knowledge'])) {
    if (!isInForce(await store.get('KnowledgeSource', { namespace: NAMESPACE, name })))
      return undefined;
  }
  const id = agent.status['agentId'];
  return typeof id === 'string' ? id : undefined;
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
