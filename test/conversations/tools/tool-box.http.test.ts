import { expect, test } from 'vitest';
import type { KnowledgeHit } from '../../../src/knowledge/passages/search-passages.ts';
import { newUuid } from '../../../src/ids.ts';
import { boxOf, run } from './tool-setup.ts';

const hit = (heading: string, score: number): KnowledgeHit => ({
  chunkId: newUuid(),
  documentId: newUuid(),
  sourceId: newUuid(),
  gapId: null,
  heading,
  text: `about ${heading}`,
  score,
  why: { matched: [], missing: [], likeness: null },
});

test('the model is told of each tool, by the words of the agent or ours', () => {
  const { tools } = boxOf([
    { type: 'end_call', name: 'bye' },
    { type: 'transfer_call', name: 'human', description: 'A person.' },
    { type: 'knowledge_search', name: 'look_up' },
    {
      type: 'webhook',
      name: 'refund',
      url: 'https://example.com',
      parameters: { required: ['a'] },
    },
  ]);
  expect(tools.map(({ name }) => name)).toEqual(['bye', 'human', 'look_up', 'refund']);
  expect(tools[0]).toMatchObject({ description: expect.stringContaining('Ends the conversation') });
  expect(tools[1]).toMatchObject({ description: 'A person.' });
  expect(tools[2]?.parameters).toMatchObject({ required: ['query'] });
  expect(tools[3]).toEqual({ name: 'refund', parameters: { required: ['a'] } });
});

test('a tool that the agent does not have is not run', async () => {
  const { ok, said } = await run(boxOf([{ type: 'end_call', name: 'bye' }]), {}, { name: 'rm' });
  expect([ok, said]).toEqual([false, { ok: false, error: 'there is no tool "rm"' }]);
});

test('end_call ends the conversation', async () => {
  const box = boxOf([{ type: 'end_call', name: 'act' }]);
  expect(await run(box, { reason: 'goodbye' })).toMatchObject({
    ok: true,
    effect: { type: 'end_call' },
  });
  expect(await run(box, { when: 'now' })).toMatchObject({ ok: false });
});

test.each([
  [{ reason: 'wants a refund' }, 'wants a refund'],
  [{}, 'transfer_call'],
  [{ reason: ' \0 ' }, 'transfer_call'],
  [{ reason: `${'x'.repeat(255)}\uD83D` }, `${'x'.repeat(255)}\uFFFD`],
])('transfer_call asks for a human: %j', async (args, reason) => {
  const box = boxOf([{ type: 'transfer_call', name: 'act' }]);
  expect((await run(box, args)).effect).toEqual({ type: 'transfer_call', reason });
});

test('knowledge_search finds what the agent sees, and quotes what is good enough', async () => {
  const asked: unknown[] = [];
  const hits = [hit('Opening hours', 0.9), hit('Parking', 0.3)];
  const box = boxOf([{ type: 'knowledge_search', name: 'act' }], {
    knowledge: { topK: 2, minScore: 0.4 },
    search: (query, limit) => {
      asked.push([query, limit]);
      return Promise.resolve(hits);
    },
  });
  const outcome = await run(box, { query: 'when is it open' });
  expect(asked).toEqual([['when is it open', 2]]);
  expect(outcome).toMatchObject({ ok: true, hits });
  expect(outcome.said).toEqual({
    ok: true,
    passages: [
      {
        id: expect.stringMatching(/^chk_/),
        heading: 'Opening hours',
        text: 'about Opening hours',
      },
    ],
  });
  expect((await run(box, {})).ok).toBe(false);
});

test('what goes wrong on our side is an outcome too, and in the log', async () => {
  const errors: unknown[] = [];
  const box = boxOf([{ type: 'knowledge_search', name: 'act' }], {
    search: () => Promise.reject(new Error('the database is away')),
    errors,
  });
  const { ok, content } = await run(box, { query: 'x' });
  expect([ok, content]).toEqual([
    false,
    '{"ok":false,"error":"the tool failed because of an internal error"}',
  ]);
  expect(errors).toHaveLength(1);
});
