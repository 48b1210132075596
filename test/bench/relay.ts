import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startStandIn, type StandIn } from '../calls/phone/stand-in-carrier.ts';
import type { Phone } from '../calls/phone/phone.ts';
import { startParley } from '../roles/parley-process.ts';
import { carrier, knowledge, together, untilReady } from './calls/manifests.ts';
import { statOf } from './delivery/cpu.ts';
import { distribution, print, residentMemory } from './figures.ts';

/**
 * Calls by ConversationRelay: callers who ring, are greeted, ask every few seconds, and put the receiver down.
 * From the words that a carrier sends to the first word of the reply on the wire, with an agent that needs no
 * model: what is ours of a turn. First 25 at once, then 200.
 *
 *   node test/bench/relay.ts      about two minutes
 */

const NUMBER = '+442071838750';
const SECONDS = 30;
const PAUSE_MS = 5_000;

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const manifests = path.join(folder, 'manifests');
await mkdir(manifests);
const agent = `
apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: shop }
spec: { prompt: Sell., firstMessage: 'Hello, this is the shop.', knowledge: { all: true } }
`;
const text = 'Sending a parcel to Ireland costs nine pounds and takes four days.';
const all = [knowledge(text), agent, carrier([{ number: NUMBER, agent: 'shop' }])];
await writeFile(path.join(manifests, 'line.yaml'), together(all));
const parley = await startParley({ dataDir: folder, manifests });
const standIn = await startStandIn(parley.url);
try {
  await untilReady(parley, ['telephony_providers']);
  const [pid] = parley.pids;
  print('resident before', residentMemory(pid!));
  for (const calls of [25, 200]) await bench(standIn, calls, pid!);
} finally {
  await standIn.stop();
  await parley.stop();
  await rm(folder, { recursive: true, force: true });
}

async function bench({ call }: StandIn, calls: number, pid: number): Promise<void> {
  const greeted: number[] = [];
  const answered: number[] = [];
  const cpuBefore = statOf(pid)!.own;
  const startedMs = performance.now();
  const talk = async (i: number): Promise<void> => {
    await delay((i / calls) * PAUSE_MS);
    const rangMs = performance.now();
    const phone = await call(NUMBER);
    await nextWord(phone, 0);
    greeted.push(performance.now() - rangMs);
    while (performance.now() - startedMs < SECONDS * 1_000) {
      await delay(PAUSE_MS);
      const before = phone.frames.length;
      const saidMs = performance.now();
      phone.say('How much does it cost to send a parcel to Ireland?');
      answered.push((await nextWord(phone, before)) - saidMs);
    }
    await phone.hangUp();
  };
  const all = Promise.all(Array.from({ length: calls }, (_, i) => talk(i)));
  await delay((SECONDS * 1_000) / 2);
  const resident = residentMemory(pid);
  await all;
  const tookSec = (performance.now() - startedMs) / 1_000;
  print(`${calls} at once: ring → greeting`, distribution(greeted));
  print(`${calls} at once: words → first word of the reply`, distribution(answered));
  print(`${calls} at once: resident, all roles and no database`, resident);
  const perCall = ((statOf(pid)!.own - cpuBefore) / tookSec / calls) * 100;
  print(`${calls} at once: of a core for one call`, `${perCall.toFixed(2)} %`);
}

/** When the next frame came that is not among the first `before`. */
async function nextWord(phone: Phone, before: number): Promise<number> {
  while (phone.frames.length <= before) await delay(1);
  return phone.frames[before]!.at;
}
