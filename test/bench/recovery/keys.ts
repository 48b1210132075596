import { withKey } from '../../roles/parley-process.ts';
import type { Bounds } from '../bounds.ts';
import { bareRequests, timed } from '../figures.ts';
import { withProcesses } from './processes.ts';
import { answers, inRounds } from './rounds.ts';

/** A key is revoked by one process while another one uses it (contract/api-keys.md#ending). */
export function benchKeys(bounds: Bounds): Promise<void> {
  return withProcesses(async ({ startApi }) => {
    const [one, other] = [await startApi(), await startApi()];
    bounds.baseline('GET /v1/agents', await bareRequests(other));
    const times = await inRounds(30, async (round) => {
      const made = await one.call('POST', '/v1/api_keys', {
        name: `key ${round}`,
        scopes: ['read'],
      });
      const caller = withKey(other, made.body.key);
      await answers(caller, 200, ['GET', '/v1/agents']);
      const { status } = await one.call('DELETE', `/v1/api_keys/${made.body.id}`);
      if (status !== 204) throw new Error(`the key was not revoked: ${status}`);
      return timed(() => answers(caller, 401, ['GET', '/v1/agents']));
    });
    bounds.check({ what: 'a key is revoked → another process refuses it', times, worstMs: 100 });
  });
}
