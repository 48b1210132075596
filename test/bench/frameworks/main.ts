import { loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { askAndInterrupt, nothingSeen, untilSilent, type Seen } from '../calls/converse.ts';
import { cpuShare, heldMb } from '../calls/processes.ts';
import { distribution, ms, print } from '../figures.ts';
import type { Call, Contender } from './contender.ts';
import { installFrameworks } from './install.ts';
import { startLivekit } from './livekit.ts';
import { startOurs } from './parley.ts';
import { startPipecat } from './pipecat.ts';
import { startSpeech, type Speech } from './speech.ts';

/**
 * Parley beside the two best known frameworks for voice agents, for the same call: who rings hears a greeting, asks
 * with a recorded voice, hears the beginning of the answer, speaks into it, hears the next one, and so on. Speech is one
 * stub on loopback, the answer is always the same, no model is asked, and 400 ms of silence end what somebody says,
 * with all three. One after the other, in one run; the callers share the machine and count in no figure.
 *
 *   npm run bench -- frameworks [parley pipecat livekit]      CALLS=5
 */

const CALLS = Number(process.env['CALLS'] ?? 5);
const WINDOW_MS = 30_000;
const SETTLED_MS = 20_000;
/** Callers begin one after the other. */
const BETWEEN_MS = 600;

const STARTS: Record<string, (speech: Speech) => Promise<Contender>> = {
  parley: (speech) => startOurs(speech, CALLS),
  pipecat: async (speech) => startPipecat(installFrameworks(), speech),
  livekit: async (speech) => startLivekit(installFrameworks(), speech),
};

const asked = process.argv.slice(2);
const stranger = asked.find((name) => !STARTS[name]);
if (stranger !== undefined) {
  process.stderr.write(`${stranger}: none of ${Object.keys(STARTS).join(', ')}\n`);
  process.exit(1);
}
for (const [name, start] of Object.entries(STARTS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const speech = await startSpeech();
  const contender = await start(speech);
  try {
    await bench(name, contender);
  } finally {
    await contender.stop();
    await speech.stop();
  }
}

async function bench(name: string, { own, beside, ring }: Contender): Promise<void> {
  const [load] = loadavg();
  // What is loaded with the first call counts to none; it is over when its processes are.
  const first = await ring(0);
  await untilSilent(first.voice);
  await first.hangUp();
  await delay(SETTLED_MS);
  const idle = await cpuShare(own, () => delay(5_000));
  const processes = own().length;
  const mbBefore = heldMb(own());
  const besideBefore = beside && heldMb(beside.pids());
  const seen = nothingSeen();
  const talks = Array.from({ length: CALLS }, (_, caller) => createTalk(() => ring(caller), seen));
  for (const talk of talks) {
    talk.begin();
    await delay(BETWEEN_MS);
  }
  await Promise.all(talks.map(({ greeted }) => greeted));
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  let besideBusy = 0;
  const busy = await cpuShare(own, async () => {
    if (!beside) return delay(WINDOW_MS);
    besideBusy = await cpuShare(beside.pids, () => delay(WINDOW_MS));
  });
  loop.disable();
  const held = heldMb(own());
  const besideHeld = beside && heldMb(beside.pids());
  await Promise.all(talks.map(({ end }) => end()));
  const per = (all: number): number => all / CALLS;
  const say = (what: string, figure: string): void => print(`${name}, ${what}`, figure);
  say('load of the machine before', load!.toFixed(2));
  say('of a core for one call', `${per(busy - idle).toFixed(2)} % (idle ${idle.toFixed(1)} %)`);
  say(
    'memory for one call',
    `${per(held - mbBefore).toFixed(1)} MB (idle ${Math.round(mbBefore)} MB, processes: ${processes})`,
  );
  if (beside) {
    say(
      `beside it ${beside.name}, for one call`,
      `${per(besideBusy).toFixed(2)} % of a core, ${per(besideHeld! - besideBefore!).toFixed(1)} MB`,
    );
  }
  say('end of speech → asked what it was', distribution(seen.detected));
  say('its words → first sound of the answer', distribution(seen.answered));
  say(
    'end of speech → first sound of the answer',
    distribution(seen.detected.map((msOf, at) => msOf + seen.answered[at]!)),
  );
  say('speech into an answer → silence', distribution(seen.cleared));
  say("delay of the bench's own loop", `p99 ${ms(loop.percentile(99) / 1e6)}`);
}

/** Somebody who asks and interrupts until they are to end. */
function createTalk(ring: () => Promise<Call>, seen: Seen) {
  const greeted = Promise.withResolvers<void>();
  const over = new AbortController();
  let talk: Promise<void> = Promise.resolve();
  const converse = async (): Promise<void> => {
    const { voice, hangUp } = await ring();
    try {
      await untilSilent(voice);
      greeted.resolve();
      while (!over.signal.aborted) await askAndInterrupt(voice, seen);
    } finally {
      await hangUp();
    }
  };
  return {
    greeted: greeted.promise,
    begin: () => {
      talk = converse();
      talk.catch(greeted.reject);
    },
    end: () => {
      over.abort();
      return talk;
    },
  };
}
