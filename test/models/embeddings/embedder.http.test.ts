import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEmbedder, EmbeddingFailure } from '../../../src/models/embeddings/embedder.ts';
import type { ModelEndpoint } from '../../../src/models/model.ts';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressFetch, type FetchClient } from '../../../src/platform/egress/fetch.ts';
import { endpointOf } from '../model-harness.ts';
import { STUB_KEY } from '../stub-model.ts';
import { startEmbeddingsStub, type EmbeddingsStub, type Faulty } from './embeddings-stub.ts';

let stub: EmbeddingsStub;
let egress: FetchClient;
let more: Partial<ModelEndpoint> = {};

beforeAll(async () => {
  stub = await startEmbeddingsStub();
});
afterAll(() => stub.stop());
beforeEach(() => {
  egress = createEgressFetch({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
  more = {};
  stub.answer(undefined);
});
afterEach(() => egress.stop());

const embedder = () =>
  createEmbedder({
    findEndpoint: async (_, name) => (name === 'gone' ? undefined : endpointOf(stub.url, more)),
    fetch: egress.fetch,
  });

function embed(
  texts: readonly string[],
  { dimensions = null, provider = 'stub' }: { dimensions?: number | null; provider?: string } = {},
  signal = AbortSignal.timeout(10_000),
) {
  return embedder().embed('default', { provider, model: 'e-1', dimensions, texts, signal });
}

async function failureOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EmbeddingFailure);
  return (error as EmbeddingFailure).failure;
}

test('texts become vectors of length 1 in their order, by one request with the key', async () => {
  stub.asked.length = 0;
  const { vectors, tokens, estimated } = await embed(['dogs bark', 'refunds take long']);
  expect(vectors.map((one) => Math.hypot(...one))).toEqual([
    expect.closeTo(1, 5),
    expect.closeTo(1, 5),
  ]);
  expect([tokens, estimated]).toEqual([5, false]);
  expect(stub.asked).toEqual([
    {
      model: 'e-1',
      texts: ['dogs bark', 'refunds take long'],
      dimensions: undefined,
      key: `Bearer ${STUB_KEY}`,
    },
  ]);
  const { vectors: shorter } = await embed(['dogs'], { dimensions: 16 });
  expect(shorter[0]).toHaveLength(16);
});

test('an order of its own, and float32 in base64, are understood; tokens are estimated', async () => {
  const plain = await embed(['dogs', 'refunds']);
  stub.answer(({ vectors, response }) => {
    const data = vectors.map((vector, index) => {
      const bytes = Buffer.alloc(vector.length * 4);
      vector.forEach((one, at) => bytes.writeFloatLE(one, at * 4));
      return { index, embedding: bytes.toString('base64') };
    });
    return response.end(JSON.stringify({ data: data.toReversed() }));
  });
  const encoded = await embed(['dogs', 'refunds']);
  expect(encoded.estimated).toBe(true);
  encoded.vectors.forEach((vector, text) =>
    vector.forEach((one, at) => expect(one).toBeCloseTo(plain.vectors[text]![at]!, 5)),
  );
});

const answering =
  (data: unknown): Faulty =>
  ({ response }) =>
    response.end(JSON.stringify(data));
const status =
  (code: number, headers: Record<string, string> = {}): Faulty =>
  ({ response }) =>
    response.writeHead(code, headers).end('{"error":{"message":"secret words"}}');

describe('an answer that is of no use is told as such', () => {
  test.each<[string, Faulty, string, string]>([
    ['a refused key', status(401), 'model_unauthorized', 'rejected the key'],
    ['no such model', status(404), 'model_refused', 'does not know the model "e-1"'],
    ['a fault', status(503), 'model_failed', 'failed (503)'],
    ['no list', answering({ data: 1 }), 'model_invalid_answer', 'without embeddings'],
    [
      'fewer vectors than texts',
      answering({ data: [{ embedding: [1] }] }),
      'model_invalid_answer',
      '1 embeddings for 2 texts',
    ],
    [
      'one text twice',
      answering({ data: [0, 0].map((index) => ({ index, embedding: [1] })) }),
      'model_invalid_answer',
      'two embeddings for one text',
    ],
    [
      'unequal lengths',
      answering({ data: [[1], [1, 2]].map((embedding) => ({ embedding })) }),
      'model_invalid_answer',
      'different lengths',
    ],
    [
      'no numbers',
      answering({ data: [['NaN'], [1]].map((embedding) => ({ embedding })) }),
      'model_invalid_answer',
      'length is zero or infinite',
    ],
    [
      'zeros',
      answering({ data: [[0], [1]].map((embedding) => ({ embedding })) }),
      'model_invalid_answer',
      'length is zero or infinite',
    ],
    [
      'a web page',
      ({ response }) => response.end('<html>'),
      'model_invalid_answer',
      'invalid JSON',
    ],
  ])('%s', async (_, faulty, code, message) => {
    stub.answer(faulty);
    const failure = await failureOf(embed(['a', 'b']));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(failure.message).not.toContain('secret words');
  });

  test('429 with the time to wait', async () => {
    stub.answer(status(429, { 'retry-after': '7' }));
    const failure = await failureOf(embed(['a']));
    expect(failure).toMatchObject({ code: 'model_rate_limited', retryAfterMs: 7_000 });
  });

  test('another number of dimensions than was asked for', async () => {
    stub.answer(({ texts, response }) =>
      response.end(JSON.stringify({ data: texts.map(() => ({ embedding: [1, 2, 3] })) })),
    );
    const failure = await failureOf(embed(['a'], { dimensions: 8 }));
    expect(failure.message).toContain(
      'answered with vectors of 3 dimensions instead of the requested 8',
    );
  });

  test('more than its vectors can be, which is cut and not kept', async () => {
    let sent = 0;
    stub.answer(({ response }) => {
      const part = Buffer.alloc(64 * 1024, 32);
      const go = (): void => {
        while (!response.destroyed && sent < 1e9 && response.write(part)) sent += part.length;
      };
      response.on('drain', go);
      go();
      return true;
    });
    const failure = await failureOf(embed(['a']));
    expect(failure.message).toContain('answered with more than 512 KiB');
    expect(sent).toBeLessThan(50_000_000);
  });

  test('a provider that is not there', async () => {
    const failure = await failureOf(embed(['a'], { provider: 'gone' }));
    expect(failure).toMatchObject({ code: 'model_refused' });
  });
});

test('who gives up does not wait', async () => {
  stub.answer(() => 'silence');
  stub.asked.length = 0;
  const given = new AbortController();
  const embedding = embed(['a'], {}, given.signal);
  await stub.came(1);
  given.abort(new Error('canceled'));
  await expect(embedding).rejects.toThrow('canceled');
});

test('no more requests at once than the provider may have', async () => {
  more = { maxConcurrent: 1 };
  const open: (() => void)[] = [];
  stub.answer(({ response, vectors }) => {
    open.push(() => response.end(JSON.stringify({ data: [{ embedding: vectors[0] }] })));
    return true;
  });
  stub.asked.length = 0;
  const one = embedder();
  const ask = () =>
    one.embed('default', {
      provider: 'stub',
      model: 'e-1',
      dimensions: null,
      texts: ['a'],
      signal: AbortSignal.timeout(10_000),
    });
  // One is asked, eight wait in line, and one more finds no place: so the eight were not sent.
  const all = Array.from({ length: 9 }, ask);
  await stub.came(1);
  expect((await failureOf(ask())).message).toContain('already has 1 requests in progress');
  expect(stub.asked).toHaveLength(1);
  for (const [at, one] of all.entries()) {
    await stub.came(at + 1);
    expect(stub.asked).toHaveLength(at + 1);
    open[at]!();
    await one;
  }
});

test('what a provider embeds with is what it declares', async () => {
  const named = { provider: 'stub', model: undefined };
  expect(await embedder().modelOf('default', named)).toBeUndefined();
  more = { embeddings: { defaultModel: 'e-2', dimensions: 8, batchSize: 16 } };
  expect(await embedder().modelOf('default', named)).toEqual({
    provider: 'stub',
    model: 'e-2',
    dimensions: 8,
    batchSize: 16,
  });
  expect(await embedder().modelOf('default', { ...named, model: 'e-3' })).toMatchObject({
    model: 'e-3',
  });
});
