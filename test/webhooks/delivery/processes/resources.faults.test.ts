import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { IN_FLIGHT_MAX } from '../../../../src/webhooks/delivery/budgets.ts';
import { startDeliveryHarness, type DeliveryHarness } from './delivery-harness.ts';
import { temporaryFolder } from '../../../roles/parley-process.ts';
import { IS_NIGHTLY } from '../../../nightly.ts';

/** A delivery process that runs out of memory, of descriptors, or of anybody who reads its log. */

/** Each starts several processes, beside other tests. */
let harness: DeliveryHarness;
beforeEach(async () => {
  harness = await startDeliveryHarness();
});
afterEach(() => harness.stop(), 60_000);

const rssMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

const BODY_BYTES = 256 * 1_024;
/** What a receiver that is slow makes a process hold at once: a body for each of its slots. */
const HELD_MIB_MAX = (IN_FLIGHT_MAX * BODY_BYTES) / 2 ** 20;

test('F-50: bodies of 256 KiB in all slots and little heap: nothing is lost, alive or dead of it', async () => {
  harness.answerAfter(IS_NIGHTLY ? 1_000 : 300);
  const to = await harness.addEndpoints(40);
  const ids = await harness.emit(to, IS_NIGHTLY ? 540 : 160, { bytes: BODY_BYTES });
  const poor = await harness.start({ nodeFlags: ['--max-old-space-size=64'] });
  let most = 0;
  const watching = setInterval(() => {
    if (poor.end() === undefined) most = Math.max(most, rssMiB(poor.pid));
  }, 20);
  await harness.drained(60_000);
  clearInterval(watching);
  expect(poor.end()).toBeUndefined();
  expect(harness.missing(ids)).toEqual([]);
  // On a busy machine the receiver may be too slow for some of them.
  const failed = (await harness.attempts()).filter(({ errorClass }) => errorClass === 'timeout');
  expect(harness.duplicates()).toBeLessThanOrEqual(failed.length);
  // Besides the bodies: the process itself, and answers of PostgreSQL that are being read.
  expect(most).toBeLessThan(HELD_MIB_MAX + 250);
  if (!IS_NIGHTLY) return;

  const dying = await harness.startReady({ nodeFlags: ['--max-old-space-size=24'] });
  await poor.kill();
  const more = await harness.emit(to, 100, { bytes: BODY_BYTES });
  await Promise.race([dying.ended, harness.drained(60_000).catch(() => undefined)]);
  const inFlight = (await harness.leased()).length;
  const end = dying.end();
  console.info(`F-50: ${Math.round(most)} MiB at most; with 24 MiB it ${end ? 'died' : 'lived'}`);
  await harness.startReady();
  await harness.drained(60_000);
  expect(harness.missing(more)).toEqual([]);
  const timedOut = (await harness.attempts()).filter(({ errorClass }) => errorClass === 'timeout');
  expect(harness.duplicates()).toBeLessThanOrEqual(inFlight + timedOut.length);
});

test('F-51: no descriptor is left: requests wait for one, and it is not the receiver who failed', async () => {
  harness.answerAfter(200);
  const to = await harness.addEndpoints(16);
  const poor = await harness.startReady({ openFiles: 64 });
  const ids = await harness.emit(to, IS_NIGHTLY ? 200 : 120);
  await harness.drained(30_000);
  expect(poor.end()).toBeUndefined();
  expect(harness.missing(ids)).toEqual([]);
  expect(harness.duplicates()).toBe(0);
  // All by their first attempt: none was counted against its receiver.
  expect((await harness.attempts()).map(({ number }) => number)).toEqual(ids.map(() => 1));
});

const PHASE_EVENTS = IS_NIGHTLY ? 256 : 64;

test('F-54: nobody reads the log and a scraper hangs: delivery goes on, and so does its stop', async () => {
  const pipe = await makePipe();
  const to = await harness.addEndpoints(4);
  const broken = await harness.addEndpoint();
  // Its secret opens nothing: each of its attempts is an error with its stack in the log.
  await harness.pool.query(`update webhook_endpoints set secret = 'garbage' where id = $1`, [
    broken,
  ]);
  const loud = await harness.start({ stderr: pipe.forWriter });
  await loud.ready;
  const scrapers: Socket[] = [];
  for (const phase of ['read', 'blocked', 'blocked', 'read'] as const) {
    if (phase === 'read') pipe.empty();
    else {
      pipe.fill();
      scrapers.push(hangingScraper(loud.metricsPort));
    }
    await harness.emit([broken], 30);
    const before = harness.receiver.received.length;
    await harness.emit(to, PHASE_EVENTS);
    await harness.receiver.until(({ length }) => length === before + PHASE_EVENTS, 30_000);
  }
  expect(harness.duplicates()).toBe(0);
  pipe.fill();
  expect(await loud.stop()).toMatchObject({ code: 0 });
  for (const scraper of scrapers) scraper.destroy();
  await pipe.close();
});

/** It asks for the metrics again and again and reads none of them. */
function hangingScraper(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined); // Cut off for not reading, or at the end.
  socket.pause();
  socket.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(30));
  return socket;
}

/** A pipe whose reader reads when the test wants it to. */
async function makePipe() {
  const folder = await temporaryFolder();
  const file = path.join(folder.path, 'log');
  execFileSync('mkfifo', [file]);
  const { O_RDWR, O_NONBLOCK, O_WRONLY } = constants;
  const end = openSync(file, O_RDWR | O_NONBLOCK);
  const forWriter = openSync(file, O_WRONLY);
  const piece = Buffer.alloc(4_096, '\n');
  /** Until the kernel says that there is nothing left, or no room. */
  const untilRefused = (act: () => number): void => {
    try {
      while (act() > 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  };
  return {
    forWriter,
    empty: () => untilRefused(() => readSync(end, piece)),
    fill: () => untilRefused(() => writeSync(end, Buffer.alloc(4_096, '\n'))),
    close: async () => {
      closeSync(end);
      closeSync(forWriter);
      await folder.remove();
    },
  };
}
