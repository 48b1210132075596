import { withBench, type Bench } from './bench.ts';
import { readOptions, type Phase } from './options.ts';
import { createReport, type Report } from './report.ts';
import { benchBacklog } from './backlog.ts';
import { benchConversations } from './conversations.ts';
import { benchIsolation } from './isolation.ts';
import { benchLatency, benchMemory } from './latency.ts';
import { benchScale } from './scale.ts';
import { benchStorage } from './storage.ts';
import { benchRescue } from './rescue.ts';
import { benchThroughput } from './throughput.ts';

/**
 * The benchmark of delivery: Parley, graphile-worker and a bare loop in the same run, on the same
 * PostgreSQL and receiver. Compare ratios, not times; docs/performance.md says how to read it.
 *
 *   npm run bench -- delivery                   about half an hour
 *   npm run bench -- delivery --quick        about eight minutes
 *   npm run bench -- delivery --only=latency one phase (options.ts has the list)
 */

const RUN: Record<Phase, (bench: Bench, report: Report) => Promise<void>> = {
  throughput: async (bench, report) => {
    await benchThroughput(bench, report);
    await benchConversations(bench, report);
  },
  storage: benchStorage,
  latency: benchLatency,
  isolation: benchIsolation,
  memory: benchMemory,
  backlog: benchBacklog,
  scale: benchScale,
  rescue: benchRescue,
};

const options = readOptions(process.argv.slice(2));
const report = createReport(options);
await withBench(options, async (bench) => {
  for (const phase of options.only) await RUN[phase](bench, report);
});
process.exitCode = report.finish() ? 0 : 1;
