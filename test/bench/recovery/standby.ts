import { startFaultProxy } from '../../platform/fault-proxy.ts';
import { startDatabaseHarness } from '../../platform/postgres/database-harness.ts';
import { startOwnPostgres } from '../../platform/postgres/own-postgres.ts';
import { startStandby } from '../../platform/postgres/standby.ts';
import type { Bounds } from '../bounds.ts';
import { bareRequests } from '../figures.ts';

/** The primary's machine is gone under load, and a standby takes its place. One round: it takes two servers. */
export async function benchStandby(bounds: Bounds): Promise<void> {
  const primary = await startOwnPostgres();
  const harness = await startDatabaseHarness(primary.url);
  const link = await startFaultProxy(primary.port);
  const standby = await startStandby(primary, link);
  try {
    bounds.baseline('GET /v1/agents', await bareRequests(harness));
    const producer = harness.produce();
    await producer.accepts(50);
    link.refuse();
    const goneMs = performance.now();
    await primary.destroy();
    await standby.promote();
    const promotedMs = performance.now();
    for (const proxy of [harness.database, harness.deliveryDatabase]) {
      proxy.retarget(standby.port);
      proxy.cut();
    }
    const acceptedMs = await producer.acceptedAfter(promotedMs);
    await producer.stop();
    const what = 'the primary is gone';
    bounds.check({ what: `${what} → the standby is promoted`, times: [promotedMs - goneMs] });
    bounds.check({
      what: `${what} → an event is accepted`,
      times: [acceptedMs - goneMs],
      worstMs: 10_000,
    });
  } finally {
    await harness.stop();
    await link.stop();
    await standby.stop();
    await primary.stop();
  }
}
