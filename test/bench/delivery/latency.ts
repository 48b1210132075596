import type { Bench, SystemName } from './bench.ts';
import { distributionOf, measure, medianOf, type Distribution, type Run } from './measure.ts';
import { readMemory } from './cpu.ts';
import { short, spread, type Report } from './report.ts';
import { allPaths } from './throughput.ts';

/** Planned send → arrival at steady rates, 100 endpoints; and what memory delivery takes then. */

const RATES = [50, 200, 500, 1_000] as const;
const WARM_SEC = 3;
const SYSTEMS = ['parley', 'graphile'] as const;
const SAMPLE_MS = 500;
const MEMORY_MB_MAX = 120;

export async function benchLatency(bench: Bench, report: Report): Promise<void> {
  const { rounds, latencySec } = bench.options;
  report.heading(`Latency: planned send to arrival, ${latencySec} s a run, ${rounds} round(s)`);
  const runs = new Map<string, Run[]>();
  for (let round = 1; round <= rounds; round += 1) {
    // The slowest rate says little and takes as long as the others.
    for (const rate of round === 1 ? RATES : RATES.slice(1)) {
      for (const name of SYSTEMS) {
        const run = await atRate(bench, name, { rate, seconds: latencySec });
        report.run(`  ${name}, ${rate}/s, round ${round}`, run);
        const key = `${name} ${rate}`;
        runs.set(key, [...(runs.get(key) ?? []), run]);
      }
    }
  }
  const median = (key: string): Distribution => medianDistribution(runs.get(key) ?? []);
  for (const key of runs.keys()) {
    report.figures(`  median, ${key}/s`, spread(median(key)), median(key));
  }
  for (const rate of RATES)
    goals(report, rate, { peer: median(`graphile ${rate}`), ours: median(`parley ${rate}`) });
}

/** Code, caches, connections and the plans of statements: warm. */
export async function atRate(
  bench: Bench,
  name: SystemName,
  plan: { rate: number; seconds: number },
): Promise<Run> {
  await measure(bench, name, { paths: allPaths, plan: { ...plan, seconds: WARM_SEC } });
  return measure(bench, name, { paths: allPaths, plan });
}

/** Of each of its figures the median, not the figures of a median run. */
export function medianDistribution(runs: readonly Run[]): Distribution {
  const of = (figure: keyof Distribution): number =>
    medianOf(runs.map(({ latency }) => latency[figure]));
  return { n: of('n'), p50: of('p50'), p90: of('p90'), p99: of('p99'), max: of('max') };
}

type Both = { peer: Distribution; ours: Distribution };

/** Bounds in ms; `below`: the peer's, too. */
const BOUNDS = [
  { rate: 200, figure: 'p50', below: true },
  { rate: 200, figure: 'p99', below: true },
  { rate: 500, figure: 'p50', max: 4 },
  { rate: 500, figure: 'p99', max: 30, below: true },
  { rate: 1_000, figure: 'p99', max: 50 },
] as const;

function goals(report: Report, rate: number, { peer, ours }: Both): void {
  for (const bound of BOUNDS.filter((one) => one.rate === rate)) {
    const limit = 'max' in bound ? bound.max : Infinity;
    const below = 'below' in bound;
    const [mine, theirs] = [ours[bound.figure], peer[bound.figure]];
    report.goal({
      what: `planned send → arrival at ${rate}/s, ${bound.figure}`,
      peer: `${short(theirs)} ms`,
      ours: `${short(mine)} ms`,
      ratio: (mine / theirs).toFixed(2),
      bound: [...(limit < Infinity ? [`≤ ${limit} ms`] : []), ...(below ? ["≤ peer's"] : [])].join(
        ', ',
      ),
      reached: mine <= limit && (!below || mine <= theirs),
    });
  }
}

/** Sampled while events pass at the highest rate. */
export async function benchMemory(bench: Bench, report: Report): Promise<void> {
  const rate = RATES.at(-1)!;
  const seconds = bench.options.memorySec;
  report.heading(`Memory of a delivery process at ${rate}/s for ${seconds} s`);
  const [delivery] = bench.parley.deliveries;
  const samples: { rss: number; pss: number }[] = [];
  const timer = setInterval(() => samples.push(readMemory(delivery!.pid)), SAMPLE_MS);
  const run = await atRate(bench, 'parley', { rate, seconds });
  clearInterval(timer);
  report.run(`  parley, ${rate}/s`, run);
  const rss = distributionOf(samples.map((sample) => sample.rss));
  const pss = distributionOf(samples.map((sample) => sample.pss));
  const text = `RSS p50 ${short(rss.p50)} max ${short(rss.max)} MB, PSS p50 ${short(pss.p50)} max ${short(pss.max)} MB`;
  report.figures('  delivery', text, { rss, pss });
  report.goal({
    what: `memory of a delivery process at ${rate}/s, most`,
    peer: '–',
    ours: `PSS ${short(pss.max)} MB, RSS ${short(rss.max)} MB`,
    ratio: '–',
    bound: `PSS ≤ ${MEMORY_MB_MAX} MB`,
    reached: pss.max <= MEMORY_MB_MAX,
  });
}
