import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LedgerEndpoint } from './ledger-entries.ts';
import { startRoleProcesses, type RoleProcesses } from './role-processes.ts';
import type { Recorder } from './ledger-recorder.ts';
import { createLedger, startRecorders, type Ledger } from './ledger.ts';
import { startOwnPostgres, type OwnPostgres } from '../../platform/postgres/own-postgres.ts';
import { freePort } from '../../free-port.ts';
import { runMigrations, temporaryFolder } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { createSeeded } from '../../random/seeded.ts';
import { IS_NIGHTLY } from '../../nightly.ts';

/**
 * Nothing accepted is lost: one API, two delivery processes and an operator on a PostgreSQL of
 * their own. API and delivery processes are killed, at random moments and at failpoints between two
 * side effects, PostgreSQL is killed too, and events come in all the while.
 *
 * FAULT_ROUNDS processes are killed, and a quarter as often PostgreSQL; LEDGER_EVENTS events are
 * accepted meanwhile, LEDGER_RATE a second. `FAULT_ROUNDS=200` takes about 20 minutes. FAULT_SEED
 * decides who is killed when, not how far everybody is then.
 */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 5);
const POSTGRES_KILLS = Math.ceil(ROUNDS / 4);
const EVENTS = Number(process.env['LEDGER_EVENTS'] ?? ROUNDS * 1_000);
const RATE = Number(process.env['LEDGER_RATE'] ?? 280);
/** Of these with an `Idempotency-Key`, repeated until they are answered. */
const IDEMPOTENT_RATE = 20;
const ENDPOINTS = 20;
const SEED = Number(process.env['FAULT_SEED'] ?? Date.now() % 2 ** 31);
/** The kill comes so many events later at most: the moment is what is tried. */
const WITHIN = 80;
/** A failpoint that is not reached by then: the process is killed where it is. */
const ARMED_MS = 3_000;
/** A lease of 30 s that nobody ended earlier, and the attempt after it. */
const SETTLE_MS = 60_000;

const DELIVERIES = ['delivery-1', 'delivery-2'];
/** Where a process can be made to die, and up to how many times it may get past that before. */
const FAILPOINTS = {
  api: {
    'api.answering': 400,
    'transaction.begun': 100,
    'transaction.committing': 100,
    'transaction.committed': 100,
    'outbox.committing': 200,
    'outbox.committed': 200,
    'idempotency.marked': 40,
  },
  delivery: {
    'delivery.claiming': 100,
    'delivery.claimed': 100,
    'delivery.sending': 300,
    'delivery.answered': 300,
    'delivery.recording': 100,
    'delivery.recorded': 100,
    'delivery.taking_over': 1,
  },
} as const;

let postgres: OwnPostgres;
let recorder: Recorder;
let roles: RoleProcesses;
let ledger: Ledger;
/** What to stop at the end, the last first. */
let stops: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  const folder = await temporaryFolder();
  stops = [folder.remove];
  [recorder] = (await startRecorders(folder.path)) as [Recorder];
  stops.push(recorder.stop);
  postgres = await startOwnPostgres({ inMemory: true, settings: { max_connections: '120' } });
  stops.push(postgres.stop);
  await runMigrations(postgres.url);
  const port = await freePort();
  const env = { PARLEY_PORT: String(port), PARLEY_RATE_LIMIT: '0' };
  roles = await startRoleProcesses(postgres.url, [
    { name: 'operator', role: 'operator' },
    { name: 'api', role: 'api', env },
    ...DELIVERIES.map((name) => ({ name, role: 'delivery' as const })),
  ]);
  stops.push(roles.stop);
  const { apiKey } = roles.get('api').parley;
  const url = `http://127.0.0.1:${port}`;
  ledger = createLedger({ folder: folder.path, api: () => ({ url, apiKey }), connections: 128 });
  stops.push(ledger.close);
}, 180_000);

afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
}, 60_000);

test.runIf(IS_NIGHTLY)(
  `F-01 F-02 F-06 F-07 F-08 F-31 F-53: ${EVENTS} events, ${ROUNDS} kills of workers and API, ${POSTGRES_KILLS} of PostgreSQL, none lost`,
  async () => {
    const seeded = createSeeded(SEED);
    const endpoints = await ledger.createEndpoints({ recorder, count: ENDPOINTS });
    // Some are slow, so that a kill finds attempts under way, and some hang up behind their answer.
    const [slow, slower, curt] = endpoints as [LedgerEndpoint, LedgerEndpoint, LedgerEndpoint];
    await recorder.answer(slow.path, { delayMs: 50 });
    await recorder.answer(slower.path, { delayMs: 400 });
    await recorder.answer(curt.path, { close: true });
    const enough = new AbortController();
    const plan = { endpoints, until: enough.signal };
    const producing = [
      ledger.openLoop({ ...plan, rate: RATE - IDEMPOTENT_RATE }),
      ledger.openLoop({ ...plan, rate: IDEMPOTENT_RATE, idempotent: true }),
    ];
    const kills = seeded.shuffled([
      ...Array.from({ length: ROUNDS }, () => 'process' as const),
      ...Array.from({ length: POSTGRES_KILLS }, () => 'postgres' as const),
    ]);
    const done = { process: 0, postgres: 0, atFailpoints: 0, inFlight: 0 };
    const reviving = new Set<Promise<void>>();
    for (const [i, kill] of kills.entries()) {
      await ledger.reached(Math.floor((EVENTS * (i + 0.5)) / kills.length) + seeded.below(WITHIN));
      await (kill === 'postgres' ? killPostgres() : killProcesses());
    }
    await ledger.reached(EVENTS);
    enough.abort();
    await Promise.all(producing);
    await disarm();
    await ledger.settled(SETTLE_MS);
    const verdict = await ledger.verdict();
    console.info(
      `seed ${SEED}: ${verdict.accepted} accepted at ${verdict.acceptedPerSecond}/s, ` +
        `${verdict.lost} lost, ${verdict.duplicates} again of ${done.inFlight} in flight; ` +
        `${done.process} kills of workers and API (${done.atFailpoints} at failpoints), ` +
        `${done.postgres} of PostgreSQL; ${JSON.stringify(verdict)}`,
    );
    expect(roles.unexpected()).toEqual([]);
    expect(verdict).toMatchObject({
      lost: 0,
      failed: 0,
      wrongBody: 0,
      badSignature: 0,
      foreign: 0,
      neverAccepted: 0,
      doubled: 0,
      odd: [],
    });
    expect(verdict.duplicates).toBeLessThanOrEqual(done.inFlight);

    async function killProcesses(): Promise<void> {
      const one = DELIVERIES.slice(0, 1);
      const other = DELIVERIES.slice(1);
      await Promise.all(seeded.pick([['api'], one, other, DELIVERIES]).map(killOne));
      await Promise.all(reviving);
    }
    /** Where it was armed to die if it gets there soon, else where it is. */
    async function killOne(name: string): Promise<void> {
      const member = roles.get(name);
      if (member.failpoints !== '') {
        const dead = until('its failpoint', () => member.isDead, { timeoutMs: ARMED_MS });
        await dead.catch(() => undefined);
      }
      if (member.isDead) return; // It is being revived.
      await roles.kill(name);
      await revive(name, randomFailpoint(name));
    }
    async function revive(name: string, failpoints: string): Promise<void> {
      done.process += 1;
      done.inFlight += await countLeased();
      await roles.start(name, failpoints);
      const member = roles.get(name);
      void member.ended.then(() => {
        if (!member.diedByItself) return;
        done.atFailpoints += 1;
        const run = revive(name, randomFailpoint(name)).finally(() => reviving.delete(run));
        reviving.add(run);
      });
    }
    /** From here on nobody dies unasked. */
    async function disarm(): Promise<void> {
      for (const name of ['api', ...DELIVERIES]) {
        await Promise.all(reviving);
        if (roles.get(name).failpoints === '') continue;
        await roles.kill(name);
        await Promise.all(reviving); // It may have been faster.
        if (roles.get(name).isDead) await revive(name, '');
      }
    }
    /** Every other time none: then it is killed wherever it happens to be. */
    function randomFailpoint(victim: string): string {
      const known = Object.entries(FAILPOINTS[victim === 'api' ? 'api' : 'delivery']);
      const [name, times] = seeded.pick(known);
      const nth = 1 + seeded.below(times);
      return seeded.below(2) === 0 ? `${name}=kill@${nth}` : '';
    }
    async function killPostgres(): Promise<void> {
      const before = await countLeased();
      const children = childrenOf(await postgres.pid());
      const back = postgres.kill('SIGKILL');
      for (const pid of children) killQuietly(pid);
      await back;
      done.postgres += 1;
      done.inFlight += Math.max(before, await countLeased());
    }
  },
  300_000 + ROUNDS * 20_000 + EVENTS * 10,
);

/** Sent, or about to be, and not recorded: of those killed just now and of those that live. */
async function countLeased(): Promise<number> {
  // PostgreSQL was killed just now, perhaps.
  return until('PostgreSQL', async () => {
    const rows = await postgres
      .query<{ leased: number }>(
        'select count(*)::int as leased from delivery_queue where lease_token is not null',
      )
      .catch(() => []);
    return rows[0]?.leased;
  });
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | undefined {
  try {
    // Field 4; field 2 is a name in brackets and may hold spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]);
  } catch {
    return undefined; // It ended while we looked.
  }
}

/** A child of a postmaster that is gone ends by itself, perhaps sooner. */
function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It did.
  }
}
