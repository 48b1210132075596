import type { RequestListener } from 'node:http';
import type { Attack } from '../attack.ts';

/** What a receiver of webhooks can do, declared by the attacker. */

/** Events to so many endpoints. Counts attempts as `attempt`. */
const endpoints = (
  count: number,
  answer: RequestListener,
  more: Omit<Attack, 'by' | 'run' | 'answers'>,
): Attack => ({
  answers: ['attempt', '201'],
  ...more,
  by: 'receiver',
  run: async ({ create, serve, saw, again, call, held, many, isFull }) => {
    const asked = Promise.withResolvers<void>();
    const url = await serve((request, response) => {
      saw('attempt');
      asked.resolve();
      request.resume();
      response.on('error', () => undefined);
      answer(request, response);
    });
    for (let i = 0; i < many(count); i += 1) await create('/v1/webhooks', { url: `${url}/${i}` });
    const { id } = await create('/v1/agents', { prompt: 'Sell.' });
    await again(2, () => call('POST', '/v1/conversations', { json: { agent_id: id } }));
    if (isFull) return;
    await asked.promise;
    await held();
  },
});

export const receivers: readonly Attack[] = [
  endpoints(100, () => undefined, {
    name: 'hanging-receivers',
    bound: '10 s an attempt; 32 concurrent attempts of an endpoint, fewer while it fails',
  }),
  endpoints(100, (_, response) => void setTimeout(() => response.writeHead(204).end(), 9_000), {
    name: 'slow-receivers',
    bound: '32 concurrent attempts of an endpoint; attempts of endpoints take turns',
  }),
  endpoints(100, (_, response) => void response.writeHead(500).end(), {
    name: 'failing-receivers',
    bound: 'a breaker of each endpoint; retries over 72 h',
  }),
  endpoints(100, (_, response) => void response.writeHead(204).end(), {
    name: 'many-receivers',
    bound: '100 endpoints of a namespace; attempts of endpoints take turns',
  }),
  endpoints(
    20,
    (_, response) => {
      const writing = (): void => {
        while (response.writable && response.write('x'.repeat(65_536)));
      };
      response.writeHead(200);
      response.on('drain', writing);
      writing();
    },
    { name: 'endless-receivers', bound: '4 KiB of an answer are kept; 10 s an attempt' },
  ),
  endpoints(
    20,
    (_, response) => {
      const timer = setInterval(() => response.writeProcessing(), 20);
      response.on('close', () => clearInterval(timer));
    },
    { name: 'informational-receivers', bound: '16 informational responses of an attempt' },
  ),
];
