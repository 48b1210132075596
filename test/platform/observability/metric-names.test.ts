import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';

/** The contract names every metric, and the program serves each (contract/metrics.md). */
const PAGE = new URL('../../../docs/contract/metrics.md', import.meta.url);
const section = readFileSync(PAGE, 'utf8');

async function served(): Promise<string[]> {
  const metrics = createMetrics({ processMetrics: false });
  metrics.showBacklog({ pending: 0, oldestDueAgeSec: 0, endpoints: {} });
  metrics.showWaiting({ waiting: 0, oldestWaitSec: 0 });
  return [...(await metrics.render()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
}

test('every metric has its line, those of controllers by the list below the table', async () => {
  const families = /^(controller_runtime|workqueue)_/;
  const unnamed = (await served()).filter(
    (name) =>
      !section.includes(`\`${name.replace(families, '')}`) && !section.includes(`\`${name}`),
  );
  expect(unnamed).toEqual([]);
});

test('every name of a row is served', async () => {
  const names = [
    ...section.matchAll(
      /`((?:parley|gen_ai|http)_\w+_(?:seconds|total|usage|pending|endpoints|waiting|in_flight))\b/g,
    ),
  ].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(15);
  const there = await served();
  expect(names.filter((name) => !there.includes(name))).toEqual([]);
});
