import { readFileSync } from 'node:fs';
import inspector, { type Debugger, type Runtime } from 'node:inspector';
import { promisify } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicMs, setInterval } from '../../clock.ts';
import type { Work } from './work.ts';

/**
 * This module runs in the watchdog thread (watchdog.ts). The thread shares only a counter with the program that it
 * watches.
 */

export type WatchdogData = {
  /** Number of times that a timer in the watched event loop has fired. */
  beats: Int32Array;
  beatMs: number;
  mayInterrupt: boolean;
};

/**
 * A period during which the event loop was blocked. `at` is the call stack at which the watchdog paused the program,
 * innermost function first. It is empty if the watchdog could not pause the program.
 */
export type Stall = { seconds: number; work: Work | undefined; at: readonly string[] };

type Seen = Pick<Stall, 'work' | 'at'>;

const STALL_MS = 100;
/**
 * Time in ms for which the event loop must be blocked before the program is paused. It is shorter than `STALL_MS`, so
 * that the blocking code is still running when the program is paused, even in a short stall.
 */
const INTERRUPT_MS = 60;
const TICK_MS = 20;
/** Minimum interval in ms between pauses. Each pause costs the program about 10 ms. */
const INTERRUPT_EVERY_MS = 1_000;
const FRAMES = 8;
const NOTHING: Seen = { work: undefined, at: [] };

const { beats, beatMs, mayInterrupt } = workerData as WatchdogData;
const session = new inspector.Session();
session.connectToMainThread();
const post = promisify(session.post.bind(session)) as (
  method: string,
  params?: object,
) => Promise<unknown>;

let beat = Atomics.load(beats, 0);
let beatAtMs = monotonicMs();
let tickAtMs = beatAtMs;
let ticksInTime = 0;
let starvedMs = readStarvedMs();
let interruptedAtMs = -INTERRUPT_EVERY_MS;
let seen: Promise<Seen> | undefined;

setInterval(() => {
  const nowMs = monotonicMs();
  // If this thread's own timer was late too, the whole machine was busy and not only the program. In that case the
  // program is not paused.
  ticksInTime = nowMs - tickAtMs < 2 * TICK_MS ? ticksInTime + 1 : 0;
  tickAtMs = nowMs;
  const latest = Atomics.load(beats, 0);
  const stalledMs = nowMs - beatAtMs - beatMs;
  if (latest !== beat) {
    const found = seen;
    seen = undefined;
    if (found) void report(stalledMs - (readStarvedMs() - starvedMs), found);
    beat = latest;
    beatAtMs = nowMs;
    starvedMs = readStarvedMs();
  } else if (!seen && stalledMs > INTERRUPT_MS && ticksInTime * TICK_MS > INTERRUPT_MS / 2) {
    if (stalledMs - (readStarvedMs() - starvedMs) > INTERRUPT_MS) seen = interrupt(nowMs);
  }
}, TICK_MS);

async function report(stalledMs: number, found: Promise<Seen>): Promise<void> {
  if (stalledMs <= STALL_MS) return;
  const stall: Stall = { seconds: stalledMs / 1_000, ...(await found) };
  parentPort?.postMessage(stall);
}

/**
 * Pauses the program at its next statement or inside a regular expression, and returns its call stack and current work.
 */
async function interrupt(nowMs: number): Promise<Seen> {
  if (!mayInterrupt || nowMs - interruptedAtMs < INTERRUPT_EVERY_MS) return NOTHING;
  interruptedAtMs = nowMs;
  const scripts = new Map<string, string>();
  const onScript = ({ params }: { params: Debugger.ScriptParsedEventDataType }): void =>
    void scripts.set(params.scriptId, params.url);
  const stalledBeat = beat;
  try {
    const paused = new Promise<Debugger.PausedEventDataType>((resolve) => {
      session.once('Debugger.paused', ({ params }) => resolve(params));
    });
    session.on('Debugger.scriptParsed', onScript);
    await post('Debugger.enable');
    await post('Debugger.pause');
    const { callFrames } = await paused;
    // A native function cannot be paused. If a native function caused the stall and has returned in the meantime, the
    // code that is running now does not explain the stall.
    if (Atomics.load(beats, 0) !== stalledBeat) return NOTHING;
    return { work: await readWork(callFrames[0]), at: callFrames.slice(0, FRAMES).map(nameOf) };
  } catch {
    return NOTHING;
  } finally {
    session.off('Debugger.scriptParsed', onScript);
    await post('Debugger.disable'); // Resumes the program.
  }

  function nameOf({ functionName, location, url }: Debugger.CallFrame): string {
    const file = (scripts.get(location.scriptId) ?? url).replace(
      /^.*\/(?=src\/|node_modules\/)/,
      '',
    );
    return `${functionName || '(anonymous)'} ${file}:${location.lineNumber + 1}`;
  }
}

async function readWork(frame: Debugger.CallFrame | undefined): Promise<Work | undefined> {
  const { result } = (await post('Debugger.evaluateOnCallFrame', {
    callFrameId: frame?.callFrameId,
    expression: "globalThis[Symbol.for('parley.work')]?.()",
    returnByValue: true,
  })) as { result: Runtime.RemoteObject };
  return typeof result.value === 'string' ? (JSON.parse(result.value) as Work) : undefined;
}

/**
 * Returns how many ms the main thread has been ready to run without getting a CPU. Returns 0 if the system does not
 * report it.
 */
function readStarvedMs(): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(
      ' ',
    );
    return Number(waitedNs) / 1e6;
  } catch {
    return 0;
  }
}
