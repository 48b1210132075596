import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { createPool, type Pool } from '../../src/platform/postgres/pool.ts';
import { createEmbeddedPostgres } from '../../src/standalone/postgres/embedded-postgres.ts';
import { measureGapGroups, printGroups } from './gap-groups.ts';
import { measureFaq, readFaq, type Faq, type FaqFigures } from './faq.ts';
import { startStubEmbeddings } from './stub-embeddings.ts';
import { printAnswers, printWishes, readOffTopic, readWishes } from './turns.ts';

/**
 * How well what is asked is found, in other words than it is written, and how well it is told when
 * nothing answers; how well a wish for a human is heard. On data that nothing is tuned on
 * (docs/evaluation.md, docs/quality.md).
 *
 *   npm run bench -- language FOLDER     or a file; else PARLEY_LANGUAGE_DATA. A few seconds
 *   npm run bench -- language FOLDER --embeddings     the same again with a stub of a provider of vectors
 */

const BARS = { at1: 0.55, at3: 0.72, answers3: 0.55, f1: 0.65, auroc: 0.8 };

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { embeddings: { type: 'boolean', default: false } },
});
const given = positionals[0] ?? process.env['PARLEY_LANGUAGE_DATA'];
const [faq, wishes] = given === undefined ? [] : [readFaq(given), readWishes(given)];
if (given === undefined || (!faq && !wishes)) {
  const missing =
    given === undefined
      ? 'no data: name the folder, as an argument or in PARLEY_LANGUAGE_DATA'
      : `no data: there is neither faq.json nor escalation.jsonl at ${given}`;
  process.stderr.write(`${missing}\n`);
  process.exitCode = 1;
} else {
  if (wishes) printWishes(wishes);
  if (faq) await evaluate(faq, given);
}

async function evaluate(faq: Faq, given: string): Promise<void> {
  const log = pino({ level: 'silent' });
  const folder = await mkdtemp(path.join(tmpdir(), 'parley-language-'));
  const postgres = createEmbeddedPostgres({ dataDir: folder, log });
  try {
    const { url: databaseUrl } = await postgres.start();
    await migrate({ databaseUrl, log });
    const pool = createPool(databaseUrl, { log, max: 2 });
    try {
      const figures = await measureFaq(pool, faq);
      print(faq, figures);
      printGroups(await measureGapGroups(pool, faq));
      await printAnswers(pool, faq, readOffTopic(given));
      if (options.embeddings) await evaluateStub(pool, faq);
    } finally {
      await pool.end();
    }
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function evaluateStub(pool: Pool, faq: Faq): Promise<void> {
  const stub = await startStubEmbeddings(pool);
  try {
    const figures = await measureFaq(pool, faq, stub);
    const [{ requests, texts }, { used, ...others }] = [stub.asked(), stub.uses()];
    const without = Object.values(others).reduce((sum, one) => sum + one, 0);
    process.stdout.write(
      `\nWith a STUB of embeddings, letters and our own synonyms: the way of vectors works; nothing on quality\n` +
        `${requests} requests over HTTP for ${texts} texts; ${used} searches by meaning, ${without} without\n`,
    );
    printFigures(figures);
  } finally {
    await stub.stop();
  }
}

function print(faq: Faq, figures: FaqFigures): void {
  const { faqs, questions, source } = faq;
  process.stdout.write(`${source}: ${faqs.length} pairs, ${questions.length} questions\n`);
  printFigures(figures, BARS);
}

/** `bars`: what is to be reached. */
function printFigures(
  { faq: pairs, answersOnly, gap }: FaqFigures,
  bars: Partial<typeof BARS> = {},
): void {
  const rows: [string, number, (number | undefined)?][] = [
    ['question and answer indexed: first is right', pairs.at1, bars.at1],
    ['question and answer indexed: among the first three', pairs.at3, bars.at3],
    ['answers alone indexed: first is right', answersOnly.at1],
    ['answers alone indexed: among the first three', answersOnly.at3, bars.answers3],
    ['gap: precision', gap.precision],
    ['gap: recall', gap.recall],
    ['gap: F1', gap.f1, bars.f1],
    ['gap: area under the curve of its score', gap.auroc, bars.auroc],
  ];
  for (const [what, value, bar] of rows) {
    const wanted = bar === undefined ? '' : `≥ ${bar.toFixed(2)}${value < bar ? '  MISSED' : ''}`;
    process.stdout.write(`${what.padEnd(52)} ${value.toFixed(3)}  ${wanted}\n`);
  }
}
