import assert from 'node:assert/strict';
import { parentPort, workerData } from 'node:worker_threads';
import type { AttackerKeys } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { openTarget } from './target.ts';

/** Runs one attack in a thread of its own, so that it cannot hold up the victim's requests in this process. */

export type ThreadData = { name: string; url: string; keys: AttackerKeys };
/** `failure` says why the attack could not begin or go on. */
export type ThreadMessage =
  | { type: 'underway' }
  | { type: 'ended'; seen: Map<string, number>; failure?: string };

const { name, url, keys } = workerData as ThreadData;
const attack = ATTACKS.find((one) => one.name === name);
assert(attack && parentPort);
const port = parentPort;
const post = (message: ThreadMessage): void => port.postMessage(message);

const attacking = openTarget({ url, keys, isFull: true });
void attacking.underway.then(() => post({ type: 'underway' }));
let failure: string | undefined;
const running = attack.run(attacking.target).catch((error: unknown) => {
  if (!attacking.target.signal.aborted) failure = String(error);
});
const stopped = new Promise<void>((resolve) => port.once('message', () => resolve()));
await Promise.race([stopped, running]);
attacking.end();
await attacking.close();
post({ type: 'ended', seen: attacking.seen, ...(failure !== undefined && { failure }) });
process.exit();
