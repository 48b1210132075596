import type { Bench, SystemName } from './bench.ts';
import { measure, type Distribution, type How, type Run } from './measure.ts';
import { medianDistribution } from './latency.ts';
import { replaceEndpoints } from './parley.ts';
import { short, spread, type Report } from './report.ts';
import { allPaths } from './throughput.ts';

/**
 * What the healthy endpoints notice when others hold every request open, or fail by turns: 200/s
 * over 100 endpoints, figures of those that are well.
 */

const RATE = 200;
const SICK = [0, 1, 10, 30] as const;
const FLAPPING = 10;
const FLAP_MS = 2_000;
const WARM_SEC = 3;
const SLACK = { share: 0.1, ms: 1 };

export async function benchIsolation(bench: Bench, report: Report): Promise<void> {
  const { isolationRounds, isolationSec } = bench.options;
  report.heading(`Isolation: ${RATE}/s over 100 endpoints, ${isolationSec} s a run`);
  const runs = new Map<string, Run[]>();
  const add = (what: string, run: Run): void => {
    report.run(`  ${what}`, run);
    runs.set(what, [...(runs.get(what) ?? []), run]);
  };
  for (let round = 1; round <= isolationRounds; round += 1) {
    for (const count of SICK) {
      add(`parley, ${count} hang`, await withSick(bench, 'parley', { count, flap: false }));
    }
    add(
      `parley, ${FLAPPING} flap`,
      await withSick(bench, 'parley', { count: FLAPPING, flap: true }),
    );
  }
  for (const count of bench.options.quick ? [1] : [0, 1, 10]) {
    add(`graphile, ${count} hang`, await withSick(bench, 'graphile', { count, flap: false }));
  }
  const median = (what: string): Distribution | undefined =>
    runs.has(what) ? medianDistribution(runs.get(what)!) : undefined;
  for (const what of runs.keys())
    report.figures(`  median, ${what}`, spread(median(what)!), median(what)!);
  const alone = median('parley, 0 hang')!;
  for (const count of SICK.slice(1)) {
    goal(report, `${count} of 100 hang`, {
      alone,
      ours: median(`parley, ${count} hang`)!,
      peer: median(`graphile, ${count} hang`),
    });
  }
  goal(report, `${FLAPPING} of 100 flap`, {
    alone,
    ours: median(`parley, ${FLAPPING} flap`)!,
    peer: undefined,
  });
}

/** Ends with everybody well again and nothing left to send. */
async function withSick(
  bench: Bench,
  name: SystemName,
  { count, flap }: { count: number; flap: boolean },
): Promise<Run> {
  const { receiver } = bench;
  const paths = allPaths.slice(0, count);
  const sick = new Set(paths);
  const how: Omit<How, 'plan'> = { paths: allPaths, sick };
  let ill = true;
  await receiver.mode(paths, flap ? 'refuse' : 'hang');
  const timer = setInterval(() => {
    if (!flap) return;
    ill = !ill;
    void receiver.mode(paths, ill ? 'refuse' : 'ok');
  }, FLAP_MS);
  await measure(bench, name, { ...how, plan: { rate: RATE, seconds: WARM_SEC } });
  const plan = { rate: RATE, seconds: bench.options.isolationSec };
  const run = await measure(bench, name, { ...how, plan });
  clearInterval(timer);
  await receiver.mode(paths, 'ok');
  if (name === 'parley') await replaceEndpoints(bench.parley, receiver.port, paths);
  else await bench.clearGraphile();
  return run;
}

type Compared = { alone: Distribution; ours: Distribution; peer: Distribution | undefined };

/** Within 10 % or 1 ms of the same run with nobody ill. */
export function goal(report: Report, what: string, { alone, ours, peer }: Compared): void {
  const allowed = (ms: number): number => Math.max(ms * (1 + SLACK.share), ms + SLACK.ms);
  const both = ({ p50, p99 }: Distribution): string => `${short(p50)} / ${short(p99)} ms`;
  report.goal({
    what: `${what}, the others' p50 / p99`,
    peer: peer ? both(peer) : '–',
    ours: `${both(ours)} (alone ${both(alone)})`,
    ratio: `${(ours.p50 / alone.p50).toFixed(2)} / ${(ours.p99 / alone.p99).toFixed(2)}`,
    bound: 'within 10 % or 1 ms',
    reached: ours.p50 <= allowed(alone.p50) && ours.p99 <= allowed(alone.p99),
  });
}
