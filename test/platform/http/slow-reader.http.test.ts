import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createServer, type Server, type ServerResponse } from 'node:http';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sendRouteAnswer } from '../../../src/platform/http/answer.ts';
import type { Answer } from '../../../src/platform/http/route.ts';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';

/** A client on a real socket that does not read: the data that accumulates, and the time when it is cut. */
const STALLED_MS = 400;
const PART = 'x'.repeat(50_000);
/** More than the buffers of both sockets take. */
const PARTS = 2_000;

let server: Server;
let answering: {
  answer: Answer;
  before: (response: ServerResponse) => Promise<unknown>;
  response?: ServerResponse;
  isOver: boolean;
};
let port: number;

beforeEach(async () => {
  const app = express().use(async (_request, response) => {
    answering.response = response;
    await answering.before(response);
    await sendRouteAnswer(response, answering.answer, STALLED_MS);
    answering.isOver = true;
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address ? address.port : 0;
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(
  answer: Answer,
  before: (typeof answering)['before'] = async () => undefined,
): Promise<Socket> {
  answering = { answer, before, isOver: false };
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: test\r\n\r\n');
  return socket;
}

const sent = { parts: 0, mostWaiting: 0 };
const note = (): void => {
  sent.parts += 1;
  sent.mostWaiting = Math.max(sent.mostWaiting, answering.response?.writableLength ?? 0);
};

const FORMS: [string, Answer][] = [
  [
    'a stream of events, as a conversation has it',
    {
      status: 200,
      stream: async (send) => {
        for (let i = 0; i < PARTS; i += 1) {
          await send({ event: 'token', data: { text: PART } });
          note();
        }
      },
    },
  ],
  [
    'a long text, as a transcript is',
    {
      status: 200,
      text: (async function* () {
        for (let i = 0; i < PARTS; i += 1) {
          yield PART;
          note();
        }
      })(),
    },
  ],
];

test.each(FORMS)('%s is cut, and until then little waits for it', async (_, answer) => {
  Object.assign(sent, { parts: 0, mostWaiting: 0 });
  const time = holdTime();
  const socket = await ask(answer);
  await time.armed(STALLED_MS);
  await time.advance(STALLED_MS - 1);
  expect(answering.response?.destroyed).toBe(false);
  // The buffers of both sockets may take more. Each part that they take restarts the time.
  await until('the end', async () => {
    await time.advance(STALLED_MS);
    return answering.isOver;
  });
  expect(answering.response?.destroyed).toBe(true);
  expect(sent.mostWaiting).toBeLessThan(2 * PART.length);
  socket.destroy();
});

test('who reads slowly, but reads, gets everything', async () => {
  const parts = 60;
  const socket = await ask({
    status: 200,
    stream: async (send) => {
      for (let i = 0; i < parts; i += 1) await send({ data: PART });
    },
  });
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    socket.pause();
    setTimeout(() => socket.resume(), 5);
  });
  socket.resume();
  await until('the end', () => answering.isOver && bytes > parts * PART.length);
  socket.destroy();
});

test('who went while the answer was made ends its stream', async () => {
  const endless: Answer = {
    status: 200,
    stream: (_send, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      }),
  };
  const socket = await ask(endless, (response) => once(response, 'close'));
  await until('the request', () => answering.response !== undefined);
  socket.destroy();
  await until('the end', () => answering.isOver);
});
