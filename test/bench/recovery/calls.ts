import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startStandIn } from '../../calls/phone/stand-in-carrier.ts';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import type { Bounds } from '../bounds.ts';
import { bareRequests } from '../figures.ts';
import { carrier, together, untilReady } from '../calls/manifests.ts';
import { withProcesses } from './processes.ts';

/**
 * A process that holds calls is killed, and no carrier opens their lines again (contract/calls.md#lost-connections).
 */

const NUMBER = '+442071838750';
const CALLS = 5;
const AGENT = `
apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: shop }
spec: { prompt: Sell., firstMessage: 'Hello, this is the shop.' }
`;

export async function benchCalls(bounds: Bounds): Promise<void> {
  const manifests = await temporaryFolder();
  const port = await freePort();
  const standIn = await startStandIn(`http://127.0.0.1:${port}`);
  try {
    const account = carrier([{ number: NUMBER, agent: 'shop' }], standIn.apiUrl);
    await writeFile(path.join(manifests.path, 'line.yaml'), together([AGENT, account]));
    await withProcesses(async ({ startApi, startOperator }) => {
      await startOperator({ PARLEY_MANIFESTS: manifests.path });
      const [victim, other] = [await startApi(port), await startApi()];
      await untilReady(victim, ['telephony_providers']);
      const phones = await Promise.all(Array.from({ length: CALLS }, () => standIn.call(NUMBER)));
      await until('all greetings', () => phones.every(({ frames }) => frames.length > 0));
      for (const { sid } of phones) standIn.statuses.set(sid, 'completed');
      bounds.baseline('GET /v1/agents', await bareRequests(other));
      const killedMs = performance.now();
      await victim.kill();
      const ended = new Map<string, number>();
      const areAllEnded = async (): Promise<boolean> => {
        const { body } = await other.call('GET', '/v1/calls?limit=100');
        for (const { id, status } of body.data) {
          if (status === 'completed' && !ended.has(id)) ended.set(id, performance.now() - killedMs);
        }
        return ended.size === CALLS;
      };
      await until('the calls to end', areAllEnded, { timeoutMs: 60_000 });
      const what = 'the process that holds a call is killed → the call is ended';
      bounds.check({ what, times: [...ended.values()], worstMs: 15_000 });
    });
  } finally {
    await standIn.stop();
    await manifests.remove();
  }
}
