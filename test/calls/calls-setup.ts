import { expect } from 'vitest';
import type { Api, Call, Reply } from '../roles/api/api-setup.ts';
import { newTenant } from '../roles/api/shared-api.ts';
import { addPools, until } from './passing-time.ts';

/** A namespace of the API with a published agent, and helpers for tests of calls. */
export type CallFixture = {
  namespace: string;
  api: Pick<Api, 'engine' | 'newKey' | 'url'> & { call: Call };
  /** The agent has FIRST_MESSAGE, and hands over on request. */
  agentId: string;
  /** Publishes another agent and returns its id. */
  publishAgent: (name: string, fields: object) => Promise<string>;
  /** Places a simulated call with these turns of the user. */
  place: (fields: object, turns: ScriptedTurn[], script?: object) => Promise<Reply>;
  end: (id: string) => Promise<Reply>;
  read: (path: string) => Promise<Reply['body']>;
  /** Returns the call once it has the status. */
  callWhen: (made: Reply, status: string) => Promise<Reply['body']>;
  transcriptOf: (call: Answered) => Promise<{ turns: Turn[] }>;
  /** Returns the role of each turn. */
  saidIn: (call: Answered) => Promise<string[]>;
  /** Returns the texts of the user. */
  userTurnsOf: (call: Answered) => Promise<string[]>;
  /** Returns the types of the conversation's events, newest first. */
  eventsOf: (call: Answered) => Promise<string[]>;
};

type ScriptedTurn = { text: string; after_ms?: number };
type Turn = { role: string; text: string; started_at_ms: number };
type Answered = { conversation_id: string };

export const FIRST_MESSAGE = 'Hello, this is the shop.';
export const TO = '+442071838750';

export async function startCallFixture(): Promise<CallFixture> {
  const { namespace, call, api: shared } = await newTenant();
  const { engine, newKey, url } = shared;
  const api = { engine, newKey, url, call };
  addPools(...shared.pools);
  const read = async (path: string): Promise<Reply['body']> => {
    const reply = await api.call('GET', path);
    expect(reply.status).toBe(200);
    return reply.body;
  };
  const publishAgent = async (name: string, fields: object): Promise<string> => {
    const json = { name, prompt: 'Be kind.', ...fields };
    const made = await api.call('POST', '/v1/agents', { json });
    expect(made.status).toBe(201);
    return made.body.id;
  };
  const transcriptOf = ({ conversation_id }: Answered): Promise<{ turns: Turn[] }> =>
    read(`/v1/conversations/${conversation_id}/transcript`);
  const agentId = await publishAgent('support', {
    first_message: FIRST_MESSAGE,
    escalation: { rules: [{ when: 'user_request' }] },
  });
  return {
    namespace,
    api,
    agentId,
    publishAgent,
    read,
    transcriptOf,
    place: (fields, turns, script = {}) => {
      const json = { agent_id: agentId, to: TO, ...fields, simulated: { ...script, turns } };
      return api.call('POST', '/v1/calls', { json });
    },
    end: (id) => api.call('POST', `/v1/calls/${id}/end`),
    callWhen: (made, status) => {
      const path = `/v1/calls/${made.body.id}`;
      const check = async (): Promise<Reply['body']> => {
        const call = await read(path);
        return call.status === status && call;
      };
      return until(async () => `${status}, but it is ${JSON.stringify(await read(path))}`, check);
    },
    saidIn: async (call) => (await transcriptOf(call)).turns.map(({ role }) => role),
    userTurnsOf: async (call) => {
      const { turns } = await transcriptOf(call);
      return turns.filter(({ role }) => role === 'user').map(({ text }) => text);
    },
    eventsOf: async ({ conversation_id }) => {
      const { data } = await read(`/v1/events?conversation_id=${conversation_id}`);
      return data.map(({ type }: { type: string }) => type);
    },
  };
}
