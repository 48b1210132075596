import { spawn, type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../../clock.ts';
import { programFile } from '../../program-file.ts';
import { createFrameReader, frameParts, type Frame } from './frames.ts';
import type { Answer, Question } from './extracted.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { promisify } from 'node:util';

/**
 * A process that reads untrusted documents with minimal rights and resources (decision 47). It has none of the parent's
 * environment variables, no files except its own code, no network and limited memory. It runs at a lower CPU priority
 * than the process that serves requests.
 */
export type GuardedChild = {
  /**
   * Sends a request and passes each message from the child to `onAnswer`, until the child sends `done`.
   * @throws ChildLost
   */
  ask: (
    question: { header: Question; bytes: Uint8Array; signal: AbortSignal },
    onAnswer: (frame: Frame<Answer>) => void,
  ) => Promise<void>;
  /** Returns the peak resident memory so far in bytes, or 0 if the system does not report it. */
  peakBytes: () => number;
  end: () => Promise<void>;
};

/** Error for a child that ended while it was reading a document. */
export class ChildLost extends Error {
  override readonly name = 'ChildLost';
  readonly why: 'memory' | 'aborted' | 'crash';

  constructor(why: ChildLost['why']) {
    super(`the document reader process ended unexpectedly: ${why}`);
    this.why = why;
  }
}

const CHILD_FILE = programFile(import.meta.url, 'extract-child');
/**
 * Limit of the child's resident memory in bytes. The parent process measures the memory periodically and kills a child
 * that exceeds the limit. `confine` sets a slightly higher limit in the kernel.
 */
const WATCHED_BYTES_MAX = 236_000_000;
const HEAP_MB_MAX = 128;
const WATCH_MS = 20;
/**
 * Time limit in ms for the start of a child. A start takes 0.1 s on an idle node. Without the limit, a child that hangs
 * would block all other documents.
 */
const START_MS = 30_000;
/**
 * Maximum size in bytes of one message from the child. A message may contain the text of a document (see
 * `TEXT_CHARS_MAX`) and its links.
 */
const ANSWER_BYTES_MAX = 48 * 1024 * 1024;
/** Signals and exit codes with which V8 and the system end a process that has run out of memory. */
const OUT_OF_MEMORY: readonly (string | number | null)[] = [
  'SIGABRT',
  'SIGTRAP',
  'SIGILL',
  134,
  133,
];
const [INPUT, OUTPUT] = [0, 3];

/**
 * Starts a child and waits until it is ready.
 * @throws Error if it does not start within `startMs`
 */
export async function startGuardedChild({ startMs = START_MS } = {}): Promise<GuardedChild> {
  const child = spawn(process.execPath, [...flags(), CHILD_FILE], {
    // Passes no settings and no secrets to the child. The thread pool is small, because each thread reserves memory.
    env: { UV_THREADPOOL_SIZE: '1' },
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  });
  const answers = hear(child);
  let peak = 0;
  const watch = (): void => {
    const resident = residentBytes(child);
    peak = Math.max(peak, resident);
    if (resident > WATCHED_BYTES_MAX) answers.kill('memory');
  };

  const tooLate = setTimeout(() => answers.kill('aborted'), startMs);
  await answers
    .until('ready', () => undefined)
    .catch((error: unknown) => {
      // Throws a plain Error instead of `ChildLost`, because the document is not the cause.
      throw new Error('the document reader process does not start', { cause: error });
    })
    .finally(() => clearTimeout(tooLate));
  await confine(child);
  return {
    ask: async ({ header, bytes, signal }, tell) => {
      const abort = (): void => answers.kill('aborted');
      const watching = setInterval(watch, WATCH_MS);
      signal.addEventListener('abort', abort);
      try {
        if (signal.aborted) abort();
        const answered = answers.until('done', tell);
        for (const part of frameParts(header, bytes)) stream(child, INPUT).write(part);
        await answered;
      } finally {
        clearInterval(watching);
        signal.removeEventListener('abort', abort);
      }
    },
    peakBytes: () => peak,
    end: answers.end,
  };
}

type Tell = (frame: Frame<Answer>) => void;

/** Creates the connection to a child: reads its frames and detects its end. */
function hear(child: ChildProcess) {
  let why: ChildLost['why'] | undefined;
  let lost: ChildLost | undefined;
  let onFrame: Tell = () => undefined;
  let onLost: (error: ChildLost) => void = () => undefined;
  const kill = (reason: ChildLost['why']): void => {
    why ??= reason;
    child.kill('SIGKILL');
  };
  const gone = (code: number | null, signal: string | null): void => {
    const isMemory = OUT_OF_MEMORY.includes(signal) || OUT_OF_MEMORY.includes(code);
    lost ??= new ChildLost(why ?? (isMemory ? 'memory' : 'crash'));
    onLost(lost);
  };
  child.once('exit', gone);
  child.once('error', () => gone(null, null));
  const take = createFrameReader(ANSWER_BYTES_MAX, (frame) => onFrame(frame as Frame<Answer>));
  stream(child, OUTPUT).on('data', (piece: Buffer) => {
    try {
      take(piece);
    } catch {
      kill('memory');
    }
  });
  // The `exit` event reports the end of the child, so errors of its streams are ignored.
  for (const at of [INPUT, OUTPUT]) stream(child, at).on('error', () => undefined);
  return {
    kill,
    /**
     * Passes each message from the child to `tell` until a message of the kind `last` arrives. Rejects if the child has
     * ended.
     */
    until: (last: Answer['kind'], tell: Tell): Promise<void> =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost);
        onLost = reject;
        onFrame = (frame) => {
          if (frame.header.kind === last) resolve();
          else tell(frame);
        };
      }),
    end: async (): Promise<void> => {
      if (lost) return;
      const exited = once(child, 'exit');
      kill('aborted');
      await exited;
    },
  };
}

const stream = (child: ChildProcess, at: number): Duplex => child.stdio[at] as Duplex;

function flags(): string[] {
  return [
    `--max-old-space-size=${HEAP_MB_MAX}`,
    '--max-semi-space-size=4',
    '--disallow-code-generation-from-strings',
    '--permission',
    ...readable().map((folder) => `--allow-fs-read=${folder}`),
  ];
}

/**
 * Lists the files and folders that the child may read: Parley's code and the packages that it uses. In a checkout, the
 * code also includes the package `packages/web-reader`.
 */
function readable(): string[] {
  const root = path.resolve(path.dirname(CHILD_FILE), '../../..');
  const source = path.relative(root, CHILD_FILE).split(path.sep)[0]!;
  const inPackage = createRequire(import.meta.url).resolve('mammoth');
  const at = inPackage.lastIndexOf(`${path.sep}node_modules${path.sep}`);
  const packages = inPackage.slice(0, at) + path.sep + 'node_modules';
  // `node_modules` beside the code may be a symbolic link, so its target must be readable too.
  const linked = path.join(root, 'node_modules');
  const ours = [source, 'packages/web-reader'].map((folder) => path.join(root, folder));
  const folders = [...ours, linked, packages].map((folder) => path.join(folder, '*'));
  return [path.join(root, 'package.json'), linked, ...folders];
}

/**
 * Memory limit in bytes that the kernel enforces. It is slightly above `WATCHED_BYTES_MAX`, which the parent process
 * enforces by measuring.
 */
const MEMORY_BYTES_MAX = 244_000_000;
const NICE = 10;

/**
 * Confines a child after it has loaded its code. From then on, the kernel limits the child's memory, even if the child
 * allocates it all between two measurements. The kernel also prevents the child from opening files or connections. If
 * the program `prlimit` is missing, only the measurements limit the memory.
 */
async function confine(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined || process.platform !== 'linux') return;
  try {
    const spare = Math.max(0, MEMORY_BYTES_MAX - statusOf(child, 'VmRSS'));
    const data = statusOf(child, 'VmData') + spare;
    const open = readdirSync(`/proc/${pid}/fd`).length;
    const limits = [`--data=${data}`, `--nofile=${open}`, '--fsize=0', '--core=0'];
    await promisify(execFile)('prlimit', ['--pid', String(pid), ...limits], { timeout: 5_000 });
    // Lowers the priority of each thread, so that requests come first on a busy machine.
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), NICE);
  } catch {
    // Either the system has no `prlimit`, or the child has ended. The `exit` event reports the latter.
  }
}

/** Returns a field of the child's `/proc/PID/status` in bytes, or 0 if the system has no such file. */
function statusOf({ pid }: ChildProcess, field: 'VmRSS' | 'VmData'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** Returns the resident memory of a child in bytes, or 0 if the system does not report it. */
const residentBytes = (child: ChildProcess): number => statusOf(child, 'VmRSS');
