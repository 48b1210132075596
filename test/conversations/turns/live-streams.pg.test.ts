import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { holdTime } from '../../clock.ts';
import { until } from '../../until.ts';
import { startConversationFixture, type ConversationFixture } from '../conversation-setup.ts';
import { aborted, echo, hesitate, scriptedResponder, toolTurn } from './scripted-responder.ts';
import { openSse, type SseReader } from './sse.ts';

/** Replies that stream while they are made (contract/messages.md#streaming). */

const responder = scriptedResponder();
let fixture: ConversationFixture;

beforeAll(async () => {
  fixture = await startConversationFixture({ responder });
});
beforeEach(() => {
  responder.play(echo);
  responder.asked.length = 0;
});
afterAll(() => fixture?.stop());

const stream = (id: string, text: string): Promise<SseReader> =>
  openSse(`${fixture.url}/v1/conversations/${id}/messages`, { key: fixture.key, json: { text } });

test('a token is passed on as it comes', async () => {
  const id = await fixture.start();
  const heard: (() => void)[] = [];
  const nexts = Array.from(
    { length: 3 },
    () => new Promise<void>((resolve) => heard.push(resolve)),
  );
  responder.play(async ({ emitToken }) => {
    for (const [i, token] of ['a', 'b', 'c'].entries()) {
      emitToken(token);
      await nexts[i]; // No more is said before this was heard.
    }
    return { text: 'abc' };
  });
  const reader = await stream(id, 'Hello');
  for (const [i, token] of ['a', 'b', 'c'].entries()) {
    expect(await reader.next()).toMatchObject({ event: 'token', data: { text: token } });
    heard[i]!();
  }
  expect((await reader.rest()).map(({ event }) => event)).toEqual(['turn', 'turn', 'done']);
});

test('a closed stream cancels at once, and what there is of the reply is stored', async () => {
  const id = await fixture.start();
  const { promise: canceled, resolve } = Promise.withResolvers<void>();
  responder.play(async (request) => {
    void aborted(request.signal).then(resolve);
    return hesitate(request);
  });
  const reader = await stream(id, 'Hello');
  await reader.next();
  holdTime(); // Nothing polls.
  reader.close();
  await canceled;
  await until('the turn is stored', async () => (await fixture.turns(id)).length >= 2);
  expect((await fixture.turns(id))[1]).toMatchObject({ text: 'Well, ', interrupted: true });
});

test('a stream that is closed before its first token cancels too', async () => {
  const id = await fixture.start();
  const closing = new AbortController();
  responder.play(async ({ signal }) => {
    closing.abort();
    await aborted(signal);
    return { text: '', interrupted: true };
  });
  await fetch(`${fixture.url}/v1/conversations/${id}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fixture.key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ text: 'Hello' }),
    signal: closing.signal,
  }).catch(() => undefined);
  await until('the turn is stored', async () => (await fixture.turns(id)).length >= 2);
});

test('a caller without a stream that goes away cancels nothing', async () => {
  const id = await fixture.start();
  const closing = new AbortController();
  const gone = requestClosed(id);
  responder.play(async (request) => {
    closing.abort();
    await gone;
    return { text: request.signal.aborted ? 'canceled' : 'whole' };
  });
  await fetch(`${fixture.url}/v1/conversations/${id}/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${fixture.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Hello' }),
    signal: closing.signal,
  }).catch(() => undefined);
  await until('the turn is stored', async () => (await fixture.turns(id)).length >= 2);
  expect((await fixture.turns(id))[1]).toMatchObject({ text: 'whole', interrupted: false });
});

/** Resolves once the server knows that the connection of a request for this conversation is closed. */
function requestClosed(id: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onStart = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.url?.includes(id)) response.once('close', resolve);
  };
  subscribe('http.server.request.start', onStart);
  onTestFinished(() => void unsubscribe('http.server.request.start', onStart));
  return promise;
}

test('the stream begins with the first tool, and an error before that is a status', async () => {
  const id = await fixture.start();
  const { promise: begun, resolve: goOn } = Promise.withResolvers<void>();
  responder.play(async ({ noteTools }) => {
    await noteTools([toolTurn('look_up')]);
    await begun;
    return { text: 'Here it is.', toolTurns: [toolTurn('look_up', 'found')] };
  });
  const reader = await stream(id, 'Look it up'); // It has begun: the status is there.
  goOn();
  const events = await reader.rest();
  expect(events.map(({ event, data }) => [event, data.role])).toEqual([
    ['turn', 'user'],
    ['turn', 'tool'],
    ['turn', 'agent'],
    ['done', undefined],
  ]);
  await fixture.end(id);
  expect((await stream(id, 'Still there?')).status).toBe(409);
});

test('an orderly stop finishes what it can, and stores the rest as interrupted', async () => {
  const time = holdTime();
  const own = scriptedResponder();
  const { promise: stopping, resolve: finish } = Promise.withResolvers<void>();
  own.play(async (request) => {
    if (request.text !== 'Quick') return hesitate(request);
    await stopping;
    return { text: 'Done.' };
  });
  const second = await startConversationFixture({ responder: own });
  const [slow, quick] = [await second.start(), await second.start()];
  const replies = [second.say(slow, 'Hello'), second.say(quick, 'Quick')];
  await until('both are under way', async () => own.asked.length >= 2);
  const stopped = second.stop();
  await time.armed(8_000); // The time that turns have to be finished in.
  finish();
  expect(await replies[1]).toMatchObject({ status: 200, body: { turns: [{}, { text: 'Done.' }] } });
  await time.advance(8_000);
  expect(await replies[0]).toMatchObject({
    status: 200,
    body: { turns: [{}, { text: 'Well, ', interrupted: true }] },
  });
  let isStopped = false;
  void stopped.then(() => (isStopped = true));
  await until(
    'it has stopped',
    async () => {
      await time.advance(50);
      return isStopped;
    },
    { everyMs: 1 },
  );
});
