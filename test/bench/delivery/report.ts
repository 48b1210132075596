import { writeFileSync } from 'node:fs';
import { cpus, totalmem, release } from 'node:os';
import { print } from '../figures.ts';
import type { Distribution, Run } from './measure.ts';
import type { Options } from './options.ts';

/** What was found: lines as they come, the table at the end, and all of it as JSON. */
export type Report = {
  heading: (text: string) => void;
  /** Prints a run, keeps it, counts what it lost. */
  run: (what: string, run: Run) => void;
  /** Prints and keeps any other figures. */
  figures: (what: string, text: string, figures: object) => void;
  lost: (what: string, lost: number) => void;
  goal: (goal: Goal) => void;
  /** Prints the table and writes the file; false: something was lost. */
  finish: () => boolean;
};

/** A line of the table of figures to reach. */
export type Goal = {
  what: string;
  /** graphile-worker's in this run, or what stands for it */
  peer: string;
  ours: string;
  ratio: string;
  bound: string;
  reached: boolean;
};

const NOISE = 0.2;

export function createReport(options: Options): Report {
  const kept: { what: string; figures: object }[] = [];
  const goals: Goal[] = [];
  const losses: { what: string; lost: number }[] = [];
  const lost = (what: string, count: number): void => {
    losses.push({ what, lost: count });
    if (count > 0) print(`  !! lost in ${what}`, String(count));
  };
  return {
    heading: (text) => process.stdout.write(`\n${text}\n`),
    run: (what, run) => {
      print(what, describe(run));
      warn(run);
      kept.push({ what, figures: run });
      lost(what, run.lost);
    },
    figures: (what, text, figures) => {
      print(what, text);
      kept.push({ what, figures });
    },
    lost,
    goal: (goal) => void goals.push(goal),
    finish: () => {
      const total = losses.reduce((sum, one) => sum + one.lost, 0);
      goals.push({
        what: 'lost after a 2xx, all phases',
        peer: '–',
        ours: String(total),
        ratio: '–',
        bound: '0',
        reached: total === 0,
      });
      printTable(goals);
      const machine = {
        cpus: cpus().length,
        model: cpus()[0]?.model,
        memory: totalmem(),
        release: release(),
        node: process.version,
      };
      const figures = {
        machine,
        options: { ...options, only: [...options.only] },
        goals,
        losses,
        kept,
      };
      writeFileSync(options.out, `${JSON.stringify(figures, undefined, 1)}\n`);
      print('written to', options.out);
      return total === 0;
    },
  };
}

function describe(run: Run): string {
  const parts = Object.entries(run.cpuPer1000).map(([name, sec]) => `${name} ${sec.toFixed(2)}`);
  return (
    `${Math.round(run.deliveredPerSec)}/s (API ${Math.round(run.createdPerSec)}/s)  ` +
    `${spread(run.latency)}  ` +
    `CPU-s/1,000 ${run.cpu.toFixed(2)} (${parts.join(', ')})` +
    (run.rejected > 0 ? `  rejected ${run.rejected}` : '') +
    (run.duplicates > 0 ? `  duplicates ${run.duplicates}` : '')
  );
}

export function spread({ p50, p90, p99, max }: Distribution): string {
  return `p50 ${short(p50)} p90 ${short(p90)} p99 ${short(p99)} max ${short(max)} ms`;
}

export function short(value: number): string {
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : String(Math.round(value));
}

function warn({ spent: { steal, foreignCores }, late }: Run): void {
  const noise = `steal ${Math.round(steal * 100)} %, foreign ${foreignCores.toFixed(2)} cores`;
  const loud = steal > NOISE || foreignCores > NOISE;
  print('', `${noise}, producer late p99 ${short(late.p99)} ms${loud ? '   <- NOISY' : ''}`);
}

function printTable(goals: readonly Goal[]): void {
  const rows = goals.map(({ what, peer, ours, ratio, bound, reached }) =>
    [what, peer, ours, ratio, bound].concat(reached ? 'yes' : 'NO'),
  );
  const head = ['figure to reach', 'peer, this run', 'ours', 'ratio', 'bound', 'reached'];
  const widths = head.map((title, i) =>
    Math.max(title.length, ...rows.map((row) => row[i]!.length)),
  );
  process.stdout.write('\n');
  for (const row of [head, widths.map((width) => '-'.repeat(width)), ...rows]) {
    const line = row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ');
    process.stdout.write(`| ${line} |\n`);
  }
  process.stdout.write('\n');
}
