import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callByMedia } from '../calls/phone/media-phone.ts';
import { startMediaSpeech } from '../calls/phone/media-speech.ts';
import { startStandIn } from '../calls/phone/stand-in-carrier.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { print, residentMemory } from './figures.ts';
import { heardIn } from './calls/converse.ts';
import {
  ANSWER,
  carrier,
  knowledge,
  speakingAgent,
  together,
  untilReady,
} from './calls/manifests.ts';
import { asking, benchVoices, GREETING, converse, oneRound, type Asking } from './calls/voices.ts';

/**
 * Calls by Media Streams, with own speech: callers who ring, hear the greeting, ask, hear the answer, speak into the
 * next one, and put the receiver down, in real time, with 20 ms of sound each way fifty times a second. Speech is a
 * stub on loopback that answers at once, the agent quotes from knowledge: so that no provider's time is in it.
 * One, then 25 at once, then 50; VOICES=25 for so many alone. With MINUTES=60: 10 at once, one after the other, and
 * the memory every minute.
 *
 *   node test/bench/media.ts      about three minutes
 */

const NUMBER = '+442071838750';

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const speech = await startMediaSpeech();
const parley = await start(folder, speech.url);
const standIn = await startStandIn(parley.url);
try {
  await untilReady(parley, ['telephony_providers', 'model_providers']);
  const minutes = Number(process.env['MINUTES'] ?? 0);
  const counts = process.env['VOICES']?.split(',').map(Number) ?? [1, 25, 50];
  if (minutes > 0) await soak(minutes);
  else await benchVoices({ parley, counts, talk });
} finally {
  await standIn.stop();
  await parley.stop();
  await speech.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Rings, hears, asks, interrupts, hangs up. */
async function talk(round: Asking): Promise<void> {
  const phone = await callByMedia(standIn, speech, NUMBER);
  try {
    await converse({ ...asking(phone, speech, round.question), heard: heardIn(phone.came) }, round);
  } finally {
    await phone.hangUp();
  }
}

/** Callers one after the other; one whom the machine has made wait too long hangs up, and is told of. */
async function soak(minutes: number): Promise<void> {
  const endMs = performance.now() + minutes * 60_000;
  const [pid] = parley.pids;
  let calls = 0;
  let broken = 0;
  const callers = Array.from({ length: 10 }, async () => {
    while (performance.now() < endMs) {
      await talk(oneRound()).catch(() => (broken += 1));
      calls += 1;
    }
  });
  for (let minute = 1; minute <= minutes; minute += 1) {
    await delay(60_000);
    const so = `minute ${minute}, ${calls} calls so far, ${broken} given up`;
    print(so, residentMemory(pid!));
  }
  await Promise.all(callers);
}

async function start(dataDir: string, speechUrl: string): Promise<Parley> {
  const manifests = path.join(dataDir, 'manifests');
  await mkdir(manifests);
  const all = [
    carrier([{ number: NUMBER, agent: 'shop' }]),
    knowledge(ANSWER),
    speakingAgent('shop', GREETING, speechUrl),
  ];
  await writeFile(path.join(manifests, 'line.yaml'), together(all));
  return startParley({ dataDir, manifests });
}
