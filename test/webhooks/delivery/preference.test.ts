import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createPreference } from '../../../src/webhooks/delivery/preference.ts';

const ENDPOINTS = Array.from({ length: 1_000 }, () => randomUUID());

/** Who claims at once for each endpoint, when these processes know of each other. */
function shares(processes: readonly number[]): Map<number, Set<string>> {
  return new Map(
    processes.map((number) => {
      const preference = createPreference(number);
      preference.setOthers(processes.filter((other) => other !== number));
      return [number, new Set(preference.ours(ENDPOINTS))];
    }),
  );
}

test('alone, a process claims for all', () => {
  expect(createPreference(1).ours(ENDPOINTS)).toEqual(ENDPOINTS);
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
  const preference = createPreference(1);
  expect(preference.ours(ENDPOINTS)).toHaveLength(1_000);
  preference.setOthers([2]);
  expect(preference.ours(ENDPOINTS).length).toBeLessThan(700);
  preference.setOthers([]);
  expect(preference.ours(ENDPOINTS)).toHaveLength(1_000);
});

test('to look at all is for all', () => {
  const preference = createPreference(1);
  preference.setOthers([2, 3]);
  expect(preference.ours(['*'])).toEqual(['*']);
});
