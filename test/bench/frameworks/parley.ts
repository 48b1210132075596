import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { callByMedia } from '../../calls/phone/media-phone.ts';
import { startStandIn } from '../../calls/phone/stand-in-carrier.ts';
import { startParley, temporaryFolder } from '../../roles/parley-process.ts';
import { postmasterPid } from '../../standalone/processes.ts';
import {
  ANSWER,
  carrier,
  knowledge,
  speakingAgent,
  together,
  untilReady,
} from '../calls/manifests.ts';
import { treeOf } from '../calls/processes.ts';
import { callOf, GREETING, NO_WORDS, type Contender } from './contender.ts';
import type { Speech } from './speech.ts';

/** Everything in one process but PostgreSQL; each caller has a number, an agent and a provider of speech. */
export async function startOurs(speech: Speech, callers: number): Promise<Contender> {
  const folder = await temporaryFolder();
  const manifests = path.join(folder.path, 'manifests');
  await mkdir(manifests);
  await writeFile(path.join(manifests, 'line.yaml'), manifestsFor(speech, callers));
  const parley = await startParley({ dataDir: folder.path, manifests });
  const standIn = await startStandIn(parley.url);
  const stop = async (): Promise<void> => {
    await standIn.stop();
    await parley.stop();
    await folder.remove();
  };
  await untilReady(parley, ['telephony_providers', 'model_providers']);
  const [pid] = parley.pids;
  const postmaster = postmasterPid(folder.path);
  return {
    own: () => [pid!],
    beside: { name: 'PostgreSQL', pids: () => treeOf(postmaster) },
    ring: async (caller) =>
      callOf(await callByMedia(standIn, NO_WORDS, numberOf(caller)), speech, caller),
    stop,
  };
}

const numberOf = (caller: number): string => `+44207183${8_000 + caller}`;

function manifestsFor(speech: Speech, callers: number): string {
  const all = Array.from({ length: callers }, (_, caller) => ({ caller, agent: `shop-${caller}` }));
  return together([
    carrier(all.map(({ caller, agent }) => ({ number: numberOf(caller), agent }))),
    knowledge(ANSWER),
    ...all.map(({ caller, agent }) => speakingAgent(agent, GREETING, `${speech.url}/${caller}`)),
  ]);
}
