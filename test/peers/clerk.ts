import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startStubModel, type StubReply, type StubRequest } from '../models/stub-model.ts';
import type { Parley } from '../roles/parley-process.ts';

/**
 * What the clients of test/peers talk to beside the agent that quotes: one whose model calls a webhook
 * tool, and one whose model refuses its key. Model and shop are on loopback.
 */
export type Clerk = {
  /** Variables for a client's script: ids of agents, a key that may only read. */
  env: Record<string, string>;
  stop: () => Promise<void>;
};

const REFUSED = 'refused';

export async function startClerk({ call }: Parley): Promise<Clerk> {
  const shop = await startShop();
  const model = await startStubModel({ reply: replyTo, models: ['clerk', REFUSED] });
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await call('POST', path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  await make('/v1/model_providers', {
    name: 'stub',
    base_url: model.url,
    chat: { default_model: 'clerk' },
  });
  const clerk = await make('/v1/agents', {
    prompt: 'You know where orders are.',
    model: { provider: 'stub' },
    tools: [
      {
        type: 'webhook',
        name: 'order_status',
        description: 'Where an order is.',
        url: shop.url,
        parameters: {
          type: 'object',
          properties: { order: { type: 'string' } },
          required: ['order'],
        },
      },
    ],
  });
  const broken = await make('/v1/agents', {
    prompt: 'You cannot answer.',
    model: { provider: 'stub', name: REFUSED },
  });
  const reader = await make('/v1/api_keys', { name: 'reader', scopes: ['read'] });
  return {
    env: {
      PARLEY_CLERK: clerk['id']!,
      PARLEY_BROKEN: broken['id']!,
      PARLEY_READER_KEY: reader['key']!,
    },
    stop: async () => {
      await Promise.all([model.stop(), shop.stop()]);
    },
  };
}

/** Looks up every order it hears of, and says what it read. */
function replyTo({ body }: StubRequest): StubReply {
  if (body.model === REFUSED) return { status: 401 };
  const last = body.messages?.at(-1);
  const text = String(last?.content);
  if (last?.role === 'tool') return { text: `It is ${/on its way|here/.exec(text)?.[0]}.` };
  const order = /T-\d+/.exec(text)?.[0];
  if (order === undefined) return { text: 'You are welcome.' };
  return { text: 'Let me look. ', toolCalls: [{ name: 'order_status', arguments: { order } }] };
}

async function startShop(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'on its way' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
