import { until } from '../../until.ts';
import type { Bounds } from '../bounds.ts';
import { bareRequests, timed } from '../figures.ts';
import { withProcesses } from './processes.ts';
import { inRounds } from './rounds.ts';

/** The operator that leads is killed or stopped; the standby takes over and reconciles the next agent. */
export function benchOperators(bounds: Bounds): Promise<void> {
  return withProcesses(async ({ startApi, startOperator }) => {
    const api = await startApi();
    let leader = await startOperator();
    const isInForce = async (name: string): Promise<void> => {
      const { body } = await api.call('POST', '/v1/agents', { name, prompt: 'Be kind.' });
      const isReady = async (): Promise<boolean> =>
        (await api.call('GET', `/v1/agents/${body.id}`)).body.ready === true;
      await until(`${name} to be in force`, isReady, { everyMs: 1 });
    };
    await isInForce('first');
    bounds.baseline('GET /v1/agents', await bareRequests(api));
    for (const how of ['kill', 'stop'] as const) {
      const times = await inRounds(3, async (round) => {
        const standby = await startOperator();
        const ended = leader[how]();
        const tookMs = await timed(() => isInForce(`${how}-${round}`));
        await ended;
        leader = standby;
        return tookMs;
      });
      const what = `the leading operator: ${how} → the next agent is in force`;
      bounds.check({ what, times, worstMs: 5_000 });
    }
  });
}
