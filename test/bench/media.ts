import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { callByMedia, type MediaPhone } from '../calls/carriers/twilio/media-phone.ts';
import { startMediaSpeech } from '../calls/carriers/twilio/media-speech.ts';
import { ACCOUNT, TOKEN } from '../calls/carriers/twilio/account.ts';
import { startStandIn } from '../calls/carriers/twilio/stand-in-carrier.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import {
  askAndInterrupt,
  nothingSeen,
  untilSilent,
  type Line,
  type Seen,
} from './calls/converse.ts';
import { cpuShare } from './calls/processes.ts';
import { distribution, ms, print } from './figures.ts';

/**
 * Calls by Media Streams, with own speech: callers who ring, hear the greeting, ask, hear the answer, speak into the
 * next one, and put the receiver down, in real time, with 20 ms of sound each way fifty times a second. Speech is a
 * stub on loopback that answers at once, the agent quotes from knowledge: so that no provider's time is in it.
 * One, then 25 at once, then 50. With MINUTES=60: 10 at once, one after the other, and the memory every minute.
 *
 *   node test/bench/media.ts      about three minutes
 */

const NUMBER = '+442071838750';
/** Silence that ends what somebody says, and speech that interrupts: src/calls/lines/ear.ts. */
const SILENCE_MS = 400;
const BARGE_IN_MS = 500;
/** Many, so that it is known whose words a provider was asked for. */
const QUESTIONS = [
  'send',
  'post',
  'mail',
  'bring',
  'take',
  'ship',
  'get',
  'move',
  'fly',
  'drive',
].map((act) => `How much does it cost to ${act} a parcel to Ireland?`);
const ANSWER =
  'Sending a parcel to Ireland costs nine pounds and takes four days, and it is insured for fifty pounds on its ' +
  'way there and back again without anything that you would have to do for it.';
const INTERRUPTION = 'How much does a parcel to Ireland cost?';

/** `jitter`, ms: how far two frames are from 20 ms. */
type Watched = Seen & { jitter: number[] };

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const speech = await startMediaSpeech();
const parley = await start(folder, speech.url);
const carrier = await startStandIn(parley.url);
try {
  await untilReady(parley);
  const minutes = Number(process.env['MINUTES'] ?? 0);
  if (minutes > 0) await soak(minutes);
  else for (const calls of [1, 25, 50]) await bench(calls);
} finally {
  await carrier.stop();
  await parley.stop();
  await speech.stop();
  await rm(folder, { recursive: true, force: true });
}

async function bench(calls: number): Promise<void> {
  const seen = { ...nothingSeen(), jitter: [] };
  const [pid] = parley.pids;
  const idle = await cpuShare(
    async () => [pid!],
    () => delay(5_000),
  );
  const mbBefore = await residentMb(pid!);
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const talks = Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      await delay(i * (6_000 / calls));
      await talk({ question: QUESTIONS[i % QUESTIONS.length]!, seen, rounds: 4 });
    }),
  );
  await delay(6_000);
  const busy = await cpuShare(
    async () => [pid!],
    () => delay(15_000),
  );
  const held = await residentMb(pid!);
  await talks;
  loop.disable();
  const of = `${calls} at once:`;
  print(`${of} end of speech → asked what it was`, distribution(seen.detected));
  print(`${of} its words → first sound of the answer`, distribution(seen.answered));
  print(
    `${of} barge-in → clear, from ${BARGE_IN_MS} ms`,
    distribution(less(seen.cleared, BARGE_IN_MS)),
  );
  print(`${of} frames, from 20 ms`, distribution(seen.jitter));
  print(`${of} of a core for one call`, `${((busy - idle) / calls).toFixed(2)} %`);
  print(`${of} memory for one call`, `${((held - mbBefore) / calls).toFixed(1)} MB (${held} MB)`);
  print(`${of} delay of the bench's own loop`, `p99 ${ms(loop.percentile(99) / 1e6)}`);
}

type Talk = { question: string; rounds: number; seen: Watched };

/** Rings, hears, asks, interrupts, hangs up. `rounds`: how often it asks and interrupts. */
async function talk(asked: Talk): Promise<void> {
  const phone = await callByMedia(carrier, speech, NUMBER);
  try {
    await converse(phone, asked);
  } finally {
    await phone.hangUp();
  }
}

async function converse(phone: MediaPhone, { question, rounds, seen }: Talk): Promise<void> {
  const line: Line = {
    came: phone.came,
    ask: async () => {
      await phone.say(question, 1);
      return phone.sent.at(-1)!.at;
    },
    interrupt: () => phone.say(INTERRUPTION, 1.2),
    askedAfter: (endMs) => untilTranscribed(question, endMs),
  };
  await untilSilent(line);
  for (let round = 0; round < rounds; round += 1) {
    await askAndInterrupt(line, seen, (came) => {
      const mediaMs = came.flatMap(({ event, at }) => (event === 'media' ? [at] : []));
      seen.jitter.push(...mediaMs.slice(8).map((at, i) => Math.abs(at - mediaMs[i + 7]! - 20)));
    });
  }
}

/** When a provider was asked for these words, that somebody ended to say at `endMs`. */
async function untilTranscribed(question: string, endMs: number): Promise<number> {
  // Others may have asked the same before.
  const isIt = ({ at, text }: { at: number; text: string }): boolean =>
    text === question && at > endMs + SILENCE_MS;
  while (!speech.understood.some(isIt)) await delay(1);
  return speech.understood.find(isIt)!.at;
}

/** Callers one after the other; one whom the machine has made wait too long hangs up, and is told of. */
async function soak(minutes: number): Promise<void> {
  const endMs = performance.now() + minutes * 60_000;
  const [pid] = parley.pids;
  let calls = 0;
  let broken = 0;
  const callers = Array.from({ length: 10 }, async () => {
    while (performance.now() < endMs) {
      const seen = { ...nothingSeen(), jitter: [] };
      await talk({ question: QUESTIONS[0]!, seen, rounds: 1 }).catch(() => (broken += 1));
      calls += 1;
    }
  });
  for (let minute = 1; minute <= minutes; minute += 1) {
    await delay(60_000);
    const so = `minute ${minute}, ${calls} calls so far, ${broken} given up`;
    print(so, `${await residentMb(pid!)} MB`);
  }
  await Promise.all(callers);
}

async function start(dataDir: string, speechUrl: string): Promise<Parley> {
  const manifests = path.join(dataDir, 'manifests');
  await mkdir(manifests);
  await writeFile(
    path.join(manifests, 'line.yaml'),
    `
apiVersion: v1
kind: Secret
metadata: { name: carrier, labels: { parley.dev/allow: 'true' } }
stringData: { token: ${TOKEN} }
---
apiVersion: parley.dev/v1alpha1
kind: ModelProvider
metadata: { name: speech }
spec:
  baseUrl: ${speechUrl}
  speech: { defaultModel: tts-1, defaultVoice: alloy }
  transcription: { defaultModel: whisper-1 }
---
apiVersion: parley.dev/v1alpha1
kind: KnowledgeSource
metadata: { name: parcels }
spec: { type: text, text: '${ANSWER}' }
---
apiVersion: parley.dev/v1alpha1
kind: Agent
metadata: { name: shop }
spec:
  prompt: Sell.
  firstMessage: Hello, this is the shop.
  knowledge: { all: true }
  voice: { provider: speech }
  transcriber: { provider: speech }
---
apiVersion: parley.dev/v1alpha1
kind: TelephonyProvider
metadata: { name: carrier }
spec:
  type: twilio
  accountId: ${ACCOUNT}
  authTokenSecretRef: { name: carrier, key: token }
  inbound: { maxConcurrentCalls: 1000 }
  numbers: [{ number: '${NUMBER}', agent: shop }]
`,
  );
  return startParley({ dataDir, manifests });
}

async function untilReady({ call }: Parley): Promise<void> {
  for (;;) {
    const { body } = await call('GET', '/v1/telephony_providers?ready=true');
    const models = await call('GET', '/v1/model_providers?ready=true');
    if (body.data?.length > 0 && models.body.data?.length > 0) return;
    await delay(100);
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024);
}

function less(values: number[], by: number): number[] {
  return values.map((value) => value - by);
}
