import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLedger, startRecorders, type Ledger } from './ledger.ts';
import type { Recorder } from './ledger-recorder.ts';
import { startRole, startRoles, temporaryFolder, type Parley } from '../../roles/parley-process.ts';
import { createTestDatabase } from '../../platform/postgres/postgres.ts';
import { createSeeded } from '../../random/seeded.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * Delivery processes come and go in order while events come in, as an autoscaler has them: nothing is
 * lost and, since nothing was killed, nothing is sent twice.
 */

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 3);
const EVENTS = 200;
const ENDPOINTS = 20;
const MORE_MAX = 3;
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let recorder: Recorder;
let ledger: Ledger;
let running: Parley[];
let everStarted: Parley[];
let databaseUrl: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  [recorder] = (await startRecorders(folder.path)) as [Recorder];
  databaseUrl = (await createTestDatabase()).url;
  running = [await startRoles({ databaseUrl, env: { PARLEY_RATE_LIMIT: '0' } })];
  everStarted = [...running];
  ledger = createLedger({ folder: folder.path, api: () => running[0]! });
});

afterEach(async () => {
  for (const one of running) await one.stop();
  await ledger.close();
  await recorder.stop();
  await folder.remove();
});

test.runIf(IS_NIGHTLY)(
  `delivery processes come and go under load: nothing lost, nothing twice (seed ${SEED})`,
  async () => {
    const random = createSeeded(SEED);
    const endpoints = await ledger.createEndpoints({ recorder, count: ENDPOINTS });
    for (let round = 0; round < ROUNDS * 2; round += 1) {
      const produced = ledger.closedLoop({ endpoints, callers: 8, count: EVENTS });
      const more = running.length - 1;
      if (more === 0 || (more < MORE_MAX && random.below(2) === 0)) {
        const added = await startRole('delivery', { databaseUrl, env: {} });
        running.push(added);
        everStarted.push(added);
      } else {
        const [leaving] = running.splice(1 + random.below(more), 1);
        expect(await leaving!.stop()).toEqual([0]);
      }
      await produced;
    }
    expect(await ledger.settled(30_000)).toBe(true);
    // Nobody died, so nobody was to be taken over from.
    expect(everStarted.filter((one) => one.output().includes('took over'))).toEqual([]);
    const verdict = await ledger.verdict();
    expect(verdict.accepted).toBeGreaterThanOrEqual(ROUNDS * 2 * EVENTS);
    expect(verdict).toMatchObject({
      lost: 0,
      duplicates: 0,
      foreign: 0,
      wrongBody: 0,
      badSignature: 0,
      neverAccepted: 0,
      odd: [],
    });
  },
  600_000,
);
