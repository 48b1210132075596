import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Attack, Target } from '../attack.ts';

/** What a provider of models can do, declared by the attacker. */

/** An agent of a provider that answers every request for a chat by `answer`. */
async function agentOf(
  { create, serve }: Target,
  answer: RequestListener,
  more: object = {},
): Promise<string> {
  const url = await serve((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    if (request.method !== 'GET') return answer(request, response);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"object":"list","data":[]}');
  });
  const provider = await create('/v1/model_providers', {
    base_url: `${url}/v1`,
    chat: { default_model: 'm' },
  });
  const { id } = await create('/v1/agents', {
    prompt: 'Sell.',
    model: { provider: provider.name },
    ...more,
  });
  return id;
}

function begin(response: ServerResponse): (delta: object, finish?: string) => boolean {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  return (delta, finish) => {
    const choices = [{ index: 0, delta, finish_reason: finish ?? null }];
    return response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`,
    );
  };
}

function streamAnswer(response: ServerResponse, deltas: readonly object[], finish: string): void {
  const say = begin(response);
  for (const delta of deltas) say(delta);
  say({}, finish);
  response.end('data: [DONE]\n\n');
}

/** Sends so many deltas as fast as they are read. */
async function streamMany(response: ServerResponse, delta: object, count: number): Promise<void> {
  const say = begin(response);
  const gone = new AbortController();
  const { signal } = gone;
  response.on('close', () => gone.abort());
  for (let i = 0; i < count && !signal.aborted; i += 1)
    if (!say(delta)) await once(response, 'drain', { signal }).catch(() => undefined);
  say({}, 'stop');
  response.end('data: [DONE]\n\n');
}

/** Conversations with such an agent, again and again. An endless one is cut off at small scale. */
const conversations = (
  atOnce: number,
  answer: (target: Target) => RequestListener,
  { agent, isEndless, ...more }: Omit<Attack, 'by' | 'run'> & { agent?: object; isEndless?: true },
): Attack => ({
  ...more,
  by: 'model',
  run: async (target) => {
    const { again, call, held, isFull } = target;
    const agentId = await agentOf(target, answer(target), agent);
    const openTalk = async (): Promise<string | undefined> => {
      const { body } = await call('POST', '/v1/conversations', { json: { agent_id: agentId } });
      return body?.id && `/v1/conversations/${body.id}`;
    };
    const say = (path: string): Promise<unknown> =>
      call('POST', `${path}/messages`, { json: { text: 'Hello.' } });
    if (isFull || !isEndless)
      return again(atOnce, async () => {
        const path = await openTalk();
        if (path === undefined) return;
        await say(path);
        await call('POST', `${path}/end`, { json: {} });
      });
    void say((await openTalk())!);
    await held();
  },
});

export const models: readonly Attack[] = [
  conversations(
    20,
    () => (_, response) => {
      const say = begin(response);
      const writing = (): void => {
        for (let i = 0; i < 50; i += 1) say({ content: 'more and more words ' });
      };
      const timer = setInterval(writing, 50);
      response.on('close', () => clearInterval(timer));
    },
    {
      name: 'endless-model',
      bound: '120 s and 256 Ki characters of a reply',
      answers: ['201'],
      isEndless: true,
    },
  ),
  conversations(20, () => () => undefined, {
    name: 'silent-model',
    bound: '15 s until the first token; concurrent requests of a provider are limited',
    answers: ['201'],
    isEndless: true,
  }),
  conversations(
    2,
    ({ many }) =>
      (_, response) =>
        streamAnswer(response, [{ content: '<'.repeat(many(30_000, 500)) }], 'stop'),
    {
      name: 'model-answers-brackets',
      bound: 'work in proportion to the text',
      answers: ['200', '201'],
    },
  ),
  conversations(
    2,
    ({ many }) =>
      (_, response) => {
        const text = JSON.stringify({ order: 'x'.repeat(many(1_000_000, 1_000)) });
        const calls = [
          { index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: text } },
        ];
        streamAnswer(response, [{ tool_calls: calls }], 'tool_calls');
      },
    {
      name: 'huge-tool-arguments',
      bound: '64 KiB and 10,000 members of arguments; steps of a turn',
      answers: ['200', '201'],
      agent: {
        tools: [
          {
            type: 'webhook',
            name: 'look',
            description: 'Looks up an order',
            url: 'http://127.0.0.1:9/',
            parameters: { type: 'object', properties: { order: { type: 'string' } } },
          },
        ],
      },
    },
  ),
  conversations(
    20,
    ({ many }) =>
      (_, response) =>
        void streamMany(response, { content: 'x' }, many(250_000)),
    {
      name: 'characters-as-events',
      bound: '100,000 events of a stream; 16 MiB/s for all streams, a turn of each namespace',
      answers: ['200', '201'],
    },
  ),
  conversations(
    20,
    ({ many }) =>
      (_, response) => {
        const call = { index: 0, id: 'c1', function: { name: 'look', arguments: 'x' } };
        void streamMany(response, { tool_calls: [call] }, many(60_000));
      },
    {
      name: 'arguments-in-pieces',
      bound: '64 KiB of arguments; 16 MiB/s for all streams, a turn of each namespace',
      answers: ['200', '201'],
    },
  ),
  {
    name: 'hanging-calls',
    by: 'model',
    bound: '16 steps of calls at the same time, 8 of a namespace',
    answers: ['201'],
    run: async (target) => {
      const agent_id = await agentOf(target, () => undefined);
      const simulated = { turns: [{ text: 'Hello?' }] };
      const json = { agent_id, direction: 'outbound', to: '+442071838750', simulated };
      await target.again(4, () => target.call('POST', '/v1/calls', { json }));
    },
  },
  conversations(
    2,
    ({ many }) =>
      (_, response) => {
        response.writeHead(500, { 'content-type': 'application/json' });
        response.end(`{"error":{"message":"${'x'.repeat(many(5_000_000, 1_000))}"}}`);
      },
    {
      name: 'huge-model-errors',
      bound: '64 KiB of an error; 2 retries of a request',
      isEndless: true,
      answers: ['201'],
    },
  ),
  {
    name: 'hanging-judges',
    by: 'model',
    bound: 'a turn of each namespace at judgements; 30 s each',
    answers: ['200', '201'],
    run: async (target) => {
      const { create, again, call, many, serve } = target;
      const url = await serve(() => undefined);
      const { name } = await create('/v1/model_providers', {
        base_url: `${url}/v1`,
        chat: { default_model: 'm' },
      });
      const { id } = await create('/v1/agents', {
        prompt: 'Sell.',
        judgement: { by: 'model', model: { provider: name } },
      });
      await again(many(4), async () => {
        const { body } = await call('POST', '/v1/conversations', { json: { agent_id: id } });
        if (!body?.id) return;
        const path = `/v1/conversations/${body.id}`;
        await call('POST', `${path}/messages`, { json: { text: 'Hello.' } });
        await call('POST', `${path}/end`, { json: {} });
      });
    },
  },
];
