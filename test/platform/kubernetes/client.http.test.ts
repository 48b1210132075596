import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { EventEmitter, once } from 'node:events';

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  APPLY_PATCH,
  createKubeClient,
  noAnswer,
  type KubeClient,
  type KubeRequest,
} from '../../../src/platform/kubernetes/client.ts';
import { KubeConnectionError, KubeError } from '../../../src/platform/kubernetes/kube-error.ts';

/** A server with answers that a real one seldom gives. kubernetes-connections.kube.test.ts covers the rest. */

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
type Answer = (response: ServerResponse) => unknown;

let server: Server;
let client: KubeClient;
let answers: Answer[];
let seen: Seen[];
let counted: string[];
beforeEach(async () => {
  [answers, seen, counted] = [[], [], []];
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, url, headers, body });
      // The last answer stays.
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      return answer?.(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  client = createKubeClient({
    credentials: {
      server: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
      tls: {},
      headers: async () => ({ authorization: 'Bearer t' }),
      namespace: 'default',
    },
    countRequest: (method, code) => counted.push(`${method} ${code}`),
  });
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  if (server.listening) await once(server.close(), 'close');
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(JSON.stringify(body));
const busy = (status: number, retryAfter?: string): Answer =>
  json(status, {}, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
const silence: Answer = () => undefined;
const cutOff: Answer = (response) => {
  response.writeHead(200).write('{"a":', () => response.destroy());
};
const GET: KubeRequest = { method: 'GET', path: '/api/v1/x' };
const failure = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    (value) => ({ unexpected: value }),
    (error: unknown) => error,
  );

describe('a request', () => {
  test('says who we are, what it sends and what it wants', async () => {
    answers = [json(200, { a: 1 })];
    const sent = await client.request({
      method: 'PATCH',
      path: '/api/v1/x',
      query: { fieldManager: 'a b', force: 'false' },
      body: { b: 'é' },
      contentType: APPLY_PATCH,
      accept: 'application/json;as=Table',
    });
    expect(sent).toEqual({ a: 1 });
    expect(seen).toMatchObject([
      {
        method: 'PATCH',
        url: '/api/v1/x?fieldManager=a%20b&force=false',
        headers: {
          authorization: 'Bearer t',
          'content-type': APPLY_PATCH,
          accept: 'application/json;as=Table',
          'user-agent': 'parley',
        },
        body: '{"b":"é"}',
      },
    ]);
    await client.request(GET);
    expect(seen[1]!.headers).toMatchObject({ accept: 'application/json' });
    expect(seen[1]!.headers).not.toHaveProperty('content-type');
  });

  test.each([
    [429, '0', 1],
    [429, undefined, 1_000],
    [429, 'soon', 1_000],
    [429, 'Sun, 06 Nov 1994 08:49:37 GMT', 1],
    [503, 'Sun, 06 Nov 1994 08:49:37 GMT', 1],
    [503, '0', 1],
  ])('is sent again after %s with Retry-After %s, %s ms later', async (status, after, waitMs) => {
    const time = holdTime();
    answers = [busy(status, after), json(200, { done: true })];
    const requested = client.request({ ...GET, method: 'PUT', body: { a: 1 } });
    await time.armed(waitMs);
    await time.advance(waitMs);
    expect(await requested).toEqual({ done: true });
    expect(seen.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
  });

  test.each([
    [503, undefined],
    [500, '0'],
    [409, '0'],
  ])('is sent once if the answer is %s with Retry-After %s', async (status, after) => {
    answers = [busy(status, after), json(200, { done: true })];
    const outcome = await failure(client.request({ ...GET, method: 'PUT', body: { a: 1 } }));
    expect(seen.map(({ body }) => body)).toEqual(['{"a":1}']);
    expect(outcome).toMatchObject({ code: status });
  });

  test('waits as long as the server asks it to', async () => {
    const time = holdTime();
    answers = [busy(429, '7'), json(200, {})];
    const requested = client.request(GET);
    await time.armed(7_000);
    await time.advance(6_999);
    expect(counted).toEqual(['GET 429']);
    await time.advance(1);
    await requested;
    expect(counted).toEqual(['GET 429', 'GET 200']);
  });

  test.each(['Sun, 06 Nov 1994 08:49:37 GMT', '7'])(
    'waits until the date that the server asks it to, counted by the clock of the server: %s',
    async (after) => {
      const time = holdTime();
      const date = 'Sun, 06 Nov 1994 08:49:30 GMT';
      answers = [json(503, {}, { 'retry-after': after, date }), json(200, {})];
      const requested = client.request(GET);
      await time.armed(7_000);
      await time.advance(7_000);
      await requested;
      expect(counted).toEqual(['GET 503', 'GET 200']);
    },
  );

  test('is given up when the server stays too busy', async () => {
    answers = [busy(429, '0')];
    expect(await failure(client.request(GET))).toMatchObject({ name: 'KubeError', code: 429 });
    expect(seen).toHaveLength(5);
  });

  test('that is refused throws what the server said', async () => {
    const causes = [{ reason: 'FieldManagerConflict', message: 'conflict', field: '.spec.prompt' }];
    const status = { message: 'no', reason: 'Conflict', details: { causes }, code: 409 };
    answers = [json(409, status), json(404, 'a page of a proxy'), cutOff];
    expect(await failure(client.request(GET))).toMatchObject({
      name: 'KubeError',
      code: 409,
      reason: 'Conflict',
      causes,
      message: 'GET /api/v1/x: no',
    });
    expect(await failure(client.request(GET))).toMatchObject({
      code: 404,
      reason: '',
      causes: [],
      message: 'GET /api/v1/x: 404',
    });
  });

  const reset: Answer = (response) => void response.socket?.resetAndDestroy();
  test.each([
    ['a reset', reset, '<error>'],
    ['a body that is cut off', cutOff, '200'],
    ['no answer in time', silence, '<error>'],
  ])('without an answer (%s) is no refusal', async (_, answer, code) => {
    answers = [answer];
    const error = await failure(client.request({ ...GET, timeoutMs: 200 }));
    expect(error).toBeInstanceOf(KubeConnectionError);
    expect(error).toMatchObject({ message: expect.stringContaining('GET /api/v1/x') });
    expect(counted).toEqual([`GET ${code}`]);
    expect(seen).toHaveLength(1); // The result of the first request is unknown, so the client does not repeat it.
  });

  test('to nobody is no refusal', async () => {
    await once(server.close(), 'close');
    expect(await failure(client.request(GET))).toBeInstanceOf(KubeConnectionError);
  });

  test.each([
    ['before it was sent', 0],
    ['while it waits for an answer', 1],
  ])('can be aborted %s', async (_, sent) => {
    answers = [silence];
    const abort = new AbortController();
    if (sent === 0) abort.abort();
    server.on('request', () => abort.abort());
    const error = await failure(client.request({ ...GET, signal: abort.signal }));
    expect(error).toBeInstanceOf(KubeConnectionError);
    expect(seen.length).toBeLessThanOrEqual(sent);
  });

  test('waits for its next try no longer than it may take in all', async () => {
    const time = holdTime();
    answers = [busy(429, '9')];
    const failed = failure(client.request({ ...GET, timeoutMs: 300 }));
    await time.armed(9_000);
    await time.advance(300);
    expect(await failed).toBeInstanceOf(KubeConnectionError);
    expect(seen).toHaveLength(1);
  });

  test('ends with the client', async () => {
    answers = [silence];
    server.on('request', () => void client.close());
    expect(await failure(client.request(GET))).toBeInstanceOf(KubeConnectionError);
  });
});

describe('a stream', () => {
  const open = (signal = new AbortController().signal) =>
    client.stream({ path: '/watch', query: { watch: 'true' }, signal });
  const readAll = async (onEvent: () => void = () => undefined): Promise<unknown[]> => {
    const events: unknown[] = [];
    for await (const event of await open()) {
      events.push(event);
      onEvent();
    }
    return events;
  };

  test('gives one value for each line, however the bytes come', async () => {
    const bytes = Buffer.from('{"n":1}\n{"a":"é"}\n\n{"b":1}\n{"c":2}\n');
    const cuts = [bytes.indexOf('é') + 1, bytes.indexOf('"b"') + 1, bytes.length];
    const read = new EventEmitter();
    answers = [
      async (response) => {
        response.writeHead(200);
        let from = 0;
        for (const to of cuts) {
          response.write(bytes.subarray(from, to));
          from = to;
          await once(read, 'event'); // Otherwise the pieces could arrive as one.
        }
        response.end();
      },
      (response) => response.writeHead(200).end(bytes),
    ];
    const expected = [{ n: 1 }, { a: 'é' }, { b: 1 }, { c: 2 }];
    expect(await readAll(() => read.emit('event'))).toEqual(expected);
    expect(await readAll()).toEqual(expected);
  });

  test('that is refused throws what the server said', async () => {
    answers = [json(410, { message: 'too old', reason: 'Expired', code: 410 })];
    const error = await failure(open());
    expect(error).toBeInstanceOf(KubeError);
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
  });

  test.each([
    ['in an event', cutOff],
    [
      'in a refusal',
      (response: ServerResponse) =>
        void response.writeHead(500).write('{', () => response.destroy()),
    ],
    [
      'by bytes that are no JSON',
      (response: ServerResponse) => void response.writeHead(200).end('<html>\n'),
    ],
  ])('that is broken %s has no answer', async (_, answer) => {
    answers = [answer];
    expect(await failure(readAll())).toBeInstanceOf(KubeConnectionError);
  });

  test('closes its connection when nobody reads on, or it is aborted', async () => {
    const endless: Answer = (response) => void response.writeHead(200).write('{"a":1}\n');
    answers = [endless];
    const closed = () =>
      new Promise((resolve) => {
        server.once('connection', (socket) => socket.once('close', resolve));
      });
    const first = closed();
    for await (const _ of await open()) break;
    await first;
    const second = closed();
    const abort = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const _ of await open(abort.signal)) abort.abort();
    };
    expect(await failure(reading())).toBeInstanceOf(KubeConnectionError);
    await second;
  });
});

test.each([
  ['UND_ERR_CONNECT_TIMEOUT', true],
  ['ECONNREFUSED', false],
  ['UND_ERR_SOCKET', false],
])('a network policy is named for a connection that fails with %s: %s', (code, isNamed) => {
  const cause = Object.assign(new Error('no connection'), { code });
  const { message } = noAnswer('GET /readyz', cause);
  expect(message.startsWith('GET /readyz: no connection')).toBe(true);
  expect(message.includes('networkPolicy.kubernetesApiCidrs')).toBe(isNamed);
});
