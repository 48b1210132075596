import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyCluster } from './made-cluster.ts';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.ts';
import { IS_NIGHTLY } from '../../nightly.ts';
import { temporaryFolder } from '../../roles/parley-process.ts';
import { startDatabaseHarness, type DatabaseHarness, type Producer } from './database-harness.ts';
import { mountSmallDisk, whyNoSmallDisk, type SmallDisk } from './small-disk.ts';

/**
 * The disk of PostgreSQL is full. If the tables are on it, statements fail; if the WAL is on it, the server stops and
 * cannot restart. No request is accepted meanwhile, and everything recovers without help when there is space again.
 *
 * Needs to mount a tmpfs, which root may (also root of a user namespace: `unshare -rm`).
 */

const probe = await temporaryFolder();
const whyNot = await whyNoSmallDisk(probe.path);
await probe.remove();
if (whyNot !== undefined) console.warn(`F-12 DOES NOT RUN: no disk can be filled here: ${whyNot}`);

/** The tables need about 50 MB from the start, the WAL three files of 16 MB. */
const SIZES_MB = { data: 160, wal: 80 };
/** Consecutive requests that must be refused before the disk counts as full. */
const REFUSED = 100;
const WAL_SETTINGS = { min_wal_size: '32MB', max_wal_size: '32MB', wal_recycle: 'off' };

let home: Awaited<ReturnType<typeof temporaryFolder>>;
let disk: SmallDisk;
let postgres: OwnPostgres;
let harness: DatabaseHarness;

beforeEach(async () => {
  home = await temporaryFolder();
});

afterEach(async () => {
  await disk?.free();
  await harness?.stop();
  await postgres?.stop();
  await disk?.unmount();
  await home.remove();
}, 60_000);

/** Starts PostgreSQL with the tables on one disk and the WAL on another, of which one is small. */
async function startOn(small: 'data' | 'wal'): Promise<void> {
  const folders = { data: path.join(home.path, 'data'), wal: path.join(home.path, 'wal') };
  for (const folder of Object.values(folders)) await mkdir(folder);
  disk = await mountSmallDisk(folders[small], SIZES_MB[small]);
  await copyCluster(folders.data, { migrated: true });
  const pgWal = path.join(folders.data, 'postgres/pg_wal');
  const moved = path.join(folders.wal, 'pg_wal');
  await cp(pgWal, moved, { recursive: true });
  await rm(pgWal, { recursive: true });
  await symlink(moved, pgWal);
  postgres = await startOwnPostgres({ folder: folders.data, settings: WAL_SETTINGS });
  harness = await startDatabaseHarness(postgres.url);
  await harness.arrived(await harness.emit());
}

(whyNot === undefined ? test : test.skip).each(
  IS_NIGHTLY ? (['data', 'wal'] as const) : (['data'] as const),
)(
  'F-12: the disk of the %s is full: 503 and no 2xx, and it recovers by itself',
  async (small) => {
    await startOn(small);
    const producer = harness.produce();
    await disk.fill();
    // Existing files have room left. For the WAL that is a whole file.
    if (small === 'wal') await useUpWal();
    await refusedOnly(producer);
    await disk.free();
    await producer.acceptedAfter(performance.now());
    await producer.stop();
    const last = await harness.emit();
    console.info(`F-12, ${small}: ${producer.accepted.size} accepted`);
    const others = producer.answers.filter(
      ({ status, retryAfter }) => status !== 202 && !(status === 503 && Number(retryAfter) > 0),
    );
    expect(others).toEqual([]);
    expect(harness.exits()).toEqual([]);
    await harness.arrived(last);
    await postgres.query(
      'update delivery_queue set run_at = now() where lease_token is not null and run_at > now()',
    );
    await harness.allArrived(producer.accepted.keys());
  },
  60_000,
);

async function useUpWal(): Promise<void> {
  for (let i = 0; i < 20; i += 1) {
    const gone = await postgres
      .query(`select pg_logical_emit_message(true, 'x', repeat('x', 4000000))`)
      .catch(() => undefined);
    if (gone === undefined) return;
  }
  throw new Error('the WAL goes on and on');
}

/**
 * Resolves when the last answers were all refusals. A request may still succeed until the existing pages are full, and
 * again after each deleted row. Its event then arrives, which the end of the test checks.
 */
function refusedOnly(producer: Producer): Promise<void> {
  return producer.until((answers) => {
    const last = answers.slice(-REFUSED);
    return last.length === REFUSED && last.every(({ status }) => status === 503);
  });
}
