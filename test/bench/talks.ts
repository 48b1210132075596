import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startMediaSpeech } from '../calls/phone/media-speech.ts';
import { startParley, type Parley } from '../roles/parley-process.ts';
import { openPage, type Page } from '../talks/page.ts';
import type { Heard } from './calls/converse.ts';
import { ANSWER, knowledge, speakingAgent, together } from './calls/manifests.ts';
import { asking, benchVoices, converse, GREETING, type Asking } from './calls/voices.ts';

/**
 * Voices of web pages: visitors who open a talk, hear the greeting, ask, hear the answer, speak into the next one,
 * and hang up, in real time, with 20 ms of PCM16 at 16 kHz each way fifty times a second. Speech is a stub on
 * loopback that answers at once, the agent quotes from knowledge: so that no provider's time is in it.
 * One, then 25 at once, then 50. VOICES=25 for so many alone.
 *
 *   node test/bench/talks.ts      about two minutes
 */

const folder = await mkdtemp(path.join(tmpdir(), 'parley-bench-'));
const speech = await startMediaSpeech();
const parley = await start(folder, speech.url);
try {
  const url = `${parley.url.replace(/^http/, 'ws')}/v1/talk`;
  const talk = async (round: Asking): Promise<void> => {
    const token = await talkToken(parley);
    const page = await openPage(url, speech, { token, mode: 'voice' });
    try {
      await converse({ ...asking(page, speech, round.question), heard: heardBy(page) }, round);
    } finally {
      page.send({ type: 'end' });
      await page.closed;
    }
  };
  const counts = process.env['VOICES']?.split(',').map(Number) ?? [1, 25, 50];
  await benchVoices({ parley, counts, talk });
} finally {
  await parley.stop();
  await speech.stop();
  await rm(folder, { recursive: true, force: true });
}

function heardBy({ came, frames }: Page): Heard {
  return {
    place: (kind) => (kind === 'sound' ? came : frames).length,
    cameAt: (kind, place) => {
      if (kind === 'sound') return came[place]?.at;
      return frames.find(({ type }, at) => at >= place && type === kind)?.at;
    },
    soundsFrom: (place) => came.slice(place).map(({ at }) => at),
    lastSoundMs: () => came.at(-1)?.at,
  };
}

async function start(dataDir: string, speechUrl: string): Promise<Parley> {
  const manifests = path.join(dataDir, 'manifests');
  await mkdir(manifests);
  const all = [knowledge(ANSWER), speakingAgent('shop', GREETING, speechUrl)];
  await writeFile(path.join(manifests, 'shop.yaml'), together(all));
  return startParley({ dataDir, manifests });
}

/** Makes a token as a customer's server does: such talks are bounded by no agent and no address, only by the token. */
async function talkToken({ call }: Parley): Promise<string> {
  for (;;) {
    const models = await call('GET', '/v1/model_providers?ready=true');
    const agents = await call('GET', '/v1/agents');
    const agentId = agents.body.data?.[0]?.id;
    if (models.body.data?.length > 0 && agentId !== undefined) {
      const made = await call('POST', `/v1/agents/${agentId}/talk_tokens`, { ttl_sec: 3_600 });
      if (made.status === 201 && made.body.modes.includes('voice')) return made.body.token;
      process.stderr.write(`no token yet: ${made.status} ${JSON.stringify(made.body)}\n`);
    }
    await delay(200);
  }
}
