import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';

/** The gauges of the queue appear only while they are true (contract/metrics.md#webhooks-and-events). */

const GAUGES = [
  'parley_webhook_deliveries_pending',
  'parley_webhook_oldest_due_age_seconds',
  'parley_webhook_endpoints',
];
const measured = { pending: 3, oldestDueAgeSec: 1.5, endpoints: { healthy: 2, failing: 0 } };

const shown = (page: string): string[] => GAUGES.filter((name) => page.includes(name));

test('a process that does not measure the queue shows none of them', async () => {
  const metrics = createMetrics({ processMetrics: false });
  expect(shown(await metrics.render())).toEqual([]);
});

test('what was measured is shown, again and again', async () => {
  const metrics = createMetrics({ processMetrics: false });
  metrics.showBacklog(measured);
  metrics.showBacklog({ ...measured, pending: 4 });
  const page = await metrics.render();
  expect(page).toContain('parley_webhook_deliveries_pending 4\n');
  expect(page).toContain('parley_webhook_oldest_due_age_seconds 1.5\n');
  expect(page).toContain('parley_webhook_endpoints{state="failing"} 0\n');
});

test('what is older than half a minute is not, until it is measured again', async () => {
  const metrics = createMetrics({ processMetrics: false });
  let nowMs = 0;
  metrics.showBacklog(measured, () => nowMs);
  nowMs = 30_000;
  expect(shown(await metrics.render())).toEqual(GAUGES);
  nowMs = 30_001;
  expect(shown(await metrics.render())).toEqual([]);
  metrics.showBacklog(measured, () => nowMs);
  expect(shown(await metrics.render())).toEqual(GAUGES);
});

const WAITING = ['parley_escalations_waiting', 'parley_escalation_oldest_wait_seconds'];

test('those who wait for a person are shown by who measures them, and as long', async () => {
  const metrics = createMetrics({ processMetrics: false });
  const shownOf = async (): Promise<string[]> => {
    const page = await metrics.render();
    return WAITING.filter((name) => page.includes(name));
  };
  metrics.showBacklog(measured);
  expect(await shownOf()).toEqual([]);
  let nowMs = 0;
  metrics.showWaiting({ waiting: 2, oldestWaitSec: 61.5 }, () => nowMs);
  const page = await metrics.render();
  expect(page).toContain('parley_escalations_waiting 2\n');
  expect(page).toContain('parley_escalation_oldest_wait_seconds 61.5\n');
  nowMs = 30_001;
  expect(await shownOf()).toEqual([]);
  // Each measurement has an age of its own.
  expect(shown(await metrics.render())).toEqual(GAUGES);
});
