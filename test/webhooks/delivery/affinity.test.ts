import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAffinity } from '../../../src/webhooks/delivery/affinity.ts';

const ENDPOINTS = Array.from({ length: 1_000 }, () => randomUUID());

/** Who claims at once for each endpoint, when these processes know of each other. */
function shares(processes: readonly number[]): Map<number, Set<string>> {
  return new Map(
    processes.map((number) => {
      const affinity = createAffinity(number);
      affinity.setOthers(processes.filter((other) => other !== number));
      return [number, new Set(affinity.ours(ENDPOINTS))];
    }),
  );
}

test('alone, a process claims for all', () => {
  expect(createAffinity(1).ours(ENDPOINTS)).toEqual(ENDPOINTS);
});

test('each endpoint has exactly one process, and each process about its share', () => {
  const byProcess = shares([3, 5, 8, 13]);
  const all = [...byProcess.values()].flatMap((set) => [...set]);
  expect(all.toSorted()).toEqual(ENDPOINTS.toSorted());
  for (const { size } of byProcess.values()) expect(Math.abs(size - 250)).toBeLessThan(100);
});

test('when one leaves, only what was its own moves', () => {
  const [before, after] = [shares([3, 5, 8, 13]), shares([3, 5, 8])];
  for (const number of [3, 5, 8]) {
    const kept = [...before.get(number)!].filter((id) => after.get(number)!.has(id));
    expect(kept).toHaveLength(before.get(number)!.size);
  }
});

test('what it said of an endpoint is forgotten when the others change', () => {
  const affinity = createAffinity(1);
  expect(affinity.ours(ENDPOINTS)).toHaveLength(1_000);
  affinity.setOthers([2]);
  expect(affinity.ours(ENDPOINTS).length).toBeLessThan(700);
  affinity.setOthers([]);
  expect(affinity.ours(ENDPOINTS)).toHaveLength(1_000);
});

test('to look at all is for all', () => {
  const affinity = createAffinity(1);
  affinity.setOthers([2, 3]);
  expect(affinity.ours(['*'])).toEqual(['*']);
});
