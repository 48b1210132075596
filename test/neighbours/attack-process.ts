import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import type { AttackerKeys } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { openTarget } from './target.ts';

/**
 * Runs one attack in a process of its own. An attacker has a machine of his own, so this process takes only the time that
 * Parley, PostgreSQL and the victim leave.
 */

export type AttackData = { name: string; url: string; keys: AttackerKeys };
/** `failure` says why the attack could not begin or go on. */
export type AttackMessage =
  | { type: 'underway' }
  | { type: 'ended'; seen: Map<string, number>; failure?: string };

setPriority(19);
const { name, url, keys } = JSON.parse(process.argv[2]!) as AttackData;
const attack = ATTACKS.find((one) => one.name === name);
assert(attack && process.connected);
const post = (message: AttackMessage): Promise<void> =>
  new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));

const attacking = openTarget({ url, keys, isFull: true });
void attacking.underway.then(() => post({ type: 'underway' }));
let failure: string | undefined;
const running = attack.run(attacking.target).catch((error: unknown) => {
  if (!attacking.target.signal.aborted) failure = String(error);
});
const stopped = once(process, 'message');
process.once('disconnect', () => process.exit(1)); // The rig has ended.
await Promise.race([stopped, running]);
attacking.end();
await attacking.close();
await post({ type: 'ended', seen: attacking.seen, ...(failure !== undefined && { failure }) });
process.exit();
