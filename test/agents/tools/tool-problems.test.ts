import { expect, onTestFinished, test, vi } from 'vitest';
import { parameterProblems } from '../../../src/agents/tools/tool-problems.ts';
import { eventLoopTurns } from '../../../src/platform/controller/event-loop-turns.ts';

test('schemas give way to other work, one after the other', async () => {
  const tool = { type: 'webhook', name: 'order', parameters: { type: 'object' } };
  vi.spyOn(eventLoopTurns, 'isFree').mockReturnValue(false);
  onTestFinished(() => void vi.restoreAllMocks());
  const wait = vi.spyOn(eventLoopTurns, 'wait');
  expect(await parameterProblems(Array.from({ length: 20 }, () => tool))).toEqual([]);
  expect(wait).toHaveBeenCalledTimes(20);
});

test('the place of each problem is that of its tool', async () => {
  const problems = await parameterProblems([
    { type: 'webhook', name: 'none' },
    { type: 'webhook', name: 'list', parameters: { type: 'array' } },
    { type: 'webhook', name: 'good', parameters: { type: 'object' } },
    { type: 'webhook', name: 'far', parameters: { $ref: 'https://elsewhere.example/' } },
  ]);
  expect(problems.map(({ name, pointer }) => ({ name, pointer }))).toEqual([
    { name: 'list', pointer: '/1/parameters/type' },
    { name: 'far', pointer: '/3/parameters' },
  ]);
});
