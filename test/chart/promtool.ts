import { findGoTool } from './go-tool.ts';

/** The path of promtool, which runs the alerts on series made up for them (alerts.test.yaml). */
export function findPromtool(): Promise<string | undefined> {
  return findGoTool({
    name: 'promtool',
    module: 'github.com/prometheus/prometheus',
    source: 'github.com/prometheus/prometheus/cmd/promtool',
    // Without the clients of two dozen clouds, which only `check service-discovery` needs.
    flags: ['-tags', 'remove_all_sd'],
    without: 'whether the alerts fire is NOT tested',
    accepts: async () => true,
  });
}
