import { useQuery } from '@tanstack/react-query';
import { agentName } from '../../data/agents.ts';
import type { Scope } from '../../data/me.ts';
import { ok, parley, type Agent } from '../../data/parley.ts';
import type { Topic } from '../../data/topics.ts';
import { isWithoutModel, useLiveAgents } from './live-agents.tsx';

export type Step = {
  title: string;
  isDone: boolean;
  /** Why the step matters, in one sentence. */
  why: string;
  /**
   * Label and address of the link to the page for this step. `to` is undefined if an earlier step must be done first.
   */
  act: string;
  to: string | undefined;
  search?: Record<string, string>;
  needs: Scope;
};

/** `parley start` creates sample conversations with this user ID, and a sample endpoint with this name. */
const SAMPLE_USER = 'demo';
const SAMPLE_ENDPOINT = 'demo-receiver';
const SAMPLES_MAX = 3;

/** Returns the steps for setting up an agent that serves customers, or undefined until they are known. */
export function useSteps(): Step[] | undefined {
  const agents = useLiveAgents().data;
  const has = useWhatIsThere();
  if (!agents || !has) return undefined;
  const agent = agents.find(({ name }) => name === 'support') ?? agents[0];
  const place = agent && `/agents/${agent.id}`;
  return [
    {
      title: 'Connect a model',
      isDone: has.provider || agents.some(hasDefaultModel),
      why: 'Without a model, agents ignore their prompt and only quote your knowledge.',
      act: 'Connect a model',
      to: '/settings/providers/new',
      needs: 'write',
    },
    {
      title: 'Create an agent',
      isDone: agent !== undefined,
      why: 'An agent is a prompt that people can talk to.',
      act: 'Create the first agent',
      to: '/agents/new',
      needs: 'write',
    },
    {
      title: 'Add knowledge',
      isDone: has.source,
      why: 'Give the agent text, files or a website to answer from.',
      act: 'Add knowledge',
      to: '/knowledge',
      needs: 'write',
    },
    {
      title: 'Talk with the agent',
      isDone: has.conversation,
      why: 'The playground shows how each reply was generated.',
      act: agent ? `Talk with ${agentName(agent)}` : '',
      to: place && `${place}/playground`,
      needs: 'write',
    },
    {
      title: 'Put the agent where your customers are',
      isDone: has.number || agents.some(({ widget }) => (widget?.allowed_origins ?? []).length > 0),
      why: 'On a web page with one line of HTML, or on a telephone number.',
      act: 'Embed the agent',
      to: place,
      ...(agent?.managed_by === 'api' && { search: { edit: 'widget' } }),
      needs: 'publish',
    },
    {
      title: 'Receive the agent’s events',
      isDone: has.endpoint,
      why: 'A webhook reports each conversation to your systems.',
      act: 'Add an endpoint',
      to: '/webhooks/new',
      needs: 'write',
    },
  ];
}

/**
 * Returns true if a model replies for the agent. If the namespace has no model provider, that model comes from Parley's
 * settings. Agents from a manifests folder do not count, because the sample agents there use a scripted model.
 */
function hasDefaultModel(agent: Agent): boolean {
  return agent.managed_by === 'api' && !isWithoutModel(agent);
}

function useWhatIsThere() {
  const provider = useAny('providers', async (signal) => {
    const { data } = await ok(parley.GET('/v1/model_providers', first(1, signal)));
    return data.length > 0;
  });
  const source = useAny('sources', async (signal) => {
    const { data } = await ok(parley.GET('/v1/knowledge/sources', first(1, signal)));
    return data.length > 0;
  });
  const conversation = useAny('conversations', async (signal) => {
    const { data } = await ok(parley.GET('/v1/conversations', first(SAMPLES_MAX, signal)));
    return data.some(({ user_id: user }) => user !== SAMPLE_USER);
  });
  const number = useAny('carriers', async (signal) => {
    const { data } = await ok(parley.GET('/v1/telephony_providers', first(1, signal)));
    return data.length > 0;
  });
  const endpoint = useAny('webhooks', async (signal) => {
    const { data } = await ok(parley.GET('/v1/webhooks', first(2, signal)));
    return data.some(({ name }) => name !== SAMPLE_ENDPOINT);
  });
  const all = { provider, source, conversation, number, endpoint };
  return Object.values(all).includes(undefined)
    ? undefined
    : (all as Record<keyof typeof all, boolean>);
}

/**
 * Returns the result of `queryFn`, or undefined until it is known. `queryFn` checks whether the namespace has objects
 * of one type, and runs again after a change to the topic.
 */
function useAny(topic: Topic, queryFn: (signal: AbortSignal) => Promise<boolean>) {
  const query = useQuery({
    queryKey: [topic, 'steps'],
    queryFn: ({ signal }) => queryFn(signal),
  });
  return query.data;
}

function first(limit: number, signal: AbortSignal) {
  return { params: { query: { limit } }, signal };
}
