import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromUuid } from '../../../src/ids.ts';
import {
  startDeliveryHarness,
  type DeliveryHarness,
} from '../../webhooks/delivery/processes/delivery-harness.ts';
import { freePort } from '../../free-port.ts';
import { startRole, type Answer, type Parley } from '../../roles/parley-process.ts';
import { roundsOf } from '../../nightly.ts';
import { until } from '../../until.ts';
import { createSeeded } from '../../random/seeded.ts';

/**
 * The answer to a request with an `Idempotency-Key` does not reach the client, or only its head does. A repeated
 * request must get the id of the only event.
 */
const REQUESTS = 15 * roundsOf(1);
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
const { below } = createSeeded(SEED);
/** Roughly the duration of a request. */
const CUT_WITHIN_TURNS = 2_000;
/** Processes are started, beside other tests. */
let harness: DeliveryHarness;
let api: Parley;
let port: string;
let path: string;

beforeAll(async () => {
  harness = await startDeliveryHarness();
  path = `/v1/webhooks/${fromUuid('we', await harness.addEndpoint())}/test`;
  port = String(await freePort());
  api = await startApi();
});
afterAll(async () => {
  await api.stop();
  await harness.stop();
});

function startApi(failpoints = ''): Promise<Parley> {
  const env = { PARLEY_PORT: port, PARLEY_RATE_LIMIT: '0', PARLEY_FAILPOINTS: failpoints };
  return startRole('api', { databaseUrl: harness.databaseUrl, env });
}

/** Sends the request and resets the connection at that moment. Resolves to the data received until then. */
async function cut(key: string, moment: { afterTurns: number } | 'head'): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  let text = '';
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      text += piece.toString();
      resolve();
    });
    socket.once('close', () => resolve());
  });
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: parley',
    `authorization: Bearer ${api.apiKey}`,
    'content-type: application/json',
    `idempotency-key: ${key}`,
    'content-length: 2',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{}`);
  if (moment === 'head') await answered;
  else for (let turn = 0; turn < moment.afterTurns; turn += 1) await turnOfLoop();
  socket.resetAndDestroy();
  return text;
}

/** Repeats a request until there is an answer, as a careful client does. */
function untilAnswered(key: string): Promise<Answer> {
  return until(`the answer to ${key}`, async () => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: '{}',
    });
    const { status, headers } = response;
    const body = await response.json();
    if (status === 202) return { status, headers, body };
    expect({ status, body }).toMatchObject({ status: 409 }); // The previous request is in progress.
    return undefined;
  });
}

async function expectOneEventEach(answers: readonly Answer[], before: string[]): Promise<void> {
  const answered = answers.map(({ body }) => String(body.event_id));
  expect(new Set(answered).size).toBe(answers.length);
  expect((await allEvents()).sort()).toEqual([...before, ...answered].sort());
}

async function allEvents(): Promise<string[]> {
  const { rows } = await harness.pool.query<{ id: string }>(
    'select event_id as id from delivery_queue',
  );
  return rows.map(({ id }) => fromUuid('evt', id));
}

test(`F-07: the connection is reset while the answer is on its way: asked again there is one event (seed ${SEED})`, async () => {
  const before = await allEvents();
  const keys = Array.from({ length: REQUESTS }, (_, i) => `before-${i}`);
  let unheard = 0;
  const answers: Answer[] = [];
  for (const key of keys) {
    if ((await cut(key, { afterTurns: below(CUT_WITHIN_TURNS) })) === '') unheard += 1;
    const [one, other] = [await untilAnswered(key), await untilAnswered(key)];
    expect(other.body).toEqual(one.body);
    answers.push(one);
  }
  const replayed = answers.filter(({ headers }) => headers.has('idempotency-replayed')).length;
  console.info(
    `F-07, seed ${SEED}: ${unheard} of ${REQUESTS} answers not heard, ${replayed} requests done by then`,
  );
  expect(unheard).toBeGreaterThan(0);
  await expectOneEventEach(answers, before);
});

test('F-07: the connection is reset when the 202 has begun: asked again it is the same id', async () => {
  const before = await allEvents();
  const answers: Answer[] = [];
  for (let i = 0; i < 5; i += 1) {
    const heard = await cut(`after-${i}`, 'head');
    expect(heard).toMatch(/^HTTP\/1.1 202 /);
    const answer = await untilAnswered(`after-${i}`);
    expect(answer.headers.get('idempotency-replayed')).toBe('true');
    expect(heard).toContain(answer.body.event_id);
    answers.push(answer);
  }
  await expectOneEventEach(answers, before);
});

test('F-06: killed with the change committed and no answer sent: asked again it is that event', async () => {
  const before = await allEvents();
  await api.stop();
  api = await startApi('api.answering=kill');
  expect(await cut('killed', 'head')).toBe(''); // The connection ends with the process.
  expect(await api.exited).toEqual([null]);
  const made = (await allEvents()).filter((id) => !before.includes(id));
  expect(made).toHaveLength(1);
  api = await startApi();
  const answer = await untilAnswered('killed');
  expect(answer.body.event_id).toBe(made[0]);
  await expectOneEventEach([answer], before);
});
