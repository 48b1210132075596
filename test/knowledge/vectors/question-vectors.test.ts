import { expect, test } from 'vitest';
import { createQuestionVectors } from '../../../src/knowledge/vectors/question-vectors.ts';
import type { EmbeddingModel } from '../../../src/models/embeddings/embedder.ts';

/** Vectors of questions, each kept for its namespace and its model. */

const MODEL: EmbeddingModel = { provider: 'default', model: 'e-1', dimensions: null };
const QUESTION = 'When do you open?';

type Asked = { namespace: string; model: EmbeddingModel; text: string };

/** Embeds each text as a vector that says how many requests came before, unless `isFailing`. */
function startStub(isFailing: (asked: Asked) => boolean = () => false) {
  const asked: Asked[] = [];
  let nowMs = 0;
  const questions = createQuestionVectors({
    nowMs: () => nowMs,
    budgetMs: 60_000,
    embedder: {
      embed: async (namespace, { provider, model, dimensions, texts }) => {
        const one = { namespace, model: { provider, model, dimensions }, text: texts[0]! };
        asked.push(one);
        if (isFailing(one)) throw new Error('no vectors');
        const vectors = texts.map(() => Float32Array.from([asked.length]));
        return { vectors, tokens: texts.length, estimated: false };
      },
    },
  });
  const pass = (ms: number): void => void (nowMs += ms);
  return { asked, questions, pass };
}

test('the same question to the same model is asked once', async () => {
  const { asked, questions } = startStub();
  const first = await questions.of('tenant-a', MODEL, QUESTION);
  expect(await questions.of('tenant-a', { ...MODEL }, ` ${QUESTION} `)).toBe(first);
  expect(asked).toHaveLength(1);
});

test.each<[differs: string, other: Asked]>([
  ['namespace', { namespace: 'tenant-b', model: MODEL, text: QUESTION }],
  ['provider', { namespace: 'tenant-a', model: { ...MODEL, provider: 'second' }, text: QUESTION }],
  ['model', { namespace: 'tenant-a', model: { ...MODEL, model: 'e-2' }, text: QUESTION }],
  ['dimensions', { namespace: 'tenant-a', model: { ...MODEL, dimensions: 64 }, text: QUESTION }],
  ['question', { namespace: 'tenant-a', model: MODEL, text: 'When do you close?' }],
])('a question whose %s differs is asked by itself', async (_, other) => {
  const { asked, questions } = startStub();
  const first = await questions.of('tenant-a', MODEL, QUESTION);
  const second = await questions.of(other.namespace, other.model, other.text);
  expect(asked.slice(1)).toEqual([other]);
  expect(second?.vector).not.toEqual(first?.vector);
});

test.each<[differs: string, other: Omit<Asked, 'text'>]>([
  ['namespace', { namespace: 'tenant-b', model: MODEL }],
  ['provider', { namespace: 'tenant-a', model: { ...MODEL, provider: 'second' } }],
  ['model', { namespace: 'tenant-a', model: { ...MODEL, model: 'e-2' } }],
  ['dimensions', { namespace: 'tenant-a', model: { ...MODEL, dimensions: 64 } }],
])('a failure pauses nobody whose %s differs', async (_, { namespace, model }) => {
  const { asked, questions, pass } = startStub(
    (one) => one.namespace === 'tenant-a' && one.model.model === 'e-1' && asked.length === 1,
  );
  expect(await questions.of('tenant-a', MODEL, QUESTION)).toBeUndefined();
  expect(await questions.of('tenant-a', MODEL, 'Another question?')).toBeUndefined();
  expect(asked).toHaveLength(1);
  expect(await questions.of(namespace, model, QUESTION)).toBeDefined();
  pass(1_000);
  expect(await questions.of('tenant-a', MODEL, 'Another question?')).toBeDefined();
  expect(asked).toHaveLength(3);
});
