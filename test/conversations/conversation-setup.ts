import { expect } from 'vitest';
import { toUuid } from '../../src/ids.ts';
import type { Engine } from '../roles/engine.ts';
import type { Scope } from '../../src/platform/http/authorize.ts';
import { startApi, type Api, type Reply } from '../roles/api/api-setup.ts';
import { newTenant } from '../roles/api/shared-api.ts';

/** Conversations by REST, with an agent that knows a few things. */
export type ConversationFixture = Api & {
  agentId: string;
  newAgent: (fields?: Record<string, unknown>) => Promise<string>;
  start: (fields?: Record<string, unknown>) => Promise<string>;
  say: (conversation: string, text: string) => Promise<Reply>;
  end: (conversation: string, fields?: Record<string, unknown>) => Promise<Reply>;
  read: (conversation: string) => Promise<Reply['body']>;
  turns: (conversation: string) => Promise<Reply['body'][]>;
  /** Of a conversation, oldest first. */
  events: (conversation: string) => Promise<{ type: string; data: Reply['body'] }[]>;
  eventTypes: (conversation: string) => Promise<string[]>;
};

export const KNOWLEDGE = `# Delivery

We deliver within three working days in the whole country. Deliveries to islands take five days.

# Returns

You can return everything within 30 days of delivery. We pay for the parcel.

# Opening hours

Our shop is open from Monday to Saturday, nine to six.
`;

export async function startConversationFixture(
  options: Parameters<typeof startApi>[0] = {},
): Promise<ConversationFixture> {
  return conversationsOf(await startApi(options), 'default');
}

/**
 * The same in a namespace of the API that all test files of this worker share. `default` stands for that namespace in
 * `newKey`, and the engine declares in other ones. `stop` stops nothing.
 */
export async function shareConversationFixture(): Promise<ConversationFixture> {
  const { namespace, key, newKey, call, api } = await newTenant();
  const own = {
    ...api,
    key,
    call,
    newKey: (name: string, scopes?: readonly Scope[]) =>
      name === 'default' ? newKey(scopes) : api.newKey(`${namespace}-${name}`, scopes),
    stop: async () => undefined,
  };
  return conversationsOf(own, namespace);
}

async function conversationsOf(api: Api, namespace: string): Promise<ConversationFixture> {
  const { call } = api;
  await declareSource(api.engine, 'handbook', KNOWLEDGE, namespace);
  const newAgent = async (fields: Record<string, unknown> = {}): Promise<string> => {
    const { status, body } = await call('POST', '/v1/agents', {
      json: { prompt: 'Help.', knowledge: { source_names: ['handbook'] }, ...fields },
    });
    expect({ status, body }).toMatchObject({ status: 201, body: { active_version: 1 } });
    return String(body.id);
  };
  const agentId = await newAgent();
  const events: ConversationFixture['events'] = async (conversation) => {
    const { body } = await call('GET', `/v1/events?limit=100&conversation_id=${conversation}`);
    return body.data.toReversed();
  };
  return {
    ...api,
    agentId,
    newAgent,
    events,
    start: async (fields = {}) => {
      const { status, body } = await call('POST', '/v1/conversations', {
        json: { agent_id: agentId, ...fields },
      });
      expect({ status, body }).toMatchObject({ status: 201 });
      return String(body.id);
    },
    say: (conversation, text) =>
      call('POST', `/v1/conversations/${conversation}/messages`, { json: { text } }),
    end: (conversation, json = {}) =>
      call('POST', `/v1/conversations/${conversation}/end`, { json }),
    read: async (conversation) => (await call('GET', `/v1/conversations/${conversation}`)).body,
    turns: async (conversation) =>
      (await call('GET', `/v1/conversations/${conversation}/transcript`)).body.turns,
    eventTypes: async (conversation) => (await events(conversation)).map(({ type }) => type),
  };
}

/** Resolves once it can be searched. */
export async function declareSource(
  engine: Engine,
  name: string,
  text: string,
  namespace = 'default',
): Promise<void> {
  await engine.store.apply(
    { kind: 'KnowledgeSource', namespace, name, spec: { type: 'text', text } },
    { fieldManager: 'kubectl' },
  );
  await engine.settled('KnowledgeSource', name, namespace);
}

/** As if so many seconds had passed since everything in a conversation. */
export async function pass(
  { engine: { pool } }: Pick<ConversationFixture, 'engine'>,
  conversation: string,
  sec: number,
): Promise<void> {
  const uuid = toUuid('conv', conversation);
  await pool.query(
    `update conversations set started_at = started_at - make_interval(secs => $2),
                              expires_at = expires_at - make_interval(secs => $2) where id = $1`,
    [uuid, sec],
  );
  await pool.query(
    `update escalations set requested_at = requested_at - make_interval(secs => $2),
                            times_out_at = times_out_at - make_interval(secs => $2),
                            heartbeat_due_at = heartbeat_due_at - make_interval(secs => $2)
      where conversation_id = $1`,
    [uuid, sec],
  );
}
