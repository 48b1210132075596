import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createParleyClient, ok, type ParleyClient } from '../../../packages/client/src/client.ts';
import { OPENING, PROMPTS, RETURNS, SHOP_TALKS, SIZES, SUPPORT_TALKS } from './words.ts';

/** What the pictures are taken of, by id: each is what its page shows. */
export type Scene = {
  agentId: string;
  supportId: string;
  conversationId: string;
  waitingId: string;
  acceptedId: string;
  sourceId: string;
  gapId: string;
  endpointId: string;
  deliveryId: string;
  eventId: string;
  callId: string;
  stop: () => Promise<void>;
};

type As = { key: ParleyClient; ana: ParleyClient };
type Waiting = { conversationId: string; escalationId: string };

/**
 * An afternoon at the shop of the examples, made by the API alone. What people do is done by Ana, in a
 * session of her own. `support` and `shop-assistant` are those of `examples/`.
 */
export async function setScene(url: string, key: ParleyClient, apiKey: string): Promise<Scene> {
  const ana = await signedIn(url, apiKey);
  const as = { key, ana };
  const [supportId, shopId] = [
    await liveAgent(key, 'support'),
    await liveAgent(key, 'shop-assistant'),
  ];
  const receiver = await startFailingReceiver();
  const endpointId = await anEndpoint(key, receiver.url);
  const { agentId, sourceId } = await anAgentOfOnesOwn(as);
  for (const { texts, csat } of SUPPORT_TALKS) await talk(key, supportId, texts, csat);
  const conversationId = await talk(key, shopId, SHOP_TALKS, 5);
  for (const texts of SIZES) await talk(key, agentId, texts, 4);
  const gapId = await gaps(as);
  const accepted = await wait(key, supportId, 'My line has been down since Monday.', 'Line down');
  await takeOver(ana, accepted);
  const waiting = await wait(
    key,
    supportId,
    'I have been charged twice. I want a person.',
    'Charged twice',
  );
  const callId = await aCall(key, supportId);
  await ok(key.POST('/v1/api_keys', { body: { name: 'Grafana, figures', scopes: ['read'] } }));
  const delivery = await failedDelivery(key, endpointId);
  const since = Math.floor(Date.now() / 1000) - 3600;
  const params = { path: { id: endpointId } };
  await ok(ana.POST('/v1/webhooks/{id}/replay', { params, body: { since, mode: 'retrying' } }));
  return {
    agentId,
    supportId,
    conversationId,
    waitingId: waiting.escalationId,
    acceptedId: accepted.escalationId,
    sourceId,
    gapId,
    endpointId,
    deliveryId: delivery.id,
    eventId: delivery.event_id,
    callId,
    stop: receiver.stop,
  };
}

/** A client of the session of a person, as a browser has one. */
async function signedIn(url: string, apiKey: string): Promise<ParleyClient> {
  const answer = await fetch(`${url}/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ api_key: apiKey, name: 'Ana' }),
  });
  const cookie = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0]!);
  return createParleyClient({
    baseUrl: url,
    fetch: (request) => {
      request.headers.set('cookie', cookie.join('; '));
      request.headers.set('origin', url);
      return fetch(request);
    },
  });
}

async function liveAgent(key: ParleyClient, name: string): Promise<string> {
  for (;;) {
    const { data } = await ok(key.GET('/v1/agents', { params: { query: { name, ready: true } } }));
    const [agent] = data;
    if (agent?.active_version) return agent.id;
    await new Promise((go) => setTimeout(go, 200));
  }
}

async function anAgentOfOnesOwn({ key, ana }: As): Promise<{ agentId: string; sourceId: string }> {
  const source = await ok(
    key.POST('/v1/knowledge/sources', { body: { type: 'file', name: 'size-guide' } }),
  );
  await ok(
    ana.PUT('/v1/knowledge/sources/{id}/content', {
      params: { path: { id: source.id }, query: { file_name: 'size-guide.md' } },
      body: RETURNS,
      bodySerializer: (text: string) => text,
      headers: { 'content-type': 'text/markdown' },
    }),
  );
  const [first, ...later] = PROMPTS;
  const { id: agentId } = await ok(
    ana.POST('/v1/agents', {
      body: {
        name: 'size-adviser',
        display_name: 'Size adviser',
        prompt: first!,
        first_message: OPENING,
        language: 'en-GB',
        knowledge: { source_names: ['size-guide'] },
        escalation: { rules: [{ when: 'user_request' }], timeout_sec: 300 },
      },
    }),
  );
  const params = { path: { id: agentId } };
  for (const [at, prompt] of later.entries()) {
    await talk(key, agentId, SIZES[0]!, 5 - at);
    await ok(ana.PATCH('/v1/agents/{id}', { params, body: { prompt } }));
  }
  for (const texts of SIZES) await talk(key, agentId, texts, 2);
  const reason = 'told people to order two sizes; returns doubled';
  await ok(ana.POST('/v1/agents/{id}/rollback', { params, body: { version: 2, reason } }));
  return { agentId, sourceId: source.id };
}

async function talk(key: ParleyClient, agentId: string, texts: string[], csat: number | null) {
  const { id } = await begin(key, agentId);
  for (const text of texts) await say(key, id, text);
  const params = { path: { id } };
  const { status } = await ok(key.GET('/v1/conversations/{id}', { params }));
  if (status !== 'ended') await ok(key.POST('/v1/conversations/{id}/end', { params }));
  if (csat !== null)
    await ok(key.POST('/v1/conversations/{id}/feedback', { params, body: { csat } }));
  return id;
}

let people = 0;

function begin(key: ParleyClient, agentId: string) {
  people += 1;
  const userId = `customer-${1040 + people}`;
  return ok(key.POST('/v1/conversations', { body: { agent_id: agentId, user_id: userId } }));
}

function say(key: ParleyClient, id: string, text: string) {
  return ok(
    key.POST('/v1/conversations/{id}/messages', { params: { path: { id } }, body: { text } }),
  );
}

/** What nobody could answer: one of them Ana has. @returns one that is open */
async function gaps({ key, ana }: As): Promise<string> {
  const { data } = await ok(
    key.GET('/v1/knowledge/gaps', { params: { query: { status: 'open' } } }),
  );
  const answered = data.find(({ question }) => question.includes('Bristol'));
  if (answered) {
    const params = { path: { id: answered.id } };
    const answer = 'Yes: 3 Castle Street in Bristol, Monday to Saturday from 9 to 6.';
    await ok(ana.POST('/v1/knowledge/gaps/{id}/resolve', { params, body: { answer } }));
  }
  return data.find(({ id }) => id !== answered?.id)!.id;
}

async function wait(
  key: ParleyClient,
  agentId: string,
  text: string,
  reason: string,
): Promise<Waiting> {
  const { id: conversationId } = await begin(key, agentId);
  await say(key, conversationId, 'What does the light on my router mean?');
  await say(key, conversationId, text);
  const params = { path: { id: conversationId } };
  const { data } = await ok(
    key.GET('/v1/escalations', { params: { query: { conversation_id: conversationId } } }),
  );
  const escalationId =
    data[0]?.id ??
    (await ok(key.POST('/v1/conversations/{id}/escalate', { params, body: { reason } }))).id;
  return { conversationId, escalationId };
}

async function takeOver(
  ana: ParleyClient,
  { conversationId, escalationId }: Waiting,
): Promise<void> {
  const params = { path: { id: escalationId } };
  const acceptedBy = { id: 'Ana', name: 'Ana' };
  await ok(ana.POST('/v1/escalations/{id}/accept', { params, body: { accepted_by: acceptedBy } }));
  const text =
    'I am sorry about that. I see a fault on your line; an engineer comes tomorrow at 9.';
  await ok(ana.POST('/v1/escalations/{id}/messages', { params, body: { text } }));
  await say(ana, conversationId, 'Thank you, that is all I wanted to know.');
}

async function aCall(key: ParleyClient, agentId: string): Promise<string> {
  const turns = ['How much is Tide 500?', 'And how do I cancel?'].map((text) => ({ text }));
  const body = { agent_id: agentId, to: '+442071838750', simulated: { ring_ms: 800, turns } };
  const { id } = await ok(key.POST('/v1/calls', { body }));
  for (;;) {
    const { ended_at: endedAt } = await ok(key.GET('/v1/calls/{id}', { params: { path: { id } } }));
    if (endedAt !== null) return id;
    await new Promise((go) => setTimeout(go, 300));
  }
}

async function anEndpoint(key: ParleyClient, url: string): Promise<string> {
  const body = {
    url,
    description: 'Orders, under maintenance',
    event_types: ['conversation.*' as const],
  };
  return (await ok(key.POST('/v1/webhooks', { body }))).id;
}

/** The one that the endpoint refused last. */
async function failedDelivery(key: ParleyClient, endpointId: string) {
  const params = { path: { id: endpointId } };
  for (;;) {
    const { last_failure: failure } = await ok(key.GET('/v1/webhooks/{id}', { params }));
    if (failure) {
      const path = { id: failure.delivery_id };
      return ok(key.GET('/v1/deliveries/{id}', { params: { path } }));
    }
    await new Promise((go) => setTimeout(go, 300));
  }
}

async function startFailingReceiver(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((_, response) =>
    response.writeHead(503).end('down for maintenance\n'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/orders`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
