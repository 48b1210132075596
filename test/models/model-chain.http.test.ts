import { afterEach, describe, expect, test } from 'vitest';
import { createModels } from '../../src/models/create-models.ts';
import { createAddressGuard } from '../../src/platform/egress/address-guard.ts';
import { createEgressFetch } from '../../src/platform/egress/fetch.ts';
import { holdTime } from '../clock.ts';
import {
  ask,
  asking,
  endpointOf,
  failureOf,
  modelOf,
  passRetries,
  plainModel,
  stopAll,
  stubModel,
} from './model-harness.ts';
import { STUB_KEY } from './stub-model.ts';

afterEach(stopAll);

describe('before the first token a request is made again', () => {
  test.each([[429], [500], [502], [503], [529], [408]])('after %i', async (status) => {
    const stub = await stubModel();
    stub.script({ status });
    const reply = await ask(await plainModel(stub.url));
    expect(reply).toMatchObject({ text: 'Hello there.', attempts: 2 });
    expect(stub.requests).toHaveLength(2);
  });

  test('twice, and no more', async () => {
    const stub = await stubModel({ reply: { status: 500 } });
    const time = holdTime();
    const asked = failureOf(ask(await plainModel(stub.url)));
    await passRetries(time);
    await asked;
    expect(stub.requests).toHaveLength(3);
  });

  test('when Retry-After has passed', async () => {
    const time = holdTime();
    const stub = await stubModel();
    stub.script({ status: 429, headers: { 'retry-after': '3' } }); // As long as a caller waits.
    const reply = ask(await plainModel(stub.url));
    await time.armed(3_125); // And the shortest pause of its own.
    expect(stub.requests).toHaveLength(1);
    await time.advance(3_125);
    expect((await reply).attempts).toBe(2);
  });

  test('but not when Retry-After is longer than a caller waits', async () => {
    const stub = await stubModel({ reply: { status: 429, headers: { 'retry-after': '4' } } });
    holdTime(); // It fails without a pause.
    expect((await failureOf(ask(await plainModel(stub.url)))).code).toBe('model_rate_limited');
    expect(stub.requests).toHaveLength(1);
  });

  test('when the connection closed without an answer', async () => {
    const stub = await stubModel();
    stub.script((request) => {
      request.hangUp();
      return { hang: 'before_headers' };
    });
    expect(await ask(await plainModel(stub.url))).toMatchObject({
      attempts: 2,
      finishReason: 'stop',
    });
  });
});

test.each([
  [undefined, 'There is no default model provider'],
  ['default', 'There is no default model provider'],
  ['east', 'no usable model provider "east"'],
])('the provider %s that is gone is named', async (provider, message) => {
  const known = [endpointOf('http://127.0.0.1:1/v1')];
  const client = createEgressFetch({ guard: createAddressGuard({ allow: [] }) });
  const find = createModels({
    // The default one is there when it is first looked for.
    findEndpoint: async () => (provider === undefined ? known.pop() : undefined),
    fetch: client.fetch,
  });
  const model = await find({ namespace: 'default', model: provider ? { provider } : {} });
  expect((await failureOf(ask(model!))).message).toContain(message);
  await client.stop();
});

describe('after the first token nothing is made again', () => {
  test.each([
    ['text', { text: 'one two', breakAt: 1 }],
    ['a call', { toolCalls: [{ name: 'a', arguments: {} }], hang: 'after_last' as const }],
  ])('%s: the fallback is not asked either', async (_, reply) => {
    const stub = await stubModel({ reply });
    const other = await stubModel();
    const time = holdTime();
    const timeouts = { firstTokenMs: 20_000, betweenTokensMs: 400, totalMs: 20_000 };
    const model = await modelOf(
      { default: endpointOf(stub.url, { timeouts }), other: endpointOf(other.url) },
      { fallback: [{ provider: 'other' }] },
    );
    const failure = failureOf(ask(model));
    if ('hang' in reply) {
      await time.armed(400);
      await time.advance(400);
    }
    const error = await failure;
    expect(error.partial).toBeDefined();
    expect(stub.requests).toHaveLength(1);
    expect(other.requests).toHaveLength(0);
  });
});

describe('fallbacks', () => {
  test.each([
    [{ status: 401 }],
    [{ status: 500 }],
    [{ status: 400 }],
    [{ body: '<html>', headers: { 'content-type': 'text/html' } }],
    [{ hang: 'before_headers' as const }],
  ])('answer when the first cannot: %j', async (reply) => {
    const stub = await stubModel({ reply });
    const other = await stubModel();
    const timeouts = { firstTokenMs: 15_000, betweenTokensMs: 5000, totalMs: 20_000 };
    const time = holdTime();
    const model = await modelOf(
      {
        default: endpointOf(stub.url, { timeouts }),
        other: endpointOf(other.url, { provider: 'other', apiKey: 'sk-other' }),
      },
      { name: 'big', temperature: 0.1, fallback: [{ provider: 'other', name: 'small' }] },
    );
    const asked = ask(model);
    await stub.request(0);
    if ('hang' in reply) await time.advance(15_000);
    if ('status' in reply && reply.status === 500) await passRetries(time);
    const answer = await asked;
    expect(answer).toMatchObject({ provider: 'other', model: 'small', text: 'Hello there.' });
    expect(answer.attempts).toBe(stub.requests.length + 1);
    expect(other.requests[0]).toMatchObject({
      headers: { authorization: 'Bearer sk-other' },
      body: { model: 'small', temperature: 0.1 },
    });
  });

  test('are asked in order, and one without a provider is another model of the same', async () => {
    const stub = await stubModel({ reply: { status: 404 } });
    const model = await modelOf(
      { big: endpointOf(stub.url, { provider: 'big' }) },
      { provider: 'big', name: 'a', fallback: [{ name: 'b' }, { name: 'c' }] },
    );
    const error = await failureOf(ask(model));
    expect(error.code).toBe('model_refused');
    expect(error.message).toContain('does not know the model "a"');
    expect(error.message).toContain("The agent's fallbacks failed as well.");
    expect(stub.requests.map(({ body }) => body.model)).toEqual(['a', 'b', 'c']);
  });

  test('all of them have the time of the first provider together', async () => {
    const time = holdTime();
    const stub = await stubModel({ reply: { hang: 'after_headers' } });
    const other = await stubModel({ reply: { hang: 'after_headers' } });
    const first = { firstTokenMs: 600, betweenTokensMs: 5000, totalMs: 900 };
    const own = { firstTokenMs: 60_000, betweenTokensMs: 60_000, totalMs: 60_000 };
    const model = await modelOf(
      {
        default: endpointOf(stub.url, { timeouts: first }),
        other: endpointOf(other.url, { timeouts: own }),
      },
      { fallback: [{ provider: 'other' }, { provider: 'other', name: 'third' }] },
    );
    const failure = failureOf(ask(model));
    await stub.request(0);
    await time.advance(600);
    await other.request(0);
    expect(time.waiting().map(Math.round)).toContain(300);
    await time.advance(301);
    expect((await failure).code).toBe('model_timeout');
    expect(other.requests).toHaveLength(1);
  });
});

describe('which provider', () => {
  const finder = (endpoints: Record<string, ReturnType<typeof endpointOf>>) => {
    const { fetch } = createEgressFetch({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
    return createModels({
      fetch,
      findEndpoint: async (namespace, name) => endpoints[`${namespace}/${name ?? ''}`],
    });
  };

  test('none configured: no model', async () => {
    const find = finder({});
    expect(await find({ namespace: 'a', model: undefined })).toBeUndefined();
    expect(await find({ namespace: 'a', model: { name: 'big' } })).toBeUndefined();
  });

  test('one that is named and missing is an error, not a quotation', async () => {
    const model = await finder({})({ namespace: 'a', model: { provider: 'gone' } });
    const error = await failureOf(ask(model!));
    expect(error.code).toBe('model_refused');
    expect(error.message).toContain('no usable model provider "gone"');
  });

  test('two namespaces with providers of one name use their own keys', async () => {
    const stub = await stubModel();
    const find = finder({
      'a/main': endpointOf(stub.url, { provider: 'main', apiKey: 'sk-a' }),
      'b/main': endpointOf(stub.url, { provider: 'main', apiKey: 'sk-b' }),
    });
    for (const namespace of ['a', 'b', 'a']) {
      await ask((await find({ namespace, model: { provider: 'main' } }))!);
    }
    expect(stub.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-a',
      'Bearer sk-b',
      'Bearer sk-a',
    ]);
  });

  test('a limit on requests at once is that of one namespace', async () => {
    const stub = await stubModel();
    stub.script({ hang: 'after_headers' });
    const one = endpointOf(stub.url, { provider: 'main', maxConcurrent: 1 });
    const find = finder({ 'a/main': one, 'b/main': { ...one } });
    const { request, abort } = asking();
    const held = (await find({ namespace: 'a', model: { provider: 'main' } }))!(request);
    await stub.request(0);
    const reply = await ask((await find({ namespace: 'b', model: { provider: 'main' } }))!);
    expect(reply).toMatchObject({ finishReason: 'stop' });
    abort.abort();
    await held;
  });

  test('the limit of the default provider is one for all namespaces', async () => {
    const stub = await stubModel({ reply: { hang: 'after_headers' } });
    const one = endpointOf(stub.url, { provider: 'default', maxConcurrent: 1 });
    const find = finder({ 'a/': one, 'b/': one });
    const [first, ...rest] = Array.from({ length: 9 }, () => asking());
    const model = (await find({ namespace: 'b', model: undefined }))!;
    const all = [(await find({ namespace: 'a', model: undefined }))!(first!.request)];
    await stub.request(0);
    // Eight of another namespace wait for it, so one more finds no place.
    all.push(...rest.map(({ request }) => model(request)));
    expect((await failureOf(ask(model))).code).toBe('model_rate_limited');
    for (const { abort } of [first!, ...rest]) abort.abort();
    await Promise.all(all);
  });

  test('a model that it may not be asked for is refused before anything is sent', async () => {
    const stub = await stubModel();
    const endpoint = endpointOf(stub.url, { allowedModels: ['small'] });
    const error = await failureOf(ask(await modelOf({ default: endpoint }, { name: 'big' })));
    expect(error).toMatchObject({ code: 'model_refused' });
    expect(error.message).toContain('does not allow the model "big"');
    expect(stub.requests).toEqual([]);
  });

  test("Azure's key goes into its own header", async () => {
    const stub = await stubModel();
    await ask(await plainModel(stub.url, { apiKeyHeader: 'api-key' }));
    expect(stub.requests[0]?.headers['api-key']).toBe(STUB_KEY);
    expect(stub.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('requests at once', () => {
  test('no more than the provider may have; the others wait in order', async () => {
    const stub = await stubModel({ reply: { delayMs: 20 } });
    const model = await plainModel(stub.url, { maxConcurrent: 2 });
    let most = 0;
    const underWay = new Set<number>();
    stub.answer((request) => {
      const index = stub.requests.indexOf(request);
      underWay.add(index);
      most = Math.max(most, underWay.size);
      void request.closed.then(() => underWay.delete(index));
      return { delayMs: 20 };
    });
    const replies = await Promise.all(Array.from({ length: 8 }, () => ask(model)));
    expect(replies.every(({ attempts }) => attempts === 1)).toBe(true);
    expect(most).toBe(2);
  });

  test('more than may wait are refused at once', async () => {
    const stub = await stubModel({ reply: { hang: 'after_headers' } });
    const model = await plainModel(stub.url, { maxConcurrent: 1 });
    const waiting = Array.from({ length: 9 }, () => asking());
    const replies = waiting.map(({ request }) => model(request));
    const error = await failureOf(ask(model));
    expect(error.code).toBe('model_rate_limited');
    expect(error.message).toContain('already has 1 requests in progress');
    for (const { abort } of waiting) abort.abort();
    await Promise.all(replies);
  });
});

test('a key that the program could not have sent is nowhere in an error', async () => {
  const endpoint = endpointOf('http://127.0.0.1:1/v1', { apiKey: `${STUB_KEY}\nx-injected: 1` });
  const error = await failureOf(ask(await modelOf({ default: endpoint })));
  expect(error.code).toBe('model_unauthorized');
  expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(STUB_KEY);
});
