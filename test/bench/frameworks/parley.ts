import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ACCOUNT, TOKEN } from '../../calls/carriers/twilio/account.ts';
import { callByMedia } from '../../calls/carriers/twilio/media-phone.ts';
import { startStandIn } from '../../calls/carriers/twilio/stand-in-carrier.ts';
import { startParley, temporaryFolder } from '../../roles/parley-process.ts';
import { until } from '../../until.ts';
import { treeOf } from '../calls/processes.ts';
import { ANSWER, callOf, GREETING, type Contender } from './contender.ts';
import type { Speech } from './speech.ts';

/** Everything in one process but PostgreSQL; each caller has a number, an agent and a provider of speech. */
export async function startOurs(speech: Speech, callers: number): Promise<Contender> {
  const folder = await temporaryFolder();
  const manifests = path.join(folder.path, 'manifests');
  await mkdir(manifests);
  await writeFile(path.join(manifests, 'line.yaml'), manifestsFor(speech, callers));
  const parley = await startParley({ dataDir: folder.path, manifests });
  const carrier = await startStandIn(parley.url);
  const stop = async (): Promise<void> => {
    await carrier.stop();
    await parley.stop();
    await folder.remove();
  };
  const isReady = async (kind: string): Promise<boolean> =>
    (await parley.call('GET', `/v1/${kind}?ready=true`)).body.data?.length > 0;
  await until(
    'its agents to be ready',
    async () => (await isReady('telephony_providers')) && (await isReady('model_providers')),
    { timeoutMs: 60_000 },
  );
  const [pid] = parley.pids;
  const postmaster = await postmasterIn(folder.path);
  return {
    own: async () => [pid!],
    beside: { name: 'PostgreSQL', pids: () => treeOf(postmaster) },
    ring: async (caller) => {
      const nobody = { sentenceOf: () => undefined, utter: () => new Int16Array() };
      return callOf(await callByMedia(carrier, nobody, numberOf(caller)), speech, caller);
    },
    stop,
  };
}

const numberOf = (caller: number): string => `+44207183${8_000 + caller}`;

async function postmasterIn(folder: string): Promise<number> {
  for await (const file of glob('**/postmaster.pid', { cwd: folder }))
    return Number.parseInt(await readFile(path.join(folder, file), 'utf8'), 10);
  throw new Error(`no PostgreSQL in ${folder}`);
}

function manifestsFor(speech: Speech, callers: number): string {
  const all = Array.from({ length: callers }, (_, caller) => caller);
  const numbers = all.map((caller) => ({ number: numberOf(caller), agent: `shop-${caller}` }));
  return `
apiVersion: v1
kind: Secret
metadata: { name: carrier, labels: { parley.dev/allow: 'true' } }
stringData: { token: ${TOKEN} }
---
apiVersion: parley.dev/v1alpha1
kind: KnowledgeSource
metadata: { name: parcels }
spec: { type: text, text: '${ANSWER}' }
---
apiVersion: parley.dev/v1alpha1
kind: TelephonyProvider
metadata: { name: carrier }
spec:
  type: twilio
  accountId: ${ACCOUNT}
  authTokenSecretRef: { name: carrier, key: token }
  inbound: { maxConcurrentCalls: 1000 }
  numbers: ${JSON.stringify(numbers)}
${all.map((caller) => agentOf(speech, caller)).join('')}`;
}

const agentOf = (speech: Speech, caller: number): string => `
---
apiVersion: parley.dev/v1alpha1
kind: ModelProvider
metadata: { name: speech-${caller} }
spec:
  baseUrl: ${speech.url}/${caller}
  speech: { defaultModel: tts-1, defaultVoice: alloy }
  transcription: { defaultModel: whisper-1 }
---
apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: shop-${caller} }
spec:
  prompt: Sell.
  firstMessage: ${GREETING}
  knowledge: { all: true }
  voice: { provider: speech-${caller} }
  transcriber: { provider: speech-${caller} }
`;
