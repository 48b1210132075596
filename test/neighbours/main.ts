import { parseArgs } from 'node:util';
import { ms } from '../bench/figures.ts';
import type { Attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { startRig, type Figures, type Stall } from './rig.ts';

/**
 * A victim's requests beside each attack at full length: 20 a second, a page of a list and a message to an agent in
 * turn. Ends with 1 when a bound does not hold.
 *
 *   npm run test:nightly -- neighbours [--only NAME]… [--seconds 15] [--markdown]
 */
const { values } = parseArgs({
  options: {
    /** Attacks with one of these in their name. */
    only: { type: 'string', multiple: true, default: [''] },
    seconds: { type: 'string', default: '15' },
    /** Prints the table of docs/security.md. */
    markdown: { type: 'boolean', default: false },
  },
});
const MB = 1 << 20;
/** What an attack may do to the victim and to the process. */
const P95_RATIO_MAX = 2;
const P95_MS_AT_LEAST = 50;
const GROWN_MAX = 100 * MB;

const attacks = ATTACKS.filter(({ name }) => values.only.some((part) => name.includes(part)));
if (attacks.length === 0) throw new Error(`No attack has ${values.only.join(' or ')} in its name`);

const print = (line: string): boolean => process.stdout.write(`${line}\n`);
const row = (cells: readonly string[]): string =>
  values.markdown ? `| ${cells.join(' | ')} |` : cells.join('  ');

print(
  row([
    'Attack',
    'By',
    'What bounds it',
    'p50 / p95 quiet',
    'beside it',
    'Errors',
    'Memory',
    'Stalls',
  ]),
);
if (values.markdown) print(row(Array.from({ length: 8 }, () => '---')));
let rig = await startRig();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void rig.stop().finally(() => process.exit(130)));
const failed: string[] = [];
try {
  for (const attack of attacks) {
    const figures = await rig.measure(attack, Number(values.seconds));
    const broken = brokenBounds(figures);
    if (broken.length > 0) failed.push(`${attack.name}: ${broken.join(', ')}`);
    show(attack, figures, broken);
    if (leavesWork(figures)) {
      await rig.stop();
      rig = await startRig();
    }
  }
} finally {
  await rig.stop();
}
for (const line of failed) process.stderr.write(`${line}\n`);
process.stderr.write(
  `${attacks.length - failed.length} of ${attacks.length} within their bounds\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function brokenBounds({ quiet, beside, grownBytes, stalls, failure, isDead }: Figures): string[] {
  return [
    isDead && 'the process ended',
    failure !== undefined && `the attack failed: ${failure}`,
    isSlow({ quiet, beside }) && `p95 ${ms(beside.p95)}`,
    beside.errors > 0 && `${beside.errors} errors`,
    grownBytes > GROWN_MAX && `+ ${megabytes(grownBytes)}`,
    stalls.length > 0 && `stalls: ${works(stalls)}`,
  ].filter((one) => one !== false);
}

function isSlow({ quiet, beside }: Pick<Figures, 'quiet' | 'beside'>): boolean {
  return beside.p95 > Math.max(P95_RATIO_MAX * quiet.p95, P95_MS_AT_LEAST);
}

/** Whether what the attack left behind may count against the next one, so that Parley has to be started anew. */
function leavesWork(figures: Figures): boolean {
  return figures.isDead || figures.beside.errors > 0 || isSlow(figures);
}

function show({ name, by, bound }: Attack, figures: Figures, broken: readonly string[]): void {
  const { quiet, beside, grownBytes, stalls, seen } = figures;
  const cells = [
    name,
    by,
    bound,
    `${ms(quiet.p50)} / ${ms(quiet.p95)}`,
    `${ms(beside.p50)} / ${ms(beside.p95)}`,
    String(beside.errors),
    `${grownBytes < 0 ? '' : '+ '}${megabytes(grownBytes)}`,
    works(stalls) || '0',
  ];
  if (values.markdown) return void print(row(cells));
  const [, , , ...measured] = cells;
  const labels = ['quiet', 'beside', 'errors', 'memory', 'stalls'];
  const figuresText = measured.map((cell, index) => `${labels[index]} ${cell}`);
  print([name.padEnd(28), by.padEnd(9), ...figuresText].join('  '));
  print(`    answered: ${counts(seen) || 'nothing'}`);
  for (const { seconds, work, namespace, at } of stalls) {
    const whose = namespace === undefined ? '' : ` for ${namespace}`;
    print(
      `    ${ms(seconds * 1_000)} of ${work ?? 'unknown'}${whose} in ${at.join(' < ') || 'unknown'}`,
    );
  }
  if (broken.length > 0) print(`    BROKEN: ${broken.join(', ')}`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MB)} MB`;
}

function works(stalls: readonly Stall[]): string {
  const byWork = Map.groupBy(stalls, ({ work = 'unknown' }) => work);
  return counts(new Map([...byWork].map(([work, { length }]) => [work, length])));
}

function counts(map: ReadonlyMap<string, number>): string {
  return [...map].map(([what, count]) => `${count} × ${what}`).join(', ');
}
