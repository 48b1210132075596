import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import net from 'node:net';
import type { Model, ModelReply } from '../../src/models/model.ts';
import { holdTime } from '../clock.ts';
import { until } from '../until.ts';
import { ask, asking, plainModel, stopAll, stubModel } from './model-harness.ts';
import type { StubReply } from './stub-model.ts';

afterEach(stopAll);

/** Asks and aborts when `isReady`. The reply is there before the event loop turns: it waited for no timer and no socket. */
async function abortAt(
  model: Model,
  isReady: (texts: readonly string[]) => boolean | Promise<boolean>,
): Promise<ModelReply> {
  const { request, texts, abort } = asking();
  const asked = model(request);
  await until('the state to abort in', async () => await isReady(texts), { everyMs: 1 });
  abort.abort();
  const reply = await Promise.race([asked, turnOfLoop()]);
  if (reply === undefined) throw new Error('the reply waits for something');
  return reply;
}

describe('an abort settles at once and closes the connection', () => {
  const states: [string, StubReply, number][] = [
    ['before the headers', { hang: 'before_headers' }, 0],
    ['after the headers', { hang: 'after_headers' }, 0],
    ['between tokens', { hang: 'between_tokens', text: 'Hello there.' }, 1],
    ['after the last token', { hang: 'after_last', text: 'Hello there.' }, 2],
    ['in the midst of many tokens', { text: 'word '.repeat(10_000), tokenDelayMs: 1 }, 5],
    ['in an answer whose headers say error', { status: 500, body: 'x', hang: 'before_headers' }, 0],
  ];
  test.each(states)('%s', async (_, reply, texts) => {
    holdTime(); // Nothing that waits for a timer happens.
    const stub = await stubModel({ reply });
    const model = await plainModel(stub.url);
    const interrupted = await abortAt(
      model,
      (told) => stub.requests.length > 0 && told.length >= texts,
    );
    expect(interrupted).toMatchObject({ finishReason: 'interrupted', attempts: 1 });
    expect(interrupted.usage.estimated).toBe(true);
    expect(interrupted.usage.inputTokens).toBeGreaterThan(0);
    const request = stub.requests[0]!;
    await request.closed;
    expect(request.isAborted()).toBe(true);
  });

  test('with the text so far, and no word after it', async () => {
    const stub = await stubModel({ reply: { text: 'one two three four' } });
    const model = await plainModel(stub.url);
    const texts: string[] = [];
    const abort = new AbortController();
    const { request } = asking({
      signal: abort.signal,
      // The rest has come with it, and is not passed on.
      onText: (text) => {
        texts.push(text);
        if (texts.length === 2) abort.abort();
      },
    });
    const reply = await model(request);
    expect(reply.text).toBe('one two');
    await stub.requests[0]!.closed;
    expect(texts).toEqual(['one', ' two']);
  });

  test('before it was asked: no request is made', async () => {
    const stub = await stubModel();
    const { request, abort } = asking();
    abort.abort();
    const reply = await (await plainModel(stub.url))(request);
    expect(reply).toMatchObject({
      finishReason: 'interrupted',
      text: '',
      attempts: 0,
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    expect(stub.requests).toEqual([]);
  });

  test('while the connection is being made', async () => {
    // Accepts nobody: its line is full.
    const server = net.createServer();
    await new Promise<void>((resolve) =>
      server.listen({ port: 0, host: '127.0.0.1', backlog: 0 }, resolve),
    );
    const { port } = server.address() as net.AddressInfo;
    const silent: net.Socket[] = [];
    server.on('connection', (socket) => silent.push(socket));
    const model = await plainModel(`https://127.0.0.1:${port}/v1`);
    const reply = await abortAt(model, () => silent.length > 0);
    expect(reply.finishReason).toBe('interrupted');
    for (const socket of silent) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  test('while it waits to try again', async () => {
    const time = holdTime();
    const stub = await stubModel({ reply: { status: 503, headers: { 'retry-after': '2' } } });
    const reply = await abortAt(await plainModel(stub.url), async () => {
      await time.armed(2_125); // What was asked for, and the shortest own pause.
      return true;
    });
    expect(reply).toMatchObject({ finishReason: 'interrupted', attempts: 1 });
    expect(stub.requests).toHaveLength(1);
  });

  test('while it stands in line for a place', async () => {
    const stub = await stubModel({ reply: { hang: 'after_headers' } });
    const model = await plainModel(stub.url, { maxConcurrent: 1 });
    const first = asking();
    const asked = model(first.request);
    await stub.request(0);
    const reply = await abortAt(model, () => true);
    expect(reply).toMatchObject({ finishReason: 'interrupted', attempts: 0 });
    first.abort.abort();
    await asked;
    stub.answer({});
    // The place of the first is free again, and the second holds none.
    expect(await ask(model)).toMatchObject({ finishReason: 'stop' });
  });
});

test('thirty aborted at once settle all, and leave nothing open', async () => {
  holdTime();
  const stub = await stubModel({ reply: { hang: 'between_tokens' } });
  const model = await plainModel(stub.url);
  const many = Array.from({ length: 30 }, () => asking());
  const replies = many.map(({ request }) => model(request));
  await until('a token each', () => many.every(({ texts }) => texts.length === 1));
  for (const { abort } of many) abort.abort();
  const settled = await Promise.all(replies);
  expect(settled.every(({ finishReason }) => finishReason === 'interrupted')).toBe(true);
  await Promise.all(stub.requests.map(({ closed }) => closed));
});
