import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeRoutes } from '../../src/roles/describe-routes.ts';

/** What a caller can meet as 422 is a promise too: every bound of a body stands in the contract. */

type Operation = { operationId: string; tags: string[]; requestBody?: object };

const BOUNDS = ['maxLength', 'maxItems', 'maxProperties', 'maximum'];
const TAGS = ['Conversations', 'Escalations', 'Calls'];

function boundsIn(schema: unknown): number[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([name, value]) =>
    BOUNDS.includes(name) && typeof value === 'number' ? [value] : boundsIn(value),
  );
}

test('of conversations, escalations and calls', () => {
  const document = describeRoutes();
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const bounds = operations
    .filter(({ tags }) => tags.some((tag) => TAGS.includes(tag)))
    .flatMap(({ requestBody }) => boundsIn(requestBody));
  const contract = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8');
  const text = /^Bounds of conversations[^]*?\n\n/m.exec(contract)?.[0] ?? '';
  const missing = [...new Set(bounds)]
    .filter((bound) => bound !== Number.MAX_SAFE_INTEGER)
    .map((bound) => bound.toLocaleString('en'))
    .filter((bound) => !new RegExp(`(?<![\\d,])${bound}(?![\\d,])`).test(text));
  expect(bounds).toContain(32_000);
  expect(missing).toEqual([]);
});
