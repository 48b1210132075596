import { Session } from 'node:inspector/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { writeCovered } from './covered.ts';

/**
 * A setup file: it records which functions and blocks of `src` a test file runs. Node strips types without moving the
 * code, so V8's offsets are those of the sources.
 */

const session: { parleyCoverage?: Promise<Session> } & typeof globalThis = globalThis;
let began = process.cpuUsage();

beforeAll(async () => {
  await (await profiler()).post('Profiler.takePreciseCoverage'); // Forgets what ran before this file.
  began = process.cpuUsage();
});

afterAll(async () => {
  const { user, system } = process.cpuUsage(began); // A machine with other work does not change these much.
  const seconds = (user + system) / 1e6;
  const { result } = await (await profiler()).post('Profiler.takePreciseCoverage');
  writeCovered(expect.getState().testPath!, seconds, result);
});

/** One for the worker, which keeps counting from its first test file to its last. */
function profiler(): Promise<Session> {
  return (session.parleyCoverage ??= start());
}

async function start(): Promise<Session> {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return inspector;
}
