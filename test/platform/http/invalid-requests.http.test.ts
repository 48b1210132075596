import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../../src/platform/observability/logger.ts';
import { serve, type Listening } from '../../../src/platform/http/server.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';

/** Pace of the responses to requests that are not valid HTTP. */

async function start(): Promise<Listening> {
  const log = createLogger('silent', 'test');
  const options = { host: '127.0.0.1', port: 0, fallbackToFreePort: false, log };
  const server = await serve((_request, response) => void response.end('ok'), options);
  onTestFinished(server.stop);
  return server;
}

/** Connects a client that sends a line that is not valid HTTP. */
function nonsense({ port }: Listening): Socket {
  const client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.write('NONSENSE\r\n\r\n');
  onTestFinished(() => void client.destroy());
  return client;
}

test('the twenty-first invalid request of an address is answered at its turn', async () => {
  const server = await start();
  const time = holdTime();
  for (let at = 0; at < 20; at += 1) expect(await text(nonsense(server))).toContain(' 400 ');
  const late = nonsense(server);
  const answer = text(late);
  await time.armed(50);
  await time.advance(49);
  expect(late.bytesRead).toBe(0);
  await time.advance(1);
  expect(await answer).toContain(' 400 ');
  time.release();
});

test('of 201 invalid requests whose answer has to wait the oldest is answered', async () => {
  const server = await start();
  const time = holdTime();
  const clients = Array.from({ length: 221 }, () => nonsense(server).resume());
  const answered = (): number => clients.filter(({ bytesRead }) => bytesRead > 0).length;
  const waiting = (): number => time.waiting().filter((ms) => ms <= 1_000).length;
  // The answered ones wait for a second until they are destroyed, unless their client ends them.
  await until('21 to be answered', () => answered() === 21 && waiting() >= 200);
  await time.advance(1_000);
  await until('the others to be answered', () => answered() === 221);
  time.release();
});
