import process from 'node:process';
import { randomFrom, simulateRollout, withRates, type Simulated } from '../rollouts/simulate.ts';
import { print, quantile } from './figures.ts';

/**
 * Simulates rollouts that are judged after every conversation (docs/rollouts.md#how-often-it-errs). Exits with 1 if
 * equal versions are aborted too often, or a worse version is found too late.
 *
 *   npm run bench -- rollouts        RUNS (default 1000) of each row
 */

const RUNS = Number(process.env['RUNS'] ?? 1_000);
const FALSE_ALARMS_MAX = 0.05;
const FOUND_MIN = 0.95;
const PLANTED_MAX = 400;

const STEPS = [
  { weight: 5, minConversations: 50 },
  { weight: 25, minConversations: 150 },
  { weight: 50, minConversations: 300 },
];
const ESCALATIONS = { metric: 'escalation_rate', worseBy: 0.05 } as const;
const RATINGS = { metric: 'csat_average', worseBy: 0.3 } as const;
/** One step without an end. */
const armOf = (weight: number) => [{ weight, minConversations: Infinity }];

let failures = 0;

console.log(`${RUNS} rollouts in each row, judged after every conversation\n`);
console.log('A version against itself: aborted at most 5 %');
for (const [what, of] of Object.entries(sameVersions())) falseAlarms(what, of);
console.log(`\nEscalations 10 % → 20 %, an arm of 10 %: found within ${PLANTED_MAX} in 95 %`);
planted();
console.log('\nConversations of the new version until it is found to be worse: half, 95 % of runs');
for (const weight of [5, 10, 25, 50]) needed(weight);
console.log('\nConversations of the new version until the steps 5, 25 and 50 % are completed');
for (const base of [0.02, 0.1, 0.3]) completed(base);
process.exit(failures > 0 ? 1 : 0);

function sameVersions(): Record<string, Simulated> {
  const of = { steps: STEPS, checks: [ESCALATIONS], conversationsMax: 10_000 };
  return {
    'escalations 10 %': { ...of, outcome: withRates(0.1, 0.1) },
    'escalations 1 %': { ...of, outcome: withRates(0.01, 0.01) },
    'escalations 50 %': { ...of, outcome: withRates(0.5, 0.5) },
    'an arm of 10 %, never advanced': { ...of, steps: armOf(10), outcome: withRates(0.1, 0.1) },
    'an arm of 1 %, escalations 5 %, any difference counts': {
      ...of,
      steps: armOf(1),
      checks: [{ ...ESCALATIONS, worseBy: 0.01 }],
      outcome: withRates(0.05, 0.05),
    },
    'escalations and ratings of every fifth': {
      ...of,
      checks: [ESCALATIONS, RATINGS],
      outcome: (_, random) => [
        random() < 0.1 ? 1 : 0,
        random() < 0.2 ? Math.ceil(5 * random() ** 0.5) : null,
      ],
    },
    'escalations that rise from 5 to 40 % meanwhile': {
      ...of,
      conversationsMax: 4_000,
      outcome: (_, random, index) => [random() < 0.05 + (0.35 * index) / 4_000 ? 1 : 0],
    },
  };
}

function falseAlarms(what: string, of: Simulated): void {
  const ends = runs(of);
  const share = (end: string): number => ends.filter((one) => one.end === end).length / RUNS;
  expectTrue(share('aborted') <= FALSE_ALARMS_MAX);
  const lengths = ends.map(({ conversations }) => conversations);
  print(
    `  ${what}`,
    `${percent(share('aborted'))} aborted, ${percent(share('completed'))} completed, ` +
      `${quantile(lengths, 0.5)} conversations`,
  );
}

function planted(): void {
  const steps = armOf(10);
  const of = { steps, checks: [ESCALATIONS], conversationsMax: 10 * PLANTED_MAX * 2 };
  const ends = runs({ ...of, outcome: withRates(0.1, 0.2) });
  const found = ends.map(({ end, ofNew }) => (end === 'aborted' ? ofNew : Infinity));
  const share = found.filter((ofNew) => ofNew <= PLANTED_MAX).length / RUNS;
  expectTrue(share >= FOUND_MIN);
  print(
    '  found in time',
    `${percent(share)}, half by ${quantile(found, 0.5)}, 95 % by ${quantile(found, 0.95)}`,
  );
}

function needed(weight: number): void {
  const figures = [0.05, 0.1, 0.2].map((effect) => {
    const checks = [{ ...ESCALATIONS, worseBy: effect / 2 }];
    const conversationsMax = (100 * 4_000) / weight;
    const of = { steps: armOf(weight), checks, conversationsMax };
    const ends = runs({ ...of, outcome: withRates(0.1, 0.1 + effect) }, RUNS / 5);
    const found = ends.map(({ end, ofNew }) => (end === 'aborted' ? ofNew : Infinity));
    return `+${percent(effect)}: ${quantile(found, 0.5)}, ${quantile(found, 0.95)}`;
  });
  print(`  weight ${weight} %`, figures.join('   '));
}

function completed(base: number): void {
  const figures = [0.1, 0.05, 0.03].map((worseBy) => {
    const of = { steps: STEPS, checks: [{ ...ESCALATIONS, worseBy }], conversationsMax: 40_000 };
    const ends = runs({ ...of, outcome: withRates(base, base) }, RUNS / 5);
    const done = ends.map(({ end, ofNew }) => (end === 'completed' ? ofNew : Infinity));
    return `worse by ${worseBy}: ${quantile(done, 0.5)}, ${quantile(done, 0.95)}`;
  });
  print(`  escalations ${percent(base)}`, figures.join('   '));
}

function runs(of: Simulated, count = RUNS): ReturnType<typeof simulateRollout>[] {
  return Array.from({ length: count }, (_, i) => simulateRollout(of, randomFrom(i + 1)));
}

function expectTrue(isMet: boolean): void {
  if (!isMet) failures += 1;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
