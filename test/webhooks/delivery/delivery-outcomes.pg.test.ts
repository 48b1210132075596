import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTEMPT_TIMEOUT_MS } from '../../../src/webhooks/delivery/attempt.ts';
import { attemptOffsetsMs } from '../../../src/webhooks/delivery/retry-schedule.ts';
import type { DeliveryRow } from '../../../src/webhooks/queue/deliveries.sql.ts';
import { holdTime } from '../../clock.ts';
import {
  listen,
  makeCertificates,
  onRequest,
  respond,
  type Receiver,
} from '../../platform/egress/servers.ts';
import { letTimePass, startDeliveryFixture, type DeliveryFixture } from '../delivery-setup.ts';

/** Answers of a receiver, and the delivery and attempt after each (contract/deliveries.md#acknowledgement). */
let fixture: DeliveryFixture;
const servers: Receiver[] = [];

beforeAll(async () => {
  fixture = await startDeliveryFixture();
  await fixture.startDelivery();
});

afterAll(async () => {
  for (const server of servers) await server.stop();
  await fixture.stop();
});

const serve = async (...args: Parameters<typeof listen>): Promise<Receiver> => {
  const server = await listen(...args);
  servers.push(server);
  return server;
};

const answering = (answer: string | Buffer): Promise<Receiver> =>
  serve((socket) => onRequest(socket, () => socket.write(answer)));

/** The delivery of one event to this URL alone, after its first attempt. */
async function deliverTo(url: string): Promise<DeliveryRow> {
  const namespace = `n${performance.now()}`;
  await fixture.addEndpoint({ url, namespace });
  const eventId = await fixture.emit({ namespace });
  return fixture.deliveryWhen(
    eventId,
    ({ status, attempts }) => status !== 'pending' && attempts.length === 1,
  );
}

const at = ({ port }: Receiver, scheme = 'http'): string => `${scheme}://127.0.0.1:${port}/`;

/** How long after its start a queued delivery is due, in whole milliseconds. */
async function dueAfterMs({ id }: DeliveryRow): Promise<number> {
  const { rows } = await fixture.pool.query<{ ms: number }>(
    `select round(extract(epoch from due_at - scheduled_from) * 1000)::int as ms
       from delivery_queue where id = $1`,
    [id],
  );
  return rows[0]!.ms;
}

/** Failed once, and is due again at the second moment of its schedule. */
async function expectRetry(delivery: DeliveryRow): Promise<void> {
  expect(delivery).toMatchObject({ status: 'retrying', attemptCount: 1, deliveredAt: null });
  expect(await dueAfterMs(delivery)).toBe(attemptOffsetsMs(delivery.id)[1]);
}

test.each(['200 OK', '201 Created', '204 No Content', '299 Fine'])(
  'status %s is an acknowledgement',
  async (status) => {
    const delivery = await deliverTo(
      at(await answering(respond(status, status.startsWith('204') ? '' : 'ok'))),
    );
    expect(delivery).toMatchObject({ status: 'delivered', attemptCount: 1, nextAttemptAt: null });
    const [attempt] = delivery.attempts;
    expect(attempt).toMatchObject({
      number: 1,
      trigger: 'schedule',
      statusCode: Number(status.slice(0, 3)),
      errorClass: null,
      errorMessage: null,
    });
    expect(delivery.deliveredAt).toBe(attempt!.startedAt + attempt!.durationMs!);
  },
);

test('F-18: an answer whose body never comes counts by its headers', async () => {
  const delivery = await deliverTo(
    at(await answering('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n')),
  );
  expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ responseBody: '' }] });
});

test.each([
  ['400 Bad Request', 'http_status'],
  ['410 Gone', 'http_status'],
  ['500 Internal Server Error', 'http_status'],
  ['503 Service Unavailable', 'http_status'],
  ['304 Not Modified', 'redirect'],
])('status %s is an ordinary failure of class %s', async (status, errorClass) => {
  const body = status.startsWith('304') ? '' : 'no';
  const delivery = await deliverTo(at(await answering(respond(status, body))));
  await expectRetry(delivery);
  expect(delivery.attempts).toMatchObject([
    { statusCode: Number(status.slice(0, 3)), errorClass, responseBody: body },
  ]);
});

test('F-27: 429 with Retry-After is waited for, and for ten minutes at most', async () => {
  const answer = async (value: string, status = '429 Too Many Requests'): Promise<DeliveryRow> => {
    const server = await answering(respond(status, '', `retry-after: ${value}\r\n`));
    const delivery = await deliverTo(at(server));
    expect(delivery.attempts).toMatchObject([{ statusCode: Number(status.slice(0, 3)) }]);
    return delivery;
  };
  const dueBy = async (value: string, status?: string) => {
    const delivery = await answer(value, status);
    expect(delivery.attempts).toMatchObject([{ errorClass: 'http_status' }]);
    const scheduledMs = attemptOffsetsMs(delivery.id)[1]!;
    return { value, dueMs: await dueAfterMs(delivery), scheduledMs };
  };
  // So long from the end of the attempt, which is over at once.
  for (const [sec, status] of [
    [60, undefined],
    [60, '410 Gone'],
    [599, '503 Service Unavailable'],
  ] as const) {
    const { dueMs } = await dueBy(String(sec), status);
    expect({ sec, is: Math.floor(dueMs / (sec * 1_000)) }).toEqual({ sec, is: 1 });
  }
  for (const much of ['86400', '1000000000', '9'.repeat(300), 'Wed, 21 Oct 2045 07:28:00 GMT']) {
    const { scheduledMs, ...due } = await dueBy(much);
    expect(due).toEqual({ value: much, dueMs: scheduledMs + 600_000 });
  }
  for (const odd of ['0', '-1', 'soon', '1e9', 'Wed, 21 Oct 2015 07:28:00 GMT', '']) {
    const { scheduledMs, ...due } = await dueBy(odd);
    expect(due).toEqual({ value: odd, dueMs: scheduledMs });
  }
  expect(await answer('60', '200 OK')).toMatchObject({ status: 'delivered', nextAttemptAt: null });
});

test('F-21: a redirect is a failure and its target gets no connection', async () => {
  const target = await answering(respond('200 OK', 'ok'));
  for (const status of [
    '301 Moved',
    '302 Found',
    '307 Temporary Redirect',
    '308 Permanent Redirect',
  ]) {
    const server = await answering(respond(status, '', `location: ${at(target)}\r\n`));
    const delivery = await deliverTo(at(server));
    await expectRetry(delivery);
    expect(delivery.attempts).toMatchObject([{ errorClass: 'redirect' }]);
  }
  expect(target.sockets).toHaveLength(0);
});

test('F-20, F-22, F-23: a refused connection, a reset, garbage and a bad certificate have classes of their own', async () => {
  const closed = await serve(() => undefined);
  await closed.stop();
  const reset = await serve((socket) =>
    onRequest(socket, () => socket.write('HTTP/1.1 200 OK\r\nx: ', () => socket.resetAndDestroy())),
  );
  const garbage = await answering('SSH-2.0-OpenSSH_9.2\r\n\r\n');
  const { selfSigned, goodKey } = makeCertificates();
  const secure = await serve((socket) => socket.end(respond('200 OK')), {
    tls: { cert: selfSigned, key: goodKey },
  });
  const cases = [
    [at(closed), 'connect', 'The server refused the connection.'],
    [at(reset), 'connect', 'The server closed the connection before it responded.'],
    [at(garbage), 'connect', expect.any(String)],
    [at(secure, 'https'), 'tls', "The server's certificate is self-signed."],
    ['https://nobody.invalid/', 'dns', expect.any(String)],
    ['http://10.255.0.1/', 'blocked', expect.any(String)],
    ['http://169.254.169.254/latest/meta-data', 'blocked', expect.any(String)],
    ['http://[::ffff:10.0.0.1]/', 'blocked', expect.any(String)],
  ] as const;
  for (const [url, errorClass, errorMessage] of cases) {
    const delivery = await deliverTo(url);
    await expectRetry(delivery);
    expect(delivery.attempts).toMatchObject([
      { statusCode: null, errorClass, errorMessage, responseBody: null },
    ]);
    // The attempt log must not turn into a scanner of the network the engine stands in.
    expect(delivery.attempts[0]!.errorMessage).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  }
});

const BODIES: [string, Buffer, (text: string) => void][] = [
  ['NUL bytes', Buffer.from('a\0b\0'), (text) => expect(text).toBe('a\uFFFDb\uFFFD')],
  [
    'bytes that are not UTF-8',
    Buffer.of(0x61, 0xff, 0xfe, 0x62),
    (text) => expect(text).toBe('a\uFFFD\uFFFDb'),
  ],
  ['nothing', Buffer.alloc(0), (text) => expect(text).toBe('')],
  ['exactly 4 KiB', Buffer.alloc(4_096, 'x'), (text) => expect(text).toBe('x'.repeat(4_096))],
  ['a megabyte', Buffer.alloc(1_048_576, 'y'), (text) => expect(text).toBe('y'.repeat(4_096))],
  [
    '4 KiB of bytes that triple',
    Buffer.alloc(4_096, 0xff),
    (text) => expect(text).toBe('\uFFFD'.repeat(1_365)),
  ],
  [
    'four-byte characters, cut',
    Buffer.from('😀'.repeat(2_000)),
    (text) => expect(text).toBe('😀'.repeat(1_024)),
  ],
  [
    'a character cut in the middle',
    Buffer.from(`x${'é'.repeat(4_000)}`),
    (text) => expect(text.slice(0, 3)).toBe('xéé'),
  ],
];

test.each(BODIES)(
  'a response body of %s is kept as at most 4 KiB of text',
  async (_, body, check) => {
    const head = `HTTP/1.1 500 Oops\r\ncontent-length: ${body.length}\r\n\r\n`;
    const delivery = await deliverTo(at(await answering(Buffer.concat([Buffer.from(head), body]))));
    const text = delivery.attempts[0]!.responseBody!;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
    check(text);
    await expectRetry(delivery);
  },
);

test('F-17: a receiver that hangs anywhere before its headers fails at ten seconds, and is let go', async () => {
  const ways: ((socket: Socket) => void)[] = [
    () => undefined,
    (socket) => void socket.write('HTTP/1.1 200 OK\r\nx-slow: '),
    (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'),
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x: y\r\n'), 500);
      socket.once('close', () => clearInterval(drip));
    },
  ];
  const time = holdTime();
  const servers = await Promise.all(
    ways.map(async (way) => {
      const asked = Promise.withResolvers<void>();
      const server = await serve((socket) => {
        onRequest(socket, () => {
          way(socket);
          asked.resolve();
        });
      });
      return { ...server, asked: asked.promise };
    }),
  );
  const delivering = Promise.all(servers.map((server) => deliverTo(at(server))));
  await Promise.all(servers.map(({ asked }) => asked));
  await time.advance(ATTEMPT_TIMEOUT_MS - 1);
  const { rows } = await fixture.pool.query(
    `select 1 from delivery_attempts where error_class = 'timeout'`,
  );
  expect(rows).toEqual([]);
  await time.advance(1);
  letTimePass(time); // Their results are recorded together, after a moment.
  const deliveries = await delivering;
  for (const server of servers) await server.closed(0);
  for (const delivery of deliveries) {
    expect(delivery.status).toBe('retrying');
    expect(delivery.attempts).toMatchObject([
      { errorClass: 'timeout', statusCode: null, durationMs: ATTEMPT_TIMEOUT_MS },
    ]);
    // Its retry came due while it hung, so it is due at the end of the attempt.
    expect(Math.floor((await dueAfterMs(delivery)) / ATTEMPT_TIMEOUT_MS)).toBe(1);
  }
});
