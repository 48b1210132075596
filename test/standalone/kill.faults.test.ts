import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLedger, startRecorders, type Ledger } from '../webhooks/ledger/ledger.ts';
import type { Recorder } from '../webhooks/ledger/ledger-recorder.ts';
import { freePort } from '../free-port.ts';
import { IS_NIGHTLY, roundsOf } from '../nightly.ts';
import { memoryFolder } from '../memory-folder.ts';
import { copyCluster } from '../platform/postgres/made-cluster.ts';
import { startParley, temporaryFolder, type Parley } from '../roles/parley-process.ts';
import { createSeeded } from '../random/seeded.ts';

/**
 * Nothing accepted is lost by `parley start`: FAULT_ROUNDS times the process or, every third time,
 * its PostgreSQL is killed while events come in. ledger-kill.faults.test.ts does the same to roles that are
 * processes of their own.
 */

const ROUNDS = roundsOf(2);
const POSTGRES_KILLS = Math.ceil(ROUNDS / 3);
const PROCESS_KILLS = ROUNDS - POSTGRES_KILLS;
/** Accepted between two kills. */
const EVENTS_PER_ROUND = IS_NIGHTLY ? 600 : 60;
const ENDPOINTS = 4;
const PRODUCERS = 16;
/** The deliverer's limit for one endpoint: as much can be under way when it dies. */
const IN_FLIGHT_MAX = ENDPOINTS * 32;
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let recorder: Recorder;
let ledger: Ledger;
let parley: Parley;

beforeEach(async () => {
  folder = await temporaryFolder(memoryFolder());
  await copyCluster(folder.path, { migrated: true });
  [recorder] = (await startRecorders(folder.path)) as [Recorder];
});

afterEach(async () => {
  await parley.stop();
  await ledger.close();
  await recorder.stop();
  await folder.remove();
});

test(
  'F-01 F-06 F-08: every accepted event arrives, whatever is killed',
  async () => {
    const port = String(await freePort());
    const start = (): Promise<Parley> =>
      startParley({ dataDir: folder.path, env: { PARLEY_PORT: port } });
    parley = await start();
    ledger = createLedger({ folder: folder.path, api: () => parley });
    const endpoints = await ledger.createEndpoints({ recorder, count: ENDPOINTS });
    const produce = (): Promise<void> =>
      ledger.closedLoop({
        endpoints,
        callers: PRODUCERS,
        count: EVENTS_PER_ROUND,
        endWhenRefused: true,
      });

    const kills = createSeeded(SEED).shuffled([
      ...Array.from({ length: PROCESS_KILLS }, () => 'process' as const),
      ...Array.from({ length: POSTGRES_KILLS }, () => 'postgres' as const),
    ]);
    for (const kill of kills) {
      const half = ledger.counts().accepted + EVENTS_PER_ROUND / 2;
      const produced = produce();
      await ledger.reached(half);
      if (kill === 'process') {
        await parley.kill();
        await produced;
        parley = await start();
      } else {
        process.kill(await postmasterPid(folder.path), 'SIGKILL');
        await produced;
        await answering(parley);
      }
    }
    await produce();

    await ledger.settled(60_000);
    const verdict = await ledger.verdict();
    console.info(`seed ${SEED}: ${kills.length} kills, ${JSON.stringify(verdict)}`);
    expect(verdict).toMatchObject({
      lost: 0,
      failed: 0,
      wrongBody: 0,
      badSignature: 0,
      foreign: 0,
      neverAccepted: 0,
      odd: [],
    });
    expect(verdict.duplicates).toBeLessThanOrEqual(kills.length * IN_FLIGHT_MAX);
  },
  120_000 + ROUNDS * 30_000,
);

async function postmasterPid(dataDir: string): Promise<number> {
  const text = await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8');
  return Number(text.split('\n')[0]);
}

/** PostgreSQL is being restarted: the API answers 503 until it is back. */
async function answering({ call }: Parley): Promise<void> {
  const endMs = performance.now() + 60_000;
  for (;;) {
    const { status } = await call('GET', '/v1/webhooks');
    if (status === 200) return;
    expect(status).toBe(503);
    if (performance.now() > endMs) throw new Error('the database did not come back');
  }
}
