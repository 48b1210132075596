import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startFaultProxy } from '../../platform/fault-proxy.ts';
import { kubeconfigOf, startKube } from '../../platform/kubernetes/kube.ts';
import { temporaryFolder } from '../../roles/parley-process.ts';
import type { Bounds } from '../bounds.ts';
import { bareRequests, timed } from '../figures.ts';
import { withProcesses } from './processes.ts';
import { answers, inRounds } from './rounds.ts';

/** The API server of Kubernetes cannot be reached, and can again: writes are refused meanwhile. */
export async function benchKubernetes(bounds: Bounds): Promise<void> {
  const folder = await temporaryFolder();
  const kube = await startKube();
  const proxy = await startFaultProxy(kube.url);
  const KUBECONFIG = path.join(folder.path, 'kubeconfig');
  try {
    await writeFile(KUBECONFIG, kubeconfigOf({ ...kube, url: proxy.through(kube.url) }));
    await withProcesses(async ({ startApi, startOperator }) => {
      const env = { PARLEY_STORE: 'kubernetes', KUBECONFIG };
      await startOperator(env);
      const api = await startApi(undefined, env);
      const write = (name: string): readonly ['POST', string, object] => [
        'POST',
        '/v1/agents',
        { name, prompt: 'Be kind.' },
      ];
      await answers(api, 201, write('first'));
      bounds.baseline('GET /v1/agents', await bareRequests(api));
      const refused: number[] = [];
      const back = await inRounds(3, async (round) => {
        proxy.refuse();
        refused.push(await timed(() => answers(api, 503, write(`refused-${round}`))));
        proxy.accept();
        return timed(() => answers(api, 201, write(`agent-${round}`)));
      });
      const what = 'the Kubernetes API';
      bounds.check({
        what: `${what} refuses → a write is answered with 503`,
        times: refused,
        worstMs: 5_000,
      });
      bounds.check({ what: `${what} is back → a write is in force`, times: back, worstMs: 5_000 });
    });
  } finally {
    await proxy.stop();
    await kube.stop();
    await folder.remove();
  }
}
