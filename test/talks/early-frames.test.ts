import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { createLogger } from '../../src/platform/observability/logger.ts';
import { epochMs } from '../../src/clock.ts';
import { createTalkLimits } from '../../src/talks/talk-limits.ts';
import { talkSocket } from '../../src/talks/talk-socket.ts';
import { sealTalkToken } from '../../src/talks/talk-token.ts';

/** What a socket looks at before it has let somebody in. */

const TOKEN = sealTalkToken(
  { seal: (plain) => Buffer.from(plain) },
  {
    by: 'server',
    namespace: 'default',
    agentId: '00000000-0000-7000-8000-000000000000',
    expiresAt: Math.floor(epochMs() / 1_000) + 60,
    origin: null,
    version: null,
    test: false,
    userId: null,
    variables: {},
    metadata: {},
  },
);

/** Sockets of one process whose database fails a query when the test says so. */
function startSockets() {
  const failQuery: (() => void)[] = [];
  const query = (): Promise<never> =>
    new Promise((_, reject) => {
      failQuery.push(() => reject(new ApiError('not_found', 'there is no such agent')));
    });
  const deps = {
    pool: { query },
    sealer: { open: (sealed: Buffer) => sealed.toString('utf8') },
    nowMs: epochMs,
    limits: createTalkLimits(),
    log: createLogger('silent', 'test'),
  };
  // The rest of what a talk needs is of no use before it is let in.
  const { accept } = talkSocket(deps as unknown as Parameters<typeof talkSocket>[0]);
  const open = () => {
    const told: unknown[] = [];
    const handlers = accept(
      {
        send: (text) => void told.push(JSON.parse(text).code),
        sendBytes: () => undefined,
        close: (code) => void told.push(code),
        takeNoMore: () => undefined,
        admit: () => true,
      },
      { headers: {}, url: '/v1/talk', address: '192.0.2.1' },
    );
    const start = (token = TOKEN) =>
      handlers.onText(JSON.stringify({ type: 'start', token, mode: 'chat' }));
    return { handlers, told, start };
  };
  return { open, failQuery };
}

test('frames behind the start are not looked at until the talk is open, and never where it is refused', async () => {
  const { open, failQuery } = startSockets();
  const { handlers, told, start } = open();
  const taken: (Promise<void> | undefined)[] = [start()];
  for (let i = 0; i < 50; i += 1) taken.push(handlers.onText('{'));
  taken.push(handlers.onBytes!(Buffer.alloc(1)));
  await turnOfLoop();
  expect(told).toEqual([]);
  failQuery[0]!();
  for (const one of taken) await one;
  expect(told).toEqual(['not_found', 1008]);
  handlers.onClose(1006);
});

test('the 31st socket of a token in a minute is refused before anything is read, however it spells the token', async () => {
  const { open, failQuery } = startSockets();
  const sockets = Array.from({ length: 30 }, open);
  const refusals = sockets.map(({ start }) => start());
  await turnOfLoop();
  expect(failQuery).toHaveLength(30);
  const late = open();
  await late.start(`${TOKEN} `);
  expect(late.told).toEqual(['rate_limited', 1013]);
  expect(failQuery).toHaveLength(30);
  failQuery.forEach((fail) => fail());
  for (const one of refusals) await one;
  for (const { handlers } of [...sockets, late]) handlers.onClose(1006);
});
