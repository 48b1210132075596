import {
  startDatabaseHarness,
  type DatabaseHarness,
} from '../../platform/postgres/database-harness.ts';
import { startOwnPostgres, type OwnPostgres } from '../../platform/postgres/own-postgres.ts';
import type { Bounds } from '../bounds.ts';
import { bareRequests, timed } from '../figures.ts';
import { answers, inRounds } from './rounds.ts';

/** PostgreSQL refuses connections, hangs, or is killed. */
export async function benchDatabase(bounds: Bounds): Promise<void> {
  const postgres = await startOwnPostgres();
  const harness = await startDatabaseHarness(postgres.url);
  try {
    await harness.arrived(await harness.emit());
    bounds.baseline('GET /v1/agents', await bareRequests(harness));
    await wakeUps(bounds, harness);
    await outages(bounds, harness);
    await kills(bounds, { harness, postgres });
  } finally {
    await harness.stop();
    await postgres.stop();
  }
}

async function wakeUps(bounds: Bounds, harness: DatabaseHarness): Promise<void> {
  const times = await inRounds(30, async () => {
    const eventId = await harness.emit();
    const acceptedMs = performance.now();
    return Math.max(0, (await harness.arrived(eventId)) - acceptedMs);
  });
  bounds.check({ what: 'an event is accepted → it arrives', times, p50Ms: 100 });
}

async function outages(bounds: Bounds, harness: DatabaseHarness): Promise<void> {
  const { database } = harness;
  const refused = (): Promise<unknown> =>
    answers(harness, 503, ['POST', `/v1/webhooks/${harness.endpointId}/test`]);
  for (const { what, begin, end, rounds, worstMs } of [
    {
      what: 'the database refuses',
      begin: database.refuse,
      end: database.accept,
      rounds: 5,
      worstMs: 5_000,
    },
    {
      what: 'the database hangs',
      begin: database.hang,
      end: () => {
        database.cut();
        database.resume();
      },
      rounds: 1,
      worstMs: 17_000, // A statement has 15 s, and the pool waits for one more.
    },
  ]) {
    const untilAnswered: number[] = [];
    const untilBack = await inRounds(rounds, async () => {
      begin();
      untilAnswered.push(await timed(refused));
      end();
      return timed(() => answers(harness, 200, ['GET', '/v1/agents']));
    });
    bounds.check({ what: `${what} → a write is answered with 503`, times: untilAnswered, worstMs });
    bounds.check({ what: `${what}, and is back → 200`, times: untilBack, worstMs: 1_000 });
  }
}

type Broken = { harness: DatabaseHarness; postgres: OwnPostgres };

/** Under load. Counted from the moment at which the server that follows takes connections. */
async function kills(bounds: Bounds, { harness, postgres }: Broken): Promise<void> {
  const delivered: number[] = [];
  const accepted = await inRounds(3, async () => {
    const producer = harness.produce();
    await producer.accepts(30);
    const upMs = await postgres.kill('SIGKILL');
    const acceptedMs = await producer.acceptedAfter(upMs);
    await producer.accepts(30);
    await producer.stop();
    const [eventId] = [...producer.accepted].find(([, atMs]) => atMs >= upMs)!;
    delivered.push((await harness.arrived(eventId)) - upMs);
    return acceptedMs - upMs;
  });
  const what = 'PostgreSQL is killed, and is back';
  bounds.check({ what: `${what} → an event is accepted`, times: accepted, worstMs: 1_000 });
  bounds.check({ what: `${what} → it is delivered`, times: delivered, worstMs: 2_000 });
}
