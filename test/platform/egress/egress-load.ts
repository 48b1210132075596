/**
 * A process that sends to very many receivers, so that it measures only their memory. The first argument is LoadOptions
 * as JSON; the last line on stdout is a LoadReport as JSON.
 */
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import { createEgressClient } from '../../../src/platform/egress/client.ts';

export type LoadOptions = {
  port: number;
  /** Rounds in this order. Each requests `path` from this number of concurrent receivers, each at its own address. */
  rounds: { path: string; receivers: number; timeoutMs: number }[];
};

export type LoadReport = {
  path: string;
  /** Resident MB before the round, at its peak, and after it. */
  beforeMb: number;
  peakMb: number;
  afterMb: number;
  /** MB after the round that are still referenced. The allocator holds the rest. */
  heldMb: number;
  /** Number of requests by outcome. */
  outcomes: Record<string, number>;
  /** The longest body that was kept, in bytes. */
  longestBody: number;
};

/** Interval of garbage collections. They stop the process, so a shorter interval would delay the sockets. */
const COLLECT_MS = 500;

const options = JSON.parse(process.argv[2] ?? '') as LoadOptions;
const client = createEgressClient({ guard: createAddressGuard({ allow: ['127.0.0.0/8'] }) });
const collect = globalThis.gc;
if (collect === undefined) throw new Error('start it with --expose-gc');

const residentMb = (): number => process.memoryUsage.rss() / 2 ** 20;
function heldMb(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** Waits until released memory is collected, which takes more than one collection. */
async function settle(): Promise<void> {
  for (let i = 0; i < 4; i += 1) {
    collect?.();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function runRound(round: LoadOptions['rounds'][number]): Promise<LoadReport> {
  const { path, receivers, timeoutMs } = round;
  await settle();
  const beforeMb = residentMb();
  const heldBeforeMb = heldMb();
  const outcomes: Record<string, number> = {};
  let peakMb = 0;
  let longestBody = 0;
  const watch = setInterval(() => {
    collect?.();
    peakMb = Math.max(peakMb, residentMb());
  }, COLLECT_MS);
  await Promise.all(
    Array.from({ length: receivers }, async (_, i) => {
      const outcome = await client.send({
        url: `http://127.1.${i >> 8}.${i & 255}:${options.port}${path}`,
        method: 'POST',
        headers: {},
        body: '{}',
        timeoutMs,
        maxResponseBytes: 4_096,
      });
      const what = outcome.kind === 'error' ? outcome.errorClass : String(outcome.statusCode);
      outcomes[what] = (outcomes[what] ?? 0) + 1;
      if (outcome.kind === 'response') {
        longestBody = Math.max(longestBody, (await outcome.body).length);
      }
    }),
  );
  clearInterval(watch);
  await settle();
  const afterMb = residentMb();
  peakMb = Math.max(peakMb, afterMb);
  const held = heldMb() - heldBeforeMb;
  return { path, beforeMb, peakMb, afterMb, heldMb: held, outcomes, longestBody };
}

const reports: LoadReport[] = [];
for (const round of options.rounds) reports.push(await runRound(round));
await client.stop();
console.log(JSON.stringify(reports));
