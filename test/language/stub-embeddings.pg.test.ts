import { afterAll, beforeAll, expect, test } from 'vitest';
import { pino } from 'pino';
import { createPool, type Pool } from '../../src/platform/postgres/pool.ts';
import { createTestDatabase } from '../platform/postgres/postgres.ts';
import { learn, measureFaq, search } from './faq.ts';
import { startStubEmbeddings, type StubEmbeddings } from './stub-embeddings.ts';

/** That the figures with vectors are of vectors: each text came over HTTP, and no search went without. */

let pool: Pool;
let drop: () => Promise<void>;
let stub: StubEmbeddings;
beforeAll(async () => {
  const database = await createTestDatabase();
  pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 4 });
  drop = database.drop;
  stub = await startStubEmbeddings(pool);
});
afterAll(async () => {
  await stub?.stop();
  await pool?.end();
  await drop?.();
});

const faqs = [
  { question: 'Do you tune pianos?', answer: 'A tuner comes to your house within a week.' },
  { question: 'What does a lesson cost?', answer: 'Thirty minutes are twenty euros.' },
  { question: 'May I hire a violin?', answer: 'Violins are lent for a term.' },
];

test('each passage and each question is embedded once, and each search compares by meaning', async () => {
  const questions = faqs.map(({ question }) => ({ text: `${question} Please!`, faq: question }));
  const figures = await measureFaq(pool, { source: 'a school of music', faqs, questions }, stub);
  expect(figures.faq.at1).toBe(1);
  // Four searches of each question: both ways to index it, and with its pair withheld or not.
  expect(stub.uses()).toEqual({ used: 12, partly: 0, unavailable: 0, none: 0 });
  const ofAnything = 8;
  expect(stub.asked().texts).toBe(faqs.length * 2 + questions.length + ofAnything);
});

test('what no word has in common is found by its letters', async () => {
  const sources = await learn(pool, [['harp', 'Harpsichords are restrung in spring.']]);
  const query = 'harps';
  expect(await search(pool, [...sources.values()], query)).toEqual([]);
  await stub.embed();
  const [hit] = await search(pool, [...sources.values()], query, stub.meaning);
  expect(hit).toMatchObject({ similarity: expect.any(Number) });
});
