import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPENAPI_FILE } from '../../src/roles/api/openapi-file.ts';

/** Every bound of a body stands in contract/conversations.md#bounds: a caller can meet each as 422. */

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
  const { paths } = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const bounds = operations
    .filter(({ tags }) => tags.some((tag) => TAGS.includes(tag)))
    .flatMap(({ requestBody }) => boundsIn(requestBody));
  const page = new URL('../../docs/contract/conversations.md', import.meta.url);
  const [, text = ''] = readFileSync(page, 'utf8').split('## Bounds\n');
  const missing = [...new Set(bounds)]
    .filter((bound) => bound !== Number.MAX_SAFE_INTEGER)
    .map((bound) => bound.toLocaleString('en'))
    .filter((bound) => !new RegExp(`(?<![\\d,])${bound}(?![\\d,])`).test(text));
  expect(bounds).toContain(32_000);
  expect(missing).toEqual([]);
});
