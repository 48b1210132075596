import { parseArgs } from 'node:util';

/** How long and how often; `--quick` is for a look, the full run for figures to publish. */
export type Options = {
  only: ReadonlySet<Phase>;
  out: string;
  quick: boolean;
  logs: string | undefined;
  profiles: string | undefined;
  /** Rounds of interleaved runs whose median counts. */
  rounds: number;
  /** Events of one closed-loop run. */
  events: number;
  latencySec: number;
  isolationSec: number;
  isolationRounds: number;
  backlog: number;
  kills: number;
  memorySec: number;
};

export const PHASES = [
  'throughput',
  'storage',
  'latency',
  'isolation',
  'memory',
  'backlog',
  'scale',
  'rescue',
] as const;
export type Phase = (typeof PHASES)[number];

const USAGE = `npm run bench -- delivery [--quick] [--only=${PHASES.join(',')}]
  --out=FILE        the figures as JSON (delivery-bench.json)
  --rounds=N --events=N --seconds=N --kills=N --backlog=N   instead of the usual lengths
  --logs=FOLDER     keeps what Parley's processes log
  --profiles=FOLDER CPU profiles of Parley's processes, written at the end`;

/** @throws Error with the usage for an argument that is none. */
export function readOptions(args: string[]): Options {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', default: PHASES.join(',') },
      out: { type: 'string', default: 'delivery-bench.json' },
      logs: { type: 'string' },
      profiles: { type: 'string' },
      rounds: number,
      events: number,
      seconds: number,
      kills: number,
      backlog: number,
    },
  });
  const only = values.only.split(',');
  const unknown = only.filter((name) => !PHASES.includes(name as Phase));
  if (values.help || unknown.length > 0) throw new Error(USAGE);
  const { quick } = values;
  const choose = (given: string | undefined, short: number, long: number): number =>
    given === undefined ? (quick ? short : long) : Number(given);
  return {
    only: new Set(only as Phase[]), // Looked at one line above.
    out: values.out,
    quick,
    logs: values.logs,
    profiles: values.profiles,
    rounds: choose(values.rounds, 1, 3),
    events: choose(values.events, 5_000, 12_000),
    latencySec: choose(values.seconds, 6, 15),
    isolationSec: choose(values.seconds, 10, 20),
    isolationRounds: choose(values.rounds, 1, 2),
    backlog: choose(values.backlog, 20_000, 100_000),
    kills: choose(values.kills, 5, 20),
    memorySec: choose(values.seconds, 10, 30),
  };
}
